package metaeval

import (
	"cmp"
	"math"
	"slices"

	"annotate/internal/stat"
)

// RankSum is Wilcoxon's rank-sum test of two samples (Wilcoxon 1945, "Individual
// Comparisons by Ranking Methods"; scipy.stats.ranksums). z is the normal approximation
// of the rank sum of a, without continuity correction and without tie correction of the
// variance. It is positive if a is higher. p is two-sided. Missing scores are left out.
// Both are NaN if a sample has no score.
//
//	z = (Wa − na(na+nb+1)/2) / √(na·nb(na+nb+1)/12)
func RankSum(a, b []float64) (z, p float64) {
	a, b = present(a), present(b)
	if len(a) == 0 || len(b) == 0 {
		return missing, missing
	}
	na, nb := float64(len(a)), float64(len(b))
	var w float64
	for _, r := range stat.Ranks(slices.Concat(a, b))[:len(a)] {
		w += r
	}
	z = (w - na*(na+nb+1)/2) / math.Sqrt(na*nb*(na+nb+1)/12)
	return z, math.Erfc(math.Abs(z) / math.Sqrt2)
}

// present returns the values that are not NaN.
func present(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}

// A RankedSystem is a system with its mean human score and its cluster.
type RankedSystem struct {
	System  int // the row of the matrix
	Mean    float64
	Cluster int // from 1
}

// SystemClusters sorts systems by the mean of their segment scores, highest first, and
// divides them into clusters. A cluster ends after place k if every system down to
// place k differs from every system below it: two-sided [RankSum], p < 0.05 (Popov et al. 2025,
// Table 4; the clusters of the WMT general tasks). Rows of scores are systems. Systems
// without a score are left out.
func SystemClusters(scores [][]float64) []RankedSystem {
	var out []RankedSystem
	for s, row := range scores {
		if m := stat.Mean(row); stat.Defined(m) {
			out = append(out, RankedSystem{System: s, Mean: m})
		}
	}
	slices.SortStableFunc(out, func(a, b RankedSystem) int { return cmp.Compare(b.Mean, a.Mean) })
	// reach is the lowest place with a system that does not differ from one of the
	// systems so far.
	reach, cluster := 0, 1
	for k := range out {
		if k > reach {
			cluster++
		}
		out[k].Cluster = cluster
		for below := len(out) - 1; below > max(k, reach); below-- {
			if _, p := RankSum(scores[out[k].System], scores[out[below].System]); !(p < significant) {
				reach = below
			}
		}
		reach = max(reach, k)
	}
	return out
}

// significant is the significance level of all tests.
const significant = 0.05
