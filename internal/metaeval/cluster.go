package metaeval

// MetricClusters assigns metrics to clusters, numbered from 1, as mt-metrics-eval
// assigns ranks (AssignRanks in data.py). The metrics are in order, best first. For i <
// j, p[i][j] is the p-value of the hypothesis that metric i is no better than metric j.
// A metric starts a new cluster if any metric of the current cluster is significantly
// better than it (p ≤ 0.05).
func MetricClusters(p [][]float64) []int {
	out := make([]int, len(p))
	cluster, first := 1, 0
	for j := range p {
		for i := first; i < j; i++ {
			if p[i][j] <= significant {
				cluster++
				first = j
				break
			}
		}
		out[j] = cluster
	}
	return out
}
