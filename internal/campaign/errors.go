package campaign

import (
	"errors"
	"strings"
)

// Kinds of failure that callers tell apart with errors.Is.
var (
	ErrNotFound  = errors.New("not found")
	ErrConflict  = errors.New("conflict")
	ErrForbidden = errors.New("forbidden")
	// ErrBusy: another change, such as an import, takes long; the same request can
	// be tried again.
	ErrBusy = errors.New("another change is under way; try again in a moment")
	// ErrDecided: the round that the change belongs to has been decided.
	ErrDecided = errors.New("the round of this segment has been decided; what was submitted stands")
	// ErrOutdated: the page shows other translations than its segment has now, or
	// comes from an earlier version of the program.
	ErrOutdated = errors.New("this page is out of date")
	// ErrNotOpen: the campaign is paused or closed.
	ErrNotOpen = errors.New("the lead has paused or closed this campaign")
	// ErrQuota: the annotator's ratings of the day have reached the quota.
	ErrQuota = errors.New("today's quota of ratings is reached")
	// ErrNotAccepted: the annotator has not accepted the latest version of the instructions.
	ErrNotAccepted = errors.New("read and accept the instructions of the campaign first")
	// ErrNotQualified: the annotator must qualify on the training set before other work.
	ErrNotQualified = errors.New("train for this campaign first")
	// ErrNoWork: no segment is left that this annotator could be given.
	ErrNoWork = errors.New("no segment is left for you at the moment")
)

// An InvalidError says which field of an input is wrong and what to do, in words for the
// person who filled it in.
type InvalidError struct{ Field, Msg string }

func (e *InvalidError) Error() string {
	if e.Field == "" {
		return e.Msg
	}
	return e.Field + ": " + e.Msg
}

// Invalid returns an [InvalidError].
func Invalid(field, msg string) error { return &InvalidError{field, msg} }

// An IncompleteError lists the cards that keep a segment from being submitted.
type IncompleteError struct{ Cards []IncompleteCard }

// An IncompleteCard says what one card lacks. Index counts from 0 in the
// annotator's own order; ID is how the page addresses the card.
type IncompleteCard struct {
	ID     string
	Index  int
	Reason string // e.g. "a score"
}

func (e *IncompleteError) Error() string {
	parts := make([]string, len(e.Cards))
	for i, c := range e.Cards {
		parts[i] = CardName(c.Index) + " needs " + c.Reason
	}
	return strings.Join(parts, ", ")
}

// CardName is the name of a card on the page, by its index from 0: A to Z, then AA, AB …
func CardName(index int) string {
	name := ""
	for i := index; i >= 0; i = i/26 - 1 {
		name = string(rune('A'+i%26)) + name
	}
	return name
}

// ErrSetAside: a lead has set the annotator's work aside. It is an [ErrDecided], because
// nothing that the annotator does counts.
var ErrSetAside = Decided("the lead has set your work in this campaign aside; what you saved is kept, ask them before you go on")

// Decided returns an [ErrDecided] with a text of its own, which says in full why nothing can be changed.
func Decided(why string) error { return decidedError(why) }

type decidedError string

func (e decidedError) Error() string { return string(e) }

func (decidedError) Is(target error) bool { return target == ErrDecided }
