package agreement

import (
	"math"

	"annotate/internal/stat"
)

// TauB is Kendall's tau-b of two annotators' scores of the same translations, in
// [-1, 1] (Kendall 1945, "The Treatment of Ties in Ranking Problems"). It is NaN
// where either's scores are all equal, and below two translations. It panics if
// the lengths differ.
func TauB(x, y []float64) float64 { return stat.TauB(x, y) }

// Weights say how much a disagreement by d steps of a scale counts in [Kappa].
type Weights int

// The weights of a scale with k steps between its ends.
const (
	Unweighted Weights = iota // 1
	Linear                    // d/k
	Quadratic                 // (d/k)²
)

// Kappa is Cohen's kappa, weighted (Cohen 1968, "Weighted Kappa: Nominal Scale
// Agreement with Provision for Scaled Disagreement or Partial Credit"):
//
//	κ = 1 − Σ w(i, j)·o(i, j) / Σ w(i, j)·e(i, j)
//
// over the values i and j of the whole scale from low to high, also those that
// nobody gave: o is how often one annotator gave i where the other gave j, e how
// often that would be by chance, from what each gave in all. Tools that number only
// the values that occur give another figure where values are left out unevenly.
//
// Kappa is 1 for perfect agreement and 0 for that of chance. It is NaN without
// scores, where both gave one and the same value throughout, and where a score is
// no whole number from low to high. It panics if the lengths differ or the scale
// is empty.
func Kappa(x, y []float64, low, high int, weights Weights) float64 {
	if len(x) != len(y) {
		panic("agreement: slice length mismatch")
	}
	if high < low {
		panic("agreement: empty scale")
	}
	size := high - low + 1
	both, xs, ys := make([]float64, size*size), make([]float64, size), make([]float64, size)
	for i := range x {
		a, b := x[i]-float64(low), y[i]-float64(low)
		if !onScale(a, size) || !onScale(b, size) {
			return math.NaN()
		}
		both[int(a)*size+int(b)]++
		xs[int(a)]++
		ys[int(b)]++
	}
	var observed, expected float64
	for i := range size {
		for j := range size {
			w := weights.of(i, j, size-1)
			observed += w * both[i*size+j]
			expected += w * xs[i] * ys[j]
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - observed*float64(len(x))/expected
}

func onScale(v float64, size int) bool { return v == math.Trunc(v) && v >= 0 && v < float64(size) }

func (w Weights) of(i, j, steps int) float64 {
	d := math.Abs(float64(i - j))
	switch {
	case d == 0:
		return 0
	case w == Linear:
		return d / float64(steps)
	case w == Quadratic:
		return d * d / float64(steps*steps)
	}
	return 1
}
