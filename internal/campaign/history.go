package campaign

import "slices"

// ErrSetAside: a lead has set the annotator's work aside. It is an [ErrDecided],
// since nothing they do counts.
var ErrSetAside error = setAsideError{}

type setAsideError struct{}

func (setAsideError) Error() string {
	return "the lead has set your work in this campaign aside; what you saved is kept, ask them before you go on"
}

func (setAsideError) Is(target error) bool { return target == ErrDecided }

// A History is what has happened to a segment, as far as its state follows from
// it.
type History struct {
	Rounds   []RoundHistory // the first round is Rounds[0]; up to the last that anybody was given
	Ruling   Status         // what a lead decided: Adjudicated, Discarded or Withdrawn; empty: nothing
	Reopened int            // a lead asked for looks up to this round, beyond the setting; 0: did not
	Status   Status         // as it stands
	Round    int
}

// A RoundHistory is what has happened in one round. Annotators whose work is set
// aside do not appear in it.
type RoundHistory struct {
	Vectors []Vector // of those who submitted
	// Late are of those who submitted once the round was decided without them. They
	// are judged only where the others are too few to decide it.
	Late []Vector
	// Open counts those who are still at it. In the first round that is who has the
	// segment open or has reported a problem; a later one also waits for who has
	// left it, unless they were replaced.
	Open  int
	Begun bool // somebody saved, reported or submitted something
	// DecidedWith is the least number of annotators that a decision of this round was
	// formed from; 0: it was never decided.
	DecidedWith int
	// Judged is a decision that was formed from just the Vectors, whose scores may
	// then be left out: its pairs are judged by the rule as it is now. Nil: there is
	// none, or it was not looked for.
	Judged *Decision
}

// An Outcome is the state of a segment that follows from its [History].
type Outcome struct {
	Status    Status
	Round     int        // under way, or else the last decided
	Decisions []Decision // of the complete rounds that were gone through, by round
	// Start: round Round is to be given to those who submitted the one before and
	// not this one, since nobody else is at it.
	Start bool
}

// Reform forms the state of a segment from what has happened to it, beginning
// with the first round. What a lead ruled stays. Else rounds are gone through
// while they are complete: one that passes ends the way, unless the next is begun,
// which then goes on, or a lead asked for it; one that fails leads to the next, be
// it begun or allowed by Rounds and Reopened, or to discarding.
//
// The first round is complete if nobody is at it and Redundancy annotators
// submitted it, or as many as it was decided with before: raising Redundancy opens
// nothing that was decided. A later one is complete if nobody is at it; where only
// one is left of several that it was decided with, those of the round before who
// have not given this one are asked first.
//
// Who submitted late changes no decision, so that forming it anew gives the same:
// the round is judged without them, unless the others do not complete it.
//
// A round beyond the one at which the way ends stays as it is, dormant: nobody is
// to work on it, and it goes on where it was once the way leads there again.
func (s Settings) Reform(h History) Outcome { return s.ReformFrom(h, 1) }

// ReformFrom is [Settings.Reform] for a segment whose rounds before first stand as
// they were decided.
func (s Settings) ReformFrom(h History, first int) Outcome {
	if h.Ruling != "" {
		return Outcome{Status: h.Ruling, Round: h.Round}
	}
	s.Rounds = max(s.Rounds, h.Reopened)
	var o Outcome
	for n := first; ; n++ {
		o.Round = n
		judged, complete := s.judged(h, n)
		if !complete {
			o.Status = Pending
			if n > 1 {
				o.Status, o.Start = Reannotate, h.round(n).Open == 0
			}
			return o
		}
		var d Decision
		if was := h.round(n).Judged; was != nil {
			d = s.Rejudge(*was)
		} else {
			d = s.Decide(n, judged)
		}
		goesOn := d.Status == Reannotate || h.round(n+1).Begun || n < h.Reopened
		if goesOn {
			d.Status = Reannotate
		}
		o.Decisions = append(o.Decisions, d)
		if o.Status = d.Status; !goesOn {
			return o
		}
	}
}

// CanRejudge reports whether a decision was formed from the ratings of just those
// who submitted, and has all that judging it by another rule takes.
func (d Decision) CanRejudge(submitted []Vector) bool {
	n := len(submitted)
	if d.Annotators != n || len(d.Pairs) != n*(n-1)/2 {
		return false
	}
	in := func(login string) bool {
		return slices.ContainsFunc(submitted, func(v Vector) bool { return v.Annotator == login })
	}
	for _, p := range d.Pairs {
		if p.MeanAbsDiff == nil || !in(p.A) || !in(p.B) {
			return false
		}
	}
	return true
}

// LastComplete is the last round of a segment that can be decided, whatever a lead
// ruled; 0 if there is none.
func (s Settings) LastComplete(h History) int {
	h.Ruling = ""
	if d := s.Reform(h).Decisions; len(d) > 0 {
		return d[len(d)-1].Round
	}
	return 0
}

// round is empty for one that nobody was given.
func (h History) round(n int) RoundHistory {
	if n > len(h.Rounds) {
		return RoundHistory{}
	}
	return h.Rounds[n-1]
}

// judged is what round n is decided from, if it can be.
func (s Settings) judged(h History, n int) ([]Vector, bool) {
	r := h.round(n)
	if len(r.Late) > 0 && !s.complete(h, n, r.Vectors) {
		r.Vectors = slices.Concat(r.Vectors, r.Late)
	}
	return r.Vectors, s.complete(h, n, r.Vectors)
}

// complete reports whether round n can be decided from what some gave.
func (s Settings) complete(h History, n int, given []Vector) bool {
	r := h.round(n)
	if !s.Complete(n, len(given), r.Open, r.DecidedWith) {
		return false
	}
	if n == 1 || len(given) > 1 || r.DecidedWith < 2 {
		return true
	}
	before := h.round(n - 1)
	other := func(v Vector) bool { return v.Annotator != given[0].Annotator }
	return !slices.ContainsFunc(before.Vectors, other) && !slices.ContainsFunc(before.Late, other)
}
