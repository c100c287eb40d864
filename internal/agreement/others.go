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
	return stat.Pearson(own, others)
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
