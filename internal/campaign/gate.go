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

// A Decision is what the gate makes of a round of a segment, with what it was formed
// from.
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
	Superseded bool      // it does not hold any more
}

// judge applies the gate to the ratings of a round: every two annotators who share a
// translation are a pair. The decision has no round and no status yet.
func (s Settings) judge(given []Vector) Decision {
	rule := s.Rule()
	given = sortVectors(given)
	var pairs []Pair
	for i, a := range given {
		for _, b := range given[i+1:] {
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
	return s.decision(len(given), pairs)
}

// rejudge is judge for the ratings that a decision was formed from. Its pairs must
// have their MeanAbsDiff.
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

func (s Settings) decision(annotators int, pairs []Pair) Decision {
	passed := !slices.ContainsFunc(pairs, func(p Pair) bool { return !p.Passed })
	return Decision{Passed: passed, Pairs: pairs, Annotators: annotators, Gate: s.Gate, Threshold: s.Threshold, Tolerance: s.Tolerance}
}

// Rule is the gate as it is set.
func (s Settings) Rule() agreement.Rule {
	return agreement.Rule{Threshold: s.Threshold, Tolerance: s.Tolerance}
}

// verdict is the status that a judged round leads to by itself; last says that no
// ordinary round comes after it. A round without a pair is not judged.
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
