package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// An Interval is a confidence interval.
type Interval struct {
	Low, High float64
	Resamples int // the number of resamples in which the statistic is defined, or of units that the jackknife leaves out
	Units     int // the number of units with data that are drawn; 0 if unknown
}

// Shown returns the interval as it is shown at a level in (0, 1). One without width says nothing, since no resample
// differs, and is returned without resamples and bounds. If the value is a share of 0 or 1, the interval ends at the
// largest share of units with anything else that leaves it out of all i.Units with a probability of 1 - level, which
// is the rule of three, about 3/n, for the level 0.95 (Louis 1981, "Confidence Intervals for a Binomial Parameter
// after Observing No Successes").
func (i Interval) Shown(share bool, level float64) Interval {
	const rounding = 1e-12
	if i.Resamples == 0 || i.High-i.Low > rounding*max(1, math.Abs(i.Low)) {
		return i
	}
	other := 1 - math.Pow(1-level, 1/float64(i.Units))
	switch {
	case share && i.Units > 1 && math.Abs(i.Low) < rounding:
		i.Low, i.High = 0, other
	case share && i.Units > 1 && math.Abs(i.High-1) < rounding:
		i.Low, i.High = 1-other, 1
	default:
		return Interval{Low: math.NaN(), High: math.NaN()}
	}
	return i
}

// PercentileInterval returns the interval that contains the middle part of the values of
// a statistic in bootstrap resamples (Efron 1979, "Bootstrap Methods"). level is the
// share of the values in that part, in (0, 1), such as 0.95. Bounds are interpolated, see
// [Quantile]. NaN values are left out. If no others remain, both bounds are NaN.
func PercentileInterval(values []float64, level float64) Interval {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	return Interval{Quantile(values, (1-level)/2), Quantile(values, (1+level)/2), len(values), 0}
}

// ExpandedLevel returns the level at which the percentile interval of a mean over resamples of n units has
// about the coverage level. It is higher than level, since percentiles of few units are too narrow: they
// divide the variance by n instead of n - 1, and use the normal distribution instead of Student's (Hesterberg
// 2015, "What Teachers Should Know About the Bootstrap", section 4.3: the expanded percentile interval):
//
//	1 - 2 Φ(-√(n / (n - 1)) t)
//
// where t is the quantile (1 + level) / 2 of Student's distribution with n - 1 degrees of freedom. level is
// in (0, 1). The result is NaN for fewer than two units.
func ExpandedLevel(level float64, units int) float64 {
	if units < 2 {
		return math.NaN()
	}
	n := float64(units)
	return math.Erf(math.Sqrt(n/(n-1)) * StudentQuantile((1+level)/2, n-1) / math.Sqrt2)
}

// StudentQuantile is the quantile p ≥ 1/2 of Student's t distribution, for a number of degrees of freedom > 0.
func StudentQuantile(p, degrees float64) float64 {
	x := mathext.InvRegIncBeta(degrees/2, 0.5, 2*(1-p))
	return math.Sqrt(degrees * (1 - x) / x)
}
