package agreement

import (
	"math"

	"annotate/internal/stat"
)

// An annotator is set against the others by what each rating stands beside: own[i]
// is what they gave to a translation, others[i] the mean of what the others gave to
// the same one. Translations that nobody else rated are left out.

// LeaveOneOut is Pearson's r of an annotator's scores and the means of the others',
// in [-1, 1]; NaN below 3 translations and where either is constant. It panics if
// the lengths differ.
func LeaveOneOut(own, others []float64) float64 {
	if len(own) < minShared && len(own) == len(others) {
		return math.NaN()
	}
	return Pearson(own, others)
}

// MeanDifference is the mean of own − others: by how many points an annotator is
// milder than the others on the same translations (below 0: stricter). It is NaN
// without translations, and panics if the lengths differ.
func MeanDifference(own, others []float64) float64 {
	if len(own) != len(others) {
		panic("agreement: slice length mismatch")
	}
	if len(own) == 0 {
		return math.NaN()
	}
	var total stat.Sum
	for i := range own {
		total.Add(own[i] - others[i])
	}
	return total.Value() / float64(len(own))
}

// DriftRatings is how many of an annotator's last ratings [Drift] looks at.
const DriftRatings = 50

// A Shift is where an annotator has moved to of late.
type Shift struct {
	Mean    float64 // mean difference to the others; NaN without ratings
	Ratings int     // that it was formed from
	Drifts  bool
}

// Drift is the [MeanDifference] of the last ratings, own and others being in the
// order of time, oldest first. The annotator drifts if it lies, up or down, above
// half the standard deviation of all scores of the campaign; where that is 0 or
// NaN, nobody does. It panics if the lengths differ.
func Drift(own, others []float64, last int, deviation float64) Shift {
	if len(own) != len(others) {
		panic("agreement: slice length mismatch")
	}
	from := max(0, len(own)-last)
	s := Shift{MeanDifference(own[from:], others[from:]), len(own) - from, false}
	s.Drifts = deviation > 0 && math.Abs(s.Mean) > deviation/2+slack
	return s
}

// Deviation is the population standard deviation: √(Σ(x − x̄)² / n). It is NaN
// without values, and exactly 0 if all are equal.
func Deviation(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	if constant(x) {
		return 0
	}
	var total, squares stat.Sum
	for _, v := range x {
		total.Add(v)
	}
	mean := total.Value() / float64(len(x))
	for _, v := range x {
		squares.Add((v - mean) * (v - mean))
	}
	return math.Sqrt(squares.Value() / float64(len(x)))
}
