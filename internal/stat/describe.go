package stat

import (
	"math"
	"slices"
)

// Mean is the arithmetic mean of the values that are not NaN, with the compensated
// summation of [Sum]. It is NaN without such a value.
func Mean(x []float64) float64 {
	var s Sum
	n := 0
	for _, v := range x {
		if !math.IsNaN(v) {
			s.Add(v)
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return s.Value() / float64(n)
}

// Deviation is the population standard deviation, √(Σ(x − x̄)² / n). It is NaN
// without values and where a value is NaN, and exactly 0 where all values are equal.
func Deviation(x []float64) float64 {
	switch {
	case len(x) == 0:
		return math.NaN()
	case Constant(x):
		return 0 // the mean of equal values may be rounded, and the squares then are not 0
	}
	var total, squares Sum
	for _, v := range x {
		total.Add(v)
	}
	mean := total.Value() / float64(len(x))
	for _, v := range x {
		squares.Add((v - mean) * (v - mean))
	}
	return math.Sqrt(squares.Value() / float64(len(x)))
}

// Quantile is the value below which the share q in [0, 1] of the values lies. It
// interpolates linearly between neighbours (definition 7 of Hyndman and Fan 1996,
// "Sample Quantiles in Statistical Packages"; the default of numpy.quantile). The
// values are sorted, lowest first, without NaN. It is NaN without values.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	k := min(int(at), len(sorted)-1)
	if k+1 == len(sorted) {
		return sorted[k]
	}
	return sorted[k] + (at-float64(k))*(sorted[k+1]-sorted[k])
}

// Median is the middle value, or the mean of the two values in the middle. The values
// may have any order and have no NaN. It is NaN without values.
func Median(x []float64) float64 {
	return Quantile(slices.Sorted(slices.Values(x)), 0.5)
}

// Ratio is a/b. It is NaN where b is 0.
func Ratio(a, b int) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// Constant reports whether all values are equal. It is true without values.
func Constant(x []float64) bool {
	for i := range x {
		if x[i] != x[0] {
			return false
		}
	}
	return true
}

// Defined reports whether no value is NaN.
func Defined(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) {
			return false
		}
	}
	return true
}

// Complete leaves out the indices where x or y is NaN. If there is none, it
// returns x and y themselves. It panics if the lengths differ.
func Complete(x, y []float64) (a, b []float64) {
	if len(x) != len(y) {
		panic("stat: slice length mismatch")
	}
	first := 0
	for first < len(x) && !math.IsNaN(x[first]) && !math.IsNaN(y[first]) {
		first++
	}
	if first == len(x) {
		return x, y
	}
	a = append(make([]float64, 0, len(x)-1), x[:first]...)
	b = append(make([]float64, 0, len(x)-1), y[:first]...)
	for i := first + 1; i < len(x); i++ {
		if Defined(x[i], y[i]) {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	return a, b
}

// Order is the sign of a − b, also where both are infinite: -1, 0 or 1. Sorting by it
// is quicker than by [cmp.Compare], which also gives NaN a place.
func Order(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
