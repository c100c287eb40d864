package agreement

import "math"

// Kappa is Cohen's kappa with quadratic weights (Cohen 1968, "Weighted Kappa: Nominal
// Scale Agreement with Provision for Scaled Disagreement or Partial Credit"):
//
//	κ = 1 − Σ (i−j)²·o(i, j) / Σ (i−j)²·e(i, j)
//
// The sums are over all values i and j of the scale from low to high, including
// values that nobody gave. o(i, j) is how often one annotator gave i where the other
// gave j. e(i, j) is the number expected by chance, from how often each annotator
// gave each value. Tools that number only the values that occur may give another
// result if some values do not occur.
//
// Kappa is 1 for perfect agreement and 0 for agreement by chance. It is NaN if there
// are no scores, if both annotators gave the same value throughout, and if a score is
// not a whole number from low to high. It panics if the lengths differ or the scale
// is empty.
func Kappa(x, y []float64, low, high int) float64 {
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
			w := float64((i - j) * (i - j))
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
