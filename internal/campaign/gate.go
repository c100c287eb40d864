package campaign

import (
	"math"
	"slices"
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
	A      string           `json:"a" person:"login"` // login; A < B in byte order
	B      string           `json:"b" person:"login"`
	Shared int              `json:"shared"` // translations both rated
	R      *float64         `json:"r"`      // Pearson's r; nil if undefined
	Reason agreement.Reason `json:"reason"`
	Passed bool             `json:"passed"`
	// MeanAbsDiff is the mean |a - b| over the translations both rated. The pair is
	// judged by it if R is undefined. It is nil in decisions that were stored by
	// versions of the program that did not keep it.
	MeanAbsDiff *float64 `json:"mean_abs_diff,omitempty"`
}

// A Decision is the gate's verdict on a round of a segment, with the data and settings that
// it was formed from.
type Decision struct {
	Round  int
	Passed bool // every pair passed; also true without any pair
	Status Status
	Pairs  []Pair // by A, then B, in byte order

	Annotators int    // number of annotators whose ratings it was formed from
	Gate       string // Gate, Threshold and Tolerance are the settings at that time
	Threshold  float64
	Tolerance  float64
	At         time.Time // zero until stored
	Superseded bool      // a newer decision on the round holds, or the round no longer counts
}

// judge applies the gate to the ratings of a round. Every two annotators who rated the same
// translation are a pair. The caller sets Round and Status of the decision.
func (s Settings) judge(given []Vector) Decision {
	rule := s.Rule()
	given = sortVectors(given)
	if s.NoGate {
		return s.decision(len(given), nil)
	}
	var pairs []Pair
	for i, a := range given {
		for _, b := range given[i+1:] {
			x, y := sharedScores(a, b)
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
	return s.decision(len(given), pairs)
}

// rejudge is judge for the ratings that decision d was formed from. It needs no scores, but
// every pair of d must have its MeanAbsDiff.
func (s Settings) rejudge(d Decision) Decision {
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
	return s.decision(d.Annotators, pairs)
}

// decision makes the decision on a round from its pairs.
func (s Settings) decision(annotators int, pairs []Pair) Decision {
	passed := !slices.ContainsFunc(pairs, func(p Pair) bool { return !p.Passed })
	return Decision{Passed: passed, Pairs: pairs, Annotators: annotators, Gate: s.Gate, Threshold: s.Threshold, Tolerance: s.Tolerance}
}

// Rule is the agreement rule that the settings choose.
func (s Settings) Rule() agreement.Rule {
	return agreement.Rule{Threshold: s.Threshold, Tolerance: s.Tolerance, Nominal: s.Nominal}
}

// verdict is the status that the decision on a round leads to if no lead decides the
// segment. last says that no ordinary round comes after it.
func (s Settings) verdict(d Decision, last bool) Status {
	switch {
	case len(d.Pairs) == 0, s.Gate == "off":
		return Ungated
	case d.Passed:
		return Agreed
	case s.Gate == "report":
		return BelowThreshold
	case last:
		return Discarded
	}
	return Reannotate
}

// sharedScores returns the scores of the systems that both rated, in byte order of the
// systems' names.
func sharedScores(a, b Vector) (x, y []float64) {
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
