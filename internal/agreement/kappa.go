package agreement

import "math"

// Kappa is Cohen's kappa with quadratic weights (Cohen 1968, "Weighted Kappa: Nominal
// Scale Agreement with Provision for Scaled Disagreement or Partial Credit"):
//
//	κ = 1 − Σ (i−j)²·o(i, j) / Σ (i−j)²·e(i, j)
//
// The sums are over all values i and j of the scale from low to high. o(i, j) is how
// often one annotator gave i where the other gave j. e(i, j) is the number expected by
// chance, from how often each annotator gave each value. Tools that number only the
// values that occur may give another result if some values do not occur.
//
// Kappa is 1 for perfect agreement and 0 for agreement by chance. It is NaN if there
// are no scores, if both annotators gave the same value throughout, and if a score is
// not a whole number from low to high. It panics if the lengths differ or the scale
// is empty.
//
// The function takes O(n) time for n pairs of scores, whatever the length of the scale.
// Σ (i−j)²·e(i, j) is the sum of (a−b)² over all scores a of one annotator and b of the
// other, divided by n. It is computed as Σa² + Σb² − 2·Σa·Σb/n.
func Kappa(x, y []float64, low, high int) float64 {
	if len(x) != len(y) {
		panic("agreement: slice length mismatch")
	}
	if high < low {
		panic("agreement: empty scale")
	}
	var observed, sumA, sumB, squares float64 // whole numbers, so they are exact up to 2^53
	n := float64(len(x))
	for i := range x {
		if !onScale(x[i], low, high) || !onScale(y[i], low, high) {
			return math.NaN()
		}
		a, b := x[i]-x[0], y[i]-x[0]
		observed += (a - b) * (a - b)
		sumA += a
		sumB += b
		squares += a*a + b*b
	}
	return kappaOf(n, observed, sumA, sumB, squares)
}

// kappaOf is [Kappa] by the sums over n pairs of scores.
func kappaOf(n, observed, sumA, sumB, squares float64) float64 {
	expected := n*squares - 2*sumA*sumB
	if expected == 0 {
		return math.NaN()
	}
	return 1 - observed*n/expected
}

func onScale(v float64, low, high int) bool {
	return v == math.Trunc(v) && v >= float64(low) && v <= float64(high)
}

// NominalKappa is Cohen's kappa without weights (Cohen 1960, "A Coefficient of Agreement for Nominal Scales"):
//
//	κ = (p − e) / (1 − e)
//
// p is the share of equal values x[i] and y[i], and e the share expected by chance, from how often each
// annotator gave each value.
//
// Kappa is 1 for perfect agreement and 0 for agreement by chance. It is NaN if there are no values, and if both
// annotators gave the same value throughout. It panics if the lengths differ.
func NominalKappa(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("agreement: slice length mismatch")
	}
	inX, inY := map[float64]float64{}, map[float64]float64{}
	n, equal, expected := float64(len(x)), 0.0, 0.0
	for i := range x {
		inX[x[i]]++
		inY[y[i]]++
		if x[i] == y[i] {
			equal++
		}
	}
	for value, count := range inX { // whole numbers, so the order does not matter
		expected += count * inY[value]
	}
	return nominalKappaOf(n, equal, expected)
}

// nominalKappaOf is [NominalKappa] by the number of pairs, that of equal pairs, and n times the number expected by chance.
func nominalKappaOf(n, equal, expected float64) float64 {
	if expected == n*n {
		return math.NaN()
	}
	return (equal*n - expected) / (n*n - expected)
}
