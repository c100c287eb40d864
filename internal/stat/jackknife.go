package stat

import "math"

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
