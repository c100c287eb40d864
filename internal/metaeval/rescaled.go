package metaeval

import (
	"math"

	"annotate/internal/stat"
)

// RescaledErrors gives the mean absolute error and the mean squared error of a metric
// against a human score, both in [0, 1]:
//
//	MAE = Σ|m′−h′| / n    MSE = Σ(m′−h′)² / n    x′ = (x − min x) / (max x − min x)
//
// over the n places where neither score is missing; the minimum and the maximum of each
// are taken over the same places. Without a rescaling the errors of metrics of different
// scales can't be compared. "HiMATE" (section 4.1 and Table 1) gives both errors but
// does not say how it rescales, so that its values are no reference for these.
//
// Both are NaN without such a place, where a score is constant there, which has no
// range to rescale, and where a score is infinite. It panics if the lengths differ.
func RescaledErrors(human, metric []float64) (mae, mse float64) {
	human, metric = stat.Complete(human, metric)
	h, ok := newRange(human)
	m, also := newRange(metric)
	if !ok || !also {
		return missing, missing
	}
	var absolute, squared stat.Sum
	for i := range human {
		d := m.rescale(metric[i]) - h.rescale(human[i])
		absolute.Add(math.Abs(d))
		squared.Add(d * d)
	}
	n := float64(len(human))
	return absolute.Value() / n, squared.Value() / n
}

// A scoreRange is what a score is rescaled by.
type scoreRange struct{ low, width float64 }

// newRange is false where the scores have no finite width above 0.
func newRange(x []float64) (r scoreRange, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	r = scoreRange{low, high - low}
	return r, r.width > 0 && !math.IsInf(r.width, 0)
}

func (r scoreRange) rescale(v float64) float64 { return (v - r.low) / r.width }
