package metaeval

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"annotate/internal/stat"
)

// Williams is the one-sided p-value of Williams' test for two dependent
// correlations (Williams 1959, "The Comparison of Regression Variables"; Graham
// and Baldwin 2014, "Testing for Significance of Increased Correlation with
// Human Judgment"). r12 is Pearson's r of the human score and the first metric, r13
// that of the human score and the second metric, and r23 that of the two metrics,
// all over the same n systems.
//
//	t = (r12 − r13) √((n−1)(1+r23)) / √(2K(n−1)/(n−3) + ((r12+r13)/2)² (1−r23)³)
//	K = 1 − r12² − r13² − r23² + 2·r12·r13·r23
//
// with n−3 degrees of freedom. The alternative hypothesis is that the larger of r12
// and r13 is truly larger. The p-value is NaN for n < 4, if a correlation is NaN, and
// for two metrics that differ only by a linear transformation.
func Williams(r12, r13, r23 float64, n int) float64 {
	if n < 4 || !stat.Defined(r12, r13, r23) {
		return missing
	}
	m := float64(n)
	k := 1 - r12*r12 - r13*r13 - r23*r23 + 2*r12*r13*r23
	r := (r12 + r13) / 2
	den := 2*k*(m-1)/(m-3) + r*r*math.Pow(1-r23, 3)
	if den <= 0 {
		return missing
	}
	t := math.Abs(r12-r13) * math.Sqrt((m-1)*(1+r23)) / math.Sqrt(den)
	return upperTail(t, m-3)
}

// upperTail is the probability that a variable with Student's t distribution exceeds t ≥ 0
// (Abramowitz and Stegun 1964, "Handbook of Mathematical Functions", 26.7.1):
//
//	I(ν/(ν+t²); ν/2, 1/2) / 2
//
// where ν is the number of degrees of freedom and I the regularised incomplete beta function.
func upperTail(t, degrees float64) float64 {
	return 0.5 * mathext.RegIncBeta(degrees/2, 0.5, degrees/(t*t+degrees))
}

// williams tests for each pair of metrics whether the one with the higher system-level
// Pearson's r correlates significantly better.
func (sub subset) williams() Test {
	r := map[string]float64{}
	systems := map[string][]float64{}
	out := Test{Statistic: "system pearson (Williams)", Clusters: map[string]int{}}
	for _, m := range sub.metrics {
		r[m.name], systems[m.name] = stat.Pearson(sub.human.system, m.system), m.system
		if stat.Defined(r[m.name]) {
			out.Metrics = append(out.Metrics, m.name)
		}
	}
	slices.SortStableFunc(out.Metrics, func(x, y string) int { return cmp.Or(cmp.Compare(r[y], r[x]), cmp.Compare(x, y)) })
	for i, x := range out.Metrics {
		out.P = append(out.P, slices.Repeat([]float64{missing}, len(out.Metrics)))
		for j := i + 1; j < len(out.Metrics); j++ {
			y := out.Metrics[j]
			out.P[i][j] = Williams(r[x], r[y], stat.Pearson(systems[x], systems[y]), len(sub.systems))
		}
	}
	for i, cluster := range MetricClusters(out.P) {
		out.Clusters[out.Metrics[i]] = cluster
	}
	return out
}
