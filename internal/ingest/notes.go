package ingest

import (
	"fmt"
	"slices"
	"strings"
)

// Notes are what a reader left out or had to decide on its own, for the report
// of an import. Several files may share them.
type Notes struct {
	// List has one note of each kind, in the order in which they were first
	// met; further ones of a kind are counted.
	List []Note
	// Systems are the systems of the file read last, in byte order. They are
	// known before its first segment is yielded.
	Systems []string
}

// A Note says what was done with Count rows or marks of one kind.
type Note struct {
	Text  string // e.g. "rows of attention checks (HOTW-test) left out"
	Count int
	File  string // where the first one was met
	Line  int
	Names []string // what they are, at most maxNoteNames; nil: they have no names
}

// maxNoteNames is how many names a note has.
const maxNoteNames = 100

// String is a line of a report: "12 rows of … left out, first at FILE:LINE". A
// note with names lists them behind.
func (n Note) String() string {
	text := fmt.Sprintf("%d %s, first at %s:%d", n.Count, n.Text, n.File, n.Line)
	if len(n.Names) == 0 {
		return text
	}
	text += ": " + strings.Join(n.Names, ", ")
	if n.Count > len(n.Names) {
		text += fmt.Sprintf(" and %d more", n.Count-len(n.Names))
	}
	return text
}

// maxNotes is how many kinds are told apart.
const maxNotes = 50

// add counts one more of a kind. No notes may be wanted.
func (n *Notes) add(text, file string, line int) { n.addNamed(text, "", file, line) }

// addNamed is add for something that has a name.
func (n *Notes) addNamed(text, name, file string, line int) {
	if n == nil {
		return
	}
	if len(n.List) >= maxNotes && !slices.ContainsFunc(n.List, func(x Note) bool { return x.Text == text }) {
		text = "things of other kinds"
	}
	i := slices.IndexFunc(n.List, func(x Note) bool { return x.Text == text })
	if i < 0 {
		n.List = append(n.List, Note{Text: text, File: file, Line: line})
		i = len(n.List) - 1
	}
	n.List[i].Count++
	if name != "" && len(n.List[i].Names) < maxNoteNames {
		n.List[i].Names = append(n.List[i].Names, name)
	}
}
