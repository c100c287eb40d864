// Package agreement computes how far annotators agree. It knows neither campaigns nor
// files. Package campaign decides what follows from a verdict.
//
// Start at [Rule], the gate that two annotators' scores of one segment pass or
// fail. Over a whole campaign, [Matrices] compares every two annotators, [Alpha] all
// of them at once, [Kappa] two of them, [LeaveOneOut] and [MeanDifference] one with the
// others, and [Spans] the errors that two marked. What is undefined is NaN.
package agreement

import (
	"math"

	"annotate/internal/stat"
)

// A Reason says why a pair of annotators passed or failed the gate.
type Reason string

// The reasons of a [Verdict].
const (
	Agreed          Reason = "agreed"            // r reached the threshold
	BelowThreshold  Reason = "below_threshold"   // r did not
	NoVarianceClose Reason = "no_variance_close" // r undefined, one vector is constant, mean difference within tolerance
	NoVarianceFar   Reason = "no_variance_far"
	TooFewClose     Reason = "too_few_close" // r undefined, under 3 shared translations, mean difference within tolerance
	TooFewFar       Reason = "too_few_far"
)

// A Rule is the gate.
type Rule struct {
	Threshold float64 // least Pearson r
	Tolerance float64 // largest mean absolute difference where r is undefined
}

// A Verdict is what a [Rule] says of two annotators' scores.
type Verdict struct {
	R           float64 // Pearson's r; NaN where undefined
	MeanAbsDiff float64 // mean |x - y|
	Shared      int     // number of translations both scored
	Reason      Reason
	Passed      bool
}

// slack keeps rounding in the last digits from failing a pair that stands
// exactly on the threshold or the tolerance.
const slack = 1e-12

// minShared is the least number of shared translations for which r is taken
// seriously; two points always lie on a line.
const minShared = 3

// Judge applies the rule to the scores that two annotators gave to the same
// translations, x[i] and y[i] to the same one ("Beyond Literal Mapping",
// section 3.4). Where r is undefined (a constant vector, or fewer than 3
// translations) the pair passes if the mean absolute difference is within the
// tolerance. It panics if the lengths differ or are 0.
func (rule Rule) Judge(x, y []float64) Verdict {
	if len(x) != len(y) {
		panic("agreement: slice length mismatch")
	}
	if len(x) == 0 {
		panic("agreement: no shared translation")
	}
	v := Verdict{R: math.NaN(), Shared: len(x)}
	for i := range x {
		v.MeanAbsDiff += math.Abs(x[i] - y[i])
	}
	v.MeanAbsDiff /= float64(len(x))
	if len(x) >= minShared && !stat.Constant(x) && !stat.Constant(y) {
		v.R = stat.Pearson(x, y)
	}
	return rule.Rejudge(v)
}

// Rejudge applies the rule to a pair whose R, MeanAbsDiff and Shared are known: what
// another rule made of it is replaced.
func (rule Rule) Rejudge(v Verdict) Verdict {
	near := v.MeanAbsDiff <= rule.Tolerance+slack
	switch {
	case v.Shared < minShared:
		v.Passed, v.Reason = near, pick(near, TooFewClose, TooFewFar)
	case math.IsNaN(v.R):
		v.Passed, v.Reason = near, pick(near, NoVarianceClose, NoVarianceFar)
	default:
		v.Passed = v.R >= rule.Threshold-slack
		v.Reason = pick(v.Passed, Agreed, BelowThreshold)
	}
	return v
}

func pick(ok bool, yes, no Reason) Reason {
	if ok {
		return yes
	}
	return no
}
