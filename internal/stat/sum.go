package stat

import "math"

// A Sum adds numbers and compensates the rounding error of each addition (Neumaier
// 1974, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen"). So
// the mean of a million scores is correct to the last digits. The zero Sum is empty.
// The last bit may depend on the order of the numbers.
type Sum struct{ sum, lost float64 }

// Add adds x.
func (s *Sum) Add(x float64) {
	sum := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		s.lost += (s.sum - sum) + x
	} else {
		s.lost += (x - sum) + s.sum
	}
	s.sum = sum
}

// Value is the sum of the added numbers, 0 if there are none. It is infinite or NaN
// where plain addition is.
func (s *Sum) Value() float64 {
	if math.IsInf(s.sum, 0) || math.IsNaN(s.sum) {
		return s.sum // the error of an infinite sum is not a number
	}
	return s.sum + s.lost
}
