package agreement

import (
	"math"

	"annotate/internal/stat"
)

// In the functions of this file, own[i] is an annotator's score of a translation, and
// others[i] is the mean score of the other annotators for the same translation.
// Translations that nobody else rated are left out.

// LeaveOneOut is Pearson's r of an annotator's scores and the mean scores of the
// others, in [-1, 1]. It is NaN below 3 translations, and if own or others is
// constant. It panics if the lengths differ.
func LeaveOneOut(own, others []float64) float64 {
	if len(own) < minShared && len(own) == len(others) {
		return math.NaN()
	}
	return stat.Pearson(own, others)
}

// MeanDifference is the mean of own − others, in points. It is above 0 for an
// annotator who gives higher scores than the others to the same translations. It is
// NaN without translations, and panics if the lengths differ.
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
