package campaign

import (
	"math"
	"slices"
	"strings"
	"time"

	"annotate/internal/agreement"
)

// A Vector holds one annotator's gate scores of the translations of a segment.
type Vector struct {
	Annotator string             // login
	Scores    map[string]float64 // by system
}

// A Pair is the gate's verdict on two annotators who both rated at least one
// translation of the segment in the round.
type Pair struct {
	A      string           `json:"a"` // login; A < B in byte order
	B      string           `json:"b"`
	Shared int              `json:"shared"` // translations both rated
	R      *float64         `json:"r"`      // nil where undefined
	Reason agreement.Reason `json:"reason"`
	Passed bool             `json:"passed"`
	// MeanAbsDiff is the mean |a - b| over what both rated, by which the pair is
	// judged where R is undefined; nil in decisions stored before it was kept.
	MeanAbsDiff *float64 `json:"mean_abs_diff,omitempty"`
}

// A Decision is what the gate made of a complete round of a segment, with what it
// was formed from.
type Decision struct {
	Round  int
	Passed bool // every pair passed; also true without any pair
	Status Status
	Pairs  []Pair // by A, then B, in byte order

	Annotators int    // whose ratings it was formed from
	Gate       string // settings as they stood
	Threshold  float64
	Tolerance  float64
	At         time.Time // zero until stored
	Superseded bool      // the round was decided anew later
}

// Complete reports whether a round can be decided: nobody is still at it, and in
// the first at least Redundancy annotators submitted, or as many as it was decided
// with before (0: it was not).
func (s Settings) Complete(round, submitted, open, decidedWith int) bool {
	if open > 0 || submitted == 0 {
		return false
	}
	return round > 1 || submitted >= s.Redundancy || decidedWith > 0 && submitted >= decidedWith
}

// Decide applies the gate to a complete round. A segment without a pair is
// ungated. With the gate off, and with the gate only reported where a pair
// fails, it is ungated too: nothing judged it, and nothing is sent back.
// A failing round leads to re-annotation, the last one to discarding.
func (s Settings) Decide(round int, vectors []Vector) Decision {
	rule := s.Rule()
	vectors = slices.SortedFunc(slices.Values(vectors), func(a, b Vector) int { return strings.Compare(a.Annotator, b.Annotator) })
	var pairs []Pair
	for i, a := range vectors {
		for _, b := range vectors[i+1:] {
			x, y := shared(a, b)
			if len(x) == 0 {
				continue
			}
			v := rule.Judge(x, y)
			p := Pair{A: a.Annotator, B: b.Annotator, Shared: v.Shared, Reason: v.Reason, Passed: v.Passed, MeanAbsDiff: &v.MeanAbsDiff}
			if !math.IsNaN(v.R) {
				p.R = &v.R
			}
			pairs = append(pairs, p)
		}
	}
	return s.conclude(round, len(vectors), pairs)
}

// Rejudge is [Settings.Decide] for the ratings that a decision was formed from. Its
// pairs must have their MeanAbsDiff.
func (s Settings) Rejudge(d Decision) Decision {
	rule := s.Rule()
	pairs := slices.Clone(d.Pairs)
	for i, p := range pairs {
		v := agreement.Verdict{R: math.NaN(), MeanAbsDiff: *p.MeanAbsDiff, Shared: p.Shared}
		if p.R != nil {
			v.R = *p.R
		}
		v = rule.Rejudge(v)
		pairs[i].Reason, pairs[i].Passed = v.Reason, v.Passed
	}
	return s.conclude(d.Round, d.Annotators, pairs)
}

// Rule is the gate as it is set.
func (s Settings) Rule() agreement.Rule {
	return agreement.Rule{Threshold: s.Threshold, Tolerance: s.Tolerance}
}

// conclude says what follows from judged pairs.
func (s Settings) conclude(round, annotators int, pairs []Pair) Decision {
	d := Decision{Round: round, Passed: true, Pairs: pairs, Annotators: annotators, Gate: s.Gate, Threshold: s.Threshold, Tolerance: s.Tolerance}
	for _, p := range pairs {
		d.Passed = d.Passed && p.Passed
	}
	switch {
	case len(d.Pairs) == 0, s.Gate == "off", s.Gate == "report" && !d.Passed:
		d.Status = Ungated
	case d.Passed:
		d.Status = Agreed
	case round < s.Rounds:
		d.Status = Reannotate
	default:
		d.Status = Discarded
	}
	return d
}

// shared lays out the scores of the systems both rated, in byte order of the
// systems' names, so that the result does not depend on the order of a map.
func shared(a, b Vector) (x, y []float64) {
	systems := make([]string, 0, len(a.Scores))
	for system := range a.Scores {
		if _, ok := b.Scores[system]; ok {
			systems = append(systems, system)
		}
	}
	slices.Sort(systems)
	for _, system := range systems {
		x = append(x, a.Scores[system])
		y = append(y, b.Scores[system])
	}
	return x, y
}
