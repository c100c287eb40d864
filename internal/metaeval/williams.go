package metaeval

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"annotate/internal/stat"
)

// Williams is the one-sided p-value of Williams' test for two dependent
// correlations (Williams 1959, "The Comparison of Regression Variables"; Graham
// and Baldwin 2014, "Testing for Significance of Increased Correlation with
// Human Judgment"): r12 of the human score with one metric, r13 with another,
// r23 of the metrics with each other, all Pearson's over the same n systems.
//
//	t = (r12 − r13) √((n−1)(1+r23)) / √(2K(n−1)/(n−3) + ((r12+r13)/2)² (1−r23)³)
//	K = 1 − r12² − r13² − r23² + 2·r12·r13·r23
//
// with n−3 degrees of freedom. The side is that of the larger correlation. It
// is NaN below 4 systems, where a correlation is undefined, and for two metrics
// that are the same up to scale.
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
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: m - 3}.Survival(t)
}

// williams tests for each two metrics whether the one with the higher Pearson's r of
// systems correlates better.
func (b board) williams() Test {
	r := map[string]float64{}
	systems := map[string][]float64{}
	out := Test{Statistic: "system pearson (Williams)", Clusters: map[string]int{}}
	for _, m := range b.metrics {
		r[m.name], systems[m.name] = stat.Pearson(b.human.system, m.system), m.system
		if stat.Defined(r[m.name]) {
			out.Metrics = append(out.Metrics, m.name)
		}
	}
	slices.SortStableFunc(out.Metrics, func(x, y string) int { return cmp.Or(cmp.Compare(r[y], r[x]), cmp.Compare(x, y)) })
	for i, x := range out.Metrics {
		out.P = append(out.P, slices.Repeat([]float64{missing}, len(out.Metrics)))
		for j := i + 1; j < len(out.Metrics); j++ {
			y := out.Metrics[j]
			out.P[i][j] = Williams(r[x], r[y], stat.Pearson(systems[x], systems[y]), len(b.systems))
		}
	}
	for i, cluster := range MetricClusters(out.P) {
		out.Clusters[out.Metrics[i]] = cluster
	}
	return out
}
