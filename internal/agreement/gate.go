// Package agreement computes how far annotators agree. It knows neither campaigns nor
// files. Package campaign decides what follows from a verdict.
//
// Start at [Rule], the gate for two annotators' scores of one segment. Over a whole
// campaign, [Matrices] compares each pair of annotators, [Alpha] all annotators at
// once and [Kappa] two annotators. [LeaveOneOut] and [MeanDifference] compare one
// annotator with the others. [Spans] compares the error spans of two annotators.
// Undefined values are NaN.
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
	BelowThreshold  Reason = "below_threshold"   // r is below the threshold
	NoVarianceClose Reason = "no_variance_close" // at least one vector is constant; the mean difference is within the tolerance
	NoVarianceFar   Reason = "no_variance_far"   // at least one vector is constant; the mean difference exceeds the tolerance
	TooFewClose     Reason = "too_few_close"     // fewer than 3 shared translations; the mean difference is within the tolerance
	TooFewFar       Reason = "too_few_far"       // fewer than 3 shared translations; the mean difference exceeds the tolerance
	Different       Reason = "different"         // the values are not numbers, and some of them differ
)

// A Rule is the gate: the conditions under which two annotators agree on a segment.
type Rule struct {
	Threshold float64 // least Pearson r
	Tolerance float64 // largest mean absolute difference where r is undefined
	// Nominal says that the values stand for answers that are equal or not. A pair passes if all its
	// answers are equal, whatever the threshold and the tolerance.
	Nominal bool
}

// A Verdict is the result of a [Rule] for two annotators' scores of a segment.
type Verdict struct {
	R           float64 // Pearson's r; NaN where undefined
	MeanAbsDiff float64 // mean |x - y|; of nominal values the share that differs
	Shared      int     // number of translations both scored
	Reason      Reason
	Passed      bool
}

// slack is added to the threshold and the tolerance, so that a rounding error does not
// fail a pair that is exactly on them.
const slack = 1e-12

// minShared is the least number of shared translations for which r is used. Two points
// always lie on a line.
const minShared = 3

// Judge applies the rule to the scores that two annotators gave to the same
// translations, x[i] and y[i] to the same one (Tian et al. 2026,
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
		switch {
		case !rule.Nominal:
			v.MeanAbsDiff += math.Abs(x[i] - y[i])
		case x[i] != y[i]:
			v.MeanAbsDiff++
		}
	}
	v.MeanAbsDiff /= float64(len(x))
	if rule.Nominal {
		return rule.Rejudge(v)
	}
	if len(x) >= minShared && !stat.Constant(x) && !stat.Constant(y) {
		v.R = stat.Pearson(x, y)
	}
	return rule.Rejudge(v)
}

// Rejudge applies the rule to a pair whose R, MeanAbsDiff and Shared are known. It
// replaces Reason and Passed.
func (rule Rule) Rejudge(v Verdict) Verdict {
	near := v.MeanAbsDiff <= rule.Tolerance+slack
	switch {
	case rule.Nominal:
		v.Passed = v.MeanAbsDiff == 0
		v.Reason = pick(v.Passed, Agreed, Different)
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
