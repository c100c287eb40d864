package stat

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"annotate/internal/parallel"
)

// Resamples is the number of resamples of an interval, unless somebody asks for another number.
const Resamples = 1000

// Resample computes a statistic in each of several bootstrap resamples of n items (Efron
// 1979, "Bootstrap Methods"; Koehn 2004 for translation). It calls statistic with the
// indices of n items drawn with replacement, and returns the values in the order of the
// resamples. statistic may return several statistics at once; these then share the draws.
//
// Calls of statistic run at the same time, and sample is valid only until statistic
// returns. The draws depend on n, the seed and the number of the resample alone. The error
// is that of ctx. Resample panics if n is not positive and there are resamples.
func Resample[T any](ctx context.Context, n, resamples int, seed uint64, statistic func(sample []int) T) ([]T, error) {
	values := make([]T, resamples)
	err := parallel.EachWith(ctx, resamples, func() func(int) {
		sample := make([]int, n)
		return func(i int) {
			fill(seed, i, sample)
			values[i] = statistic(sample)
		}
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// fill fills sample with the indices that a resample draws from as many units.
func fill(seed uint64, resample int, sample []int) {
	random := RandomStream(seed, "bootstrap", uint64(resample))
	for k := range sample {
		sample[k] = random.IntN(len(sample))
	}
}

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

// JackknifeInterval returns a confidence interval of a statistic of n units from its value v over all and its values
// v_i without unit i. The pseudo-values n v - (n - 1) v_i have the sample variance s² (Tukey 1958, "Bias and
// confidence in not-quite large samples"; Miller 1974, "The jackknife - a review"), and the interval is
//
//	v ± t s / √n
//
// where t is the quantile (1 + level) / 2 of Student's distribution with n - 1 degrees of freedom. With few units it
// contains a skewed coefficient, such as alpha or tau-b, more often than percentiles of resamples do. Both bounds are
// NaN for fewer than two units, and if a value is NaN.
func JackknifeInterval(v float64, without []float64, level float64) Interval {
	n := float64(len(without))
	if n < 2 {
		return Interval{Low: math.NaN(), High: math.NaN()}
	}
	half := StudentQuantile((1+level)/2, n-1) * math.Sqrt(n-1) * Deviation(without) // s is (n - 1) √(n / (n - 1)) times the deviation
	if math.IsNaN(v + half) {
		return Interval{Low: math.NaN(), High: math.NaN()}
	}
	return Interval{Low: v - half, High: v + half, Resamples: len(without), Units: len(without)}
}

// SkewedJackknifeInterval is [JackknifeInterval] for a statistic whose pseudo-values have long tails, such as the
// logarithm of a standard deviation. It is about their mean, as Miller has it, which corrects a bias of order 1/n.
// Their sample variance then varies more than that of normal values, so t has as many degrees of freedom as a
// variance of normal values that varies as much (Satterthwaite 1946, "An Approximate Distribution of Estimates of
// Variance Components"):
//
//	2 n / (max(k, 0) + 2 n / (n - 1)), and at least 2
//
// where k is the excess kurtosis of the pseudo-values, as a sample's (G₂ of Joanes and Gill 1998, "Comparing
// measures of sample skewness and kurtosis"). With fewer than four units, or pseudo-values that are equal, there are
// n - 1 degrees of freedom.
func SkewedJackknifeInterval(v float64, without []float64, level float64) Interval {
	n := float64(len(without))
	if n < 2 {
		return Interval{Low: math.NaN(), High: math.NaN()}
	}
	pseudo := make([]float64, len(without))
	for i, x := range without {
		pseudo[i] = n*v - (n-1)*x
	}
	mean, deviation := Mean(pseudo), Deviation(pseudo)
	degrees := n - 1
	if n > 3 && deviation > 0 {
		var fourth Sum
		for _, p := range pseudo {
			d := (p - mean) / deviation
			fourth.Add(d * d * d * d)
		}
		k := (n - 1) / ((n - 2) * (n - 3)) * ((n+1)*(fourth.Value()/n-3) + 6)
		degrees = max(2, 2*n/(max(k, 0)+2*n/(n-1)))
	}
	half := StudentQuantile((1+level)/2, degrees) * deviation / math.Sqrt(n-1)
	if math.IsNaN(mean + half) {
		return Interval{Low: math.NaN(), High: math.NaN()}
	}
	return Interval{Low: mean - half, High: mean + half, Resamples: len(without), Units: len(without)}
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

// RandomStream returns the random stream of a seed, a purpose and a number. Its key is
// a hash of all three, so different purposes have different streams.
func RandomStream(seed uint64, purpose string, number uint64) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	key = binary.LittleEndian.AppendUint64(key, number)
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(key, purpose...))))
}
