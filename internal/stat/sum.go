package stat

import "math"

// A Sum adds numbers with the rounding error of each addition carried along, so
// that the mean of a million scores is right to the last digits (Neumaier 1974,
// "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen"). The
// zero Sum is empty. Numbers in another order may give another last bit.
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

// Value is the sum of what was added; 0 of nothing. It is infinite or NaN as plain
// addition would have it.
func (s *Sum) Value() float64 {
	if math.IsInf(s.sum, 0) || math.IsNaN(s.sum) {
		return s.sum // the error of an infinite sum is not a number
	}
	return s.sum + s.lost
}
