package metaeval

import (
	"math"

	"annotate/internal/stat"
)

// SegmentsNeeded estimates how many segments a test of paired differences needs to tell two systems apart,
// given the observed difference and spread (Cohen 1988, "Statistical Power Analysis for the Behavioral
// Sciences", chapter 2; Card et al. 2020, "With Little Power Comes Great Responsibility"):
//
//	N · ((z(1 − α/2) + z(power)) · SE / |δ|)²
//
// where δ is the mean difference over the N segments that both systems have scores in, SE its standard
// error and z the quantile of the normal distribution. units list segments that are drawn together, such as
// those of a document; SE is that of a ratio of sums over units (Cochran 1977, "Sampling Techniques",
// section 6.5). alpha is the level of the two-sided test and power the share of tests that find the
// difference; both are in (0, 1), usually 0.05 and 0.8.
//
// The result is at least 1 and not a whole number. It is +Inf if the means are equal, and NaN if fewer than
// two units have segments with both scores. It holds only for the observed difference.
func SegmentsNeeded(a, b []float64, units [][]int, alpha, power float64) float64 {
	var sums, sizes []float64
	var total, segments stat.Sum
	for _, unit := range units {
		var sum stat.Sum
		size := 0.0
		for _, k := range unit {
			if stat.Defined(a[k], b[k]) {
				sum.Add(a[k] - b[k])
				size++
			}
		}
		if size > 0 {
			sums, sizes = append(sums, sum.Value()), append(sizes, size)
			total.Add(sum.Value())
			segments.Add(size)
		}
	}
	if len(sums) < 2 {
		return missing
	}
	mean := total.Value() / segments.Value()
	if mean == 0 {
		return math.Inf(1)
	}
	var squares stat.Sum
	for u, sum := range sums {
		rest := sum - mean*sizes[u]
		squares.Add(rest * rest)
	}
	n := float64(len(sums))
	deviation := math.Sqrt(squares.Value() * n / (n - 1))
	z := (normalQuantile(1-alpha/2) + normalQuantile(power)) * deviation / math.Abs(total.Value())
	return max(1, segments.Value()*z*z)
}

// normalQuantile is the inverse of the distribution function of the normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
