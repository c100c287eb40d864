// Package check has the rules of checks: pages that are mixed into the work of an annotator and look
// like it, and that show whether the annotator reads the texts. All functions are pure.
//
//   - [Degraded]: a translation of which words are dropped, swapped or cut. It must be rated lower than
//     the original.
//   - [Repeat]: a translation that the annotator has rated before. It must be rated about the same.
//   - [Known]: a translation whose score a lead has given. It must be rated about the same.
//
// [Degrade] makes the text of a degraded check, [Placed] says where checks stand in the work of an
// annotator, [Rule.Passes] judges one check, [Rule.Uncounted] says which checks tell nothing, and [Judge] judges all checks of
// an annotator.
package check

// A Kind is a kind of check.
type Kind string

// The kinds of checks.
const (
	Degraded Kind = "degraded"
	Repeat   Kind = "repeat"
	Known    Kind = "known"
)

// Kinds lists every kind in the order in which pages and files show them.
var Kinds = []Kind{Degraded, Repeat, Known}
