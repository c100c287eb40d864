package metaeval

import (
	"math"

	"annotate/internal/stat"
)

// RescaledErrors returns the mean absolute error and the mean squared error of a
// metric against a human score, after both scores are rescaled to [0, 1]:
//
//	MAE = Σ|m′−h′| / n    MSE = Σ(m′−h′)² / n    x′ = (x − min x) / (max x − min x)
//
// The sums, minima and maxima are over the n indices where neither score is missing.
// Rescaling makes the errors of metrics with different scales comparable. Zhang et al. 2025
// (section 4.1 and Table 1) reports both errors but does not say how it rescales
// scores, so its values cannot be compared with these.
//
// Both errors are NaN if n is 0, if one of the scores is constant, or if a score is
// infinite. RescaledErrors panics if the lengths differ.
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

// A scoreRange is the range of a score, from low to low+width.
type scoreRange struct{ low, width float64 }

// newRange returns the range of the scores. ok is false unless its width is positive
// and finite.
func newRange(x []float64) (r scoreRange, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	r = scoreRange{low, high - low}
	return r, r.width > 0 && !math.IsInf(r.width, 0)
}

func (r scoreRange) rescale(v float64) float64 { return (v - r.low) / r.width }
