// Package input reads the lines of a file in any format, and says what is wrong with them.
// It holds what the readers of formats share: [Options] and [Notes], lines ([EachLine]), a
// line with its problems ([Record]), JSON, the languages and systems that all lines of a
// file must have ([Binding]), and how a file of another kind or in another format is
// recognised ([AnotherFormat]). The documentation of package ingest lists the rules.
//
// The readers of formats import it. It imports none of them.
package input
