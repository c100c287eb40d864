package campaign

import (
	"cmp"
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
	Released  AssignmentState = "released" // left idle; its place is free, its drafts are kept, and it may be taken up again
	Reported  AssignmentState = "problem"  // set aside for the lead with a report

	// The states of an adjudication, which is no annotation and counts in no round.
	Adjudicating   AssignmentState = "adjudicating"
	HasAdjudicated AssignmentState = "adjudicated"
)

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
	Seed        int64 // of the order of the cards
	StartedAt   time.Time
	SubmittedAt time.Time // zero until submitted
}

// Shuffle is the order of n cards for a seed: the card at place i shows
// translation Shuffle(seed, n)[i]. The same seed always gives the same order.
func Shuffle(seed int64, n int) []int {
	r := rand.New(rand.NewPCG(uint64(seed), 0x616e6e6f74617465))
	return r.Perm(n)
}

// A Candidate is a segment that an annotator could be given: the first one in
// its document, or the next one in a begun document, that still has a free place
// and that they have not had.
type Candidate struct {
	SegmentID string
	Begun     bool // the annotator has worked on this document already
	Coverage  int  // places of the segment that are taken
	Met       int  // how often its annotators have shared a segment with this one
	Position  int  // in the order of import
}

// Pick chooses what an annotator gets next; false if there is no candidate.
// A document once begun is read on to its end. Otherwise the least covered
// segment comes first; among equally covered ones the one whose annotators
// have met this one least, so that the pairs of the heatmap fill evenly; then
// the order of import.
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
