package campaign

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"time"
)

// An AssignmentState says how far an annotator's turn at a segment has come.
type AssignmentState string

// The states of an assignment.
const (
	InWork    AssignmentState = "open"
	Submitted AssignmentState = "submitted"
	Released  AssignmentState = "released" // left idle, skipped, or taken back by a lead; its place is free and its drafts are kept
	Reported  AssignmentState = "problem"  // the annotator reported a problem, which a lead answers

	// The states of an adjudication, which is no annotation and counts in no round.
	Adjudicating   AssignmentState = "adjudicating"
	HasAdjudicated AssignmentState = "adjudicated"
)

// AssignmentStates lists all states. The index by which the assignments of a user in a campaign are found has the state before the
// user.
var AssignmentStates = []AssignmentState{InWork, Submitted, Released, Reported, Adjudicating, HasAdjudicated}

// Adjudicates reports whether an assignment in this state is an adjudication.
func (s AssignmentState) Adjudicates() bool { return s == Adjudicating || s == HasAdjudicated }

// An Assignment is an annotator's turn at a segment in a round.
type Assignment struct {
	ID          string
	CampaignID  string
	SegmentID   string
	UserID      string
	Round       int
	State       AssignmentState
	Order       CardOrder
	StartedAt   time.Time
	SubmittedAt time.Time // zero until submitted
}

// A CardOrder determines the order of the cards of an assignment. Pages never get it.
type CardOrder struct {
	Seed int64 // never 0
	// Context is "document" if the systems have the same order in all segments of the
	// document, and "segment" if each segment has its own order.
	Context string
}

// Systems sorts the ids of systems into their order in a document. Adding a system later does
// not change the order of the others.
func (o CardOrder) Systems(ids []string) {
	place := func(id string) [sha256.Size]byte {
		return sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, uint64(o.Seed)), id...))
	}
	slices.SortFunc(ids, func(a, b string) int {
		x, y := place(a), place(b)
		return bytes.Compare(x[:], y[:])
	})
}

// Shuffle returns the order of n cards for a seed: the card at index i shows the
// translation with index Shuffle(seed, n)[i]. The same seed always gives the same order.
func Shuffle(seed int64, n int) []int {
	r := rand.New(rand.NewPCG(uint64(seed), 0x616e6e6f74617465))
	return r.Perm(n)
}

// A Candidate is a segment that an annotator could be given: the first segment of its
// document that has a free place and that the annotator has not had. In a document that
// the annotator has begun it is the next such segment.
type Candidate struct {
	SegmentID string
	Begun     bool // the annotator has worked on this document already
	Coverage  int  // places of the segment that are taken
	Met       int  // segments that this annotator shares with the segment's annotators, summed over them
	Position  int  // in the order of import
}

// Pick chooses the segment that an annotator gets next; false if there is no candidate. Its callers in package work read from the
// database only the candidates with the smallest Coverage.
// Documents that the annotator has begun come first, in the order of import. Otherwise
// the segment with the smallest Coverage comes first, then the smallest Met, so that all
// pairs of annotators share about as many segments, then the order of import.
func Pick(candidates []Candidate) (Candidate, bool) {
	if len(candidates) == 0 {
		return Candidate{}, false
	}
	return slices.MinFunc(candidates, func(a, b Candidate) int {
		if a.Begun != b.Begun {
			if a.Begun {
				return -1
			}
			return 1
		}
		if a.Begun {
			return cmp.Compare(a.Position, b.Position)
		}
		return cmp.Or(cmp.Compare(a.Coverage, b.Coverage), cmp.Compare(a.Met, b.Met), cmp.Compare(a.Position, b.Position))
	}), true
}
