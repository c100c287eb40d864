package campaign

// A CheckKind is a kind of check. Checks are pages that are mixed into the work of an annotator and look
// like it, and that show whether the annotator reads the texts:
//
//   - [DegradedCheck]: a translation of which words are dropped, swapped or cut. It must be rated lower than
//     the original.
//   - [RepeatCheck]: a translation that the annotator has rated before. It must be rated about the same.
//   - [KnownCheck]: a translation whose score a lead has given. It must be rated about the same.
//
// [Degrade] makes the text of a degraded check, [CheckPlaced] says where checks stand in the work of an annotator,
// [CheckRule.Passes] judges one check, [CheckRule.Uncounted] says which checks tell nothing, and [JudgeChecks] judges
// all checks of an annotator.
type CheckKind string

// The kinds of checks.
const (
	DegradedCheck CheckKind = "degraded"
	RepeatCheck   CheckKind = "repeat"
	KnownCheck    CheckKind = "known"
)

// CheckKinds lists every kind in the order in which pages and files show them.
var CheckKinds = []CheckKind{DegradedCheck, RepeatCheck, KnownCheck}
