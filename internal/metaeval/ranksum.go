package metaeval

import (
	"cmp"
	"math"
	"slices"

	"annotate/internal/stat"
)

// RankSum is Wilcoxon's rank-sum test of two samples (Wilcoxon 1945,
// "Individual Comparisons by Ranking Methods"): z is the normal approximation of
// the rank sum of a, without continuity correction and without a correction of
// the variance for ties, p two-sided (scipy.stats.ranksums). Missing scores are
// left out; without a score on one side both are NaN. z is positive where a is
// higher.
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

func present(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}

// A RankedSystem is a system with its place by human scores.
type RankedSystem struct {
	System  int // row in the matrix
	Mean    float64
	Cluster int // from 1
}

// SystemClusters ranks systems by the mean of their segment scores, highest
// first, and draws a line after place k when every system down to k differs
// from every one below: two-sided [RankSum], p < 0.05 ("RATE", Table 4; the
// clusters of the WMT general tasks). Between lines are clusters. Systems
// without a score are left out.
func SystemClusters(scores [][]float64) []RankedSystem {
	var out []RankedSystem
	for s, row := range scores {
		if m := stat.Mean(row); stat.Defined(m) {
			out = append(out, RankedSystem{System: s, Mean: m})
		}
	}
	slices.SortStableFunc(out, func(a, b RankedSystem) int { return cmp.Compare(b.Mean, a.Mean) })
	// reach is the lowest place that some system so far does not differ from.
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

// significant is the level below which a difference counts.
const significant = 0.05
