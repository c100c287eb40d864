package metaeval

import "annotate/internal/stat"

// A LengthGroup is a group of segments by the length of the source in tokens.
type LengthGroup struct {
	Name     string // "short", "medium" or "long"
	From, To int    // the least and the greatest length, both included; To is 0 if there is no greatest
}

// LengthGroups are the groups of Zhang et al. 2025 (section 5.3 and Table 3), which sets the
// thresholds 12 and 27. The paper does not say to which group a length of exactly 12 or
// 27 belongs, nor what a token is. Here 12 tokens are short, and 27 are medium.
var LengthGroups = []LengthGroup{{"short", 0, 12}, {"medium", 13, 27}, {"long", 28, 0}}

// LengthGroupOf returns the index in [LengthGroups] of a source with the given number
// of tokens.
func LengthGroupOf(tokens int) int {
	for i, g := range LengthGroups {
		if g.To == 0 || tokens <= g.To {
			return i
		}
	}
	panic("metaeval: the last length group has an upper limit")
}

// LengthStats are the statistics of a metric in a length group. All translations of the
// group are compared with each other (Zhang et al. 2025, Table 3).
type LengthStats struct {
	Kendall, Spearman float64
	// KendallInterval and SpearmanInterval are as [Result.Intervals]. They draw the documents with segments of the group.
	KendallInterval, SpearmanInterval stat.Interval
}

// byLength lists the segments of each of the [LengthGroups].
func byLength(lengths []int) [][]int {
	out := make([][]int, len(LengthGroups))
	for segment, tokens := range lengths {
		g := LengthGroupOf(tokens)
		out[g] = append(out[g], segment)
	}
	return out
}

// byLength returns the statistics of each length group, and none if lengths are unknown.
func (h *rated) byLength(order stat.Ordering) (out []LengthStats) {
	if h.length == nil {
		return nil
	}
	human := h.order.Divide(*h.length)
	for k, part := range order.Divide(*h.length) {
		out = append(out, ofLength(human[k], part))
	}
	return out
}

// ofLength returns the statistics of the translations of a length group.
func ofLength(human, metric stat.Ordering) (s LengthStats) {
	s.Spearman, s.Kendall = rankCorrelations(human, metric)
	return s
}
