package metaeval

import (
	"math"
	"slices"

	"annotate/internal/stat"
)

// rated holds the translations with a human score, system by system, and what statistics of segments need of the human
// scores alone, so that it is computed once for all metrics.
type rated struct {
	human    [][]float64
	groups   [][]int   // the segments of each of the LengthGroups; nil if lengths are unknown
	scores   []float64 // by translation
	segments []int32   // by translation
	order    stat.Ordering
	first    []int32 // by segment: the place of its first translation in items; -1 if it has fewer than two
	items    itemGroups
	length   *stat.Division // of the translations by group; nil if lengths are unknown
}

// newRated takes a matrix with rows of systems and columns of segments.
func newRated(human [][]float64, groups [][]int) *rated {
	h := &rated{human: human, groups: groups}
	sizes := make([]int, width(human))
	h.scores = make([]float64, 0, len(human)*len(sizes))
	h.segments = make([]int32, 0, len(human)*len(sizes))
	for _, row := range human {
		for seg, v := range row {
			if !math.IsNaN(v) {
				h.scores, h.segments = append(h.scores, v), append(h.segments, int32(seg))
				sizes[seg]++
			}
		}
	}
	h.order = stat.NewOrdering(h.scores)
	next := int32(0)
	for _, n := range sizes {
		if n < 2 {
			h.first = append(h.first, -1)
			continue
		}
		h.first = append(h.first, next)
		next += int32(n)
	}
	h.items = newItemGroups(slices.DeleteFunc(sizes, func(n int) bool { return n < 2 }))
	if groups == nil {
		return h
	}
	part, group := make([]int32, len(h.scores)), make([]int32, len(slices.Concat(groups...))) // by translation, by segment
	for k, segments := range groups {
		for _, seg := range segments {
			group[seg] = int32(k)
		}
	}
	for i, seg := range h.segments {
		part[i] = group[seg]
	}
	length := stat.NewDivision(part, len(groups))
	h.length = &length
	return h
}

// with returns the scores of a metric by translation, and the translations that have both scores. These are h itself if
// the metric has a score of each.
func (h *rated) with(metric [][]float64) (both *rated, scores []float64) {
	checkShape(h.human, metric)
	scores = make([]float64, 0, len(h.scores))
	for s, row := range h.human {
		for seg, v := range row {
			if !math.IsNaN(v) {
				scores = append(scores, metric[s][seg])
			}
		}
	}
	if !slices.ContainsFunc(scores, math.IsNaN) {
		return h, scores
	}
	human := make([][]float64, len(h.human))
	for s, row := range h.human {
		human[s] = slices.Clone(row)
		for seg, v := range metric[s] {
			if math.IsNaN(v) {
				human[s][seg] = missing
			}
		}
	}
	return newRated(human, h.groups), slices.DeleteFunc(scores, math.IsNaN)
}

// byItem returns the calibration of the scores of a metric by segment, as [newCalibration] does.
func (h *rated) byItem(scores []float64, order stat.Ordering) *calibration {
	n := len(h.items.end)
	c := &calibration{itemGroups: h.items, human: make([]float64, n), metric: make([]float64, n)}
	next := slices.Clone(h.first)
	for _, i := range order.Places() {
		if at := &next[h.segments[i]]; *at >= 0 {
			c.human[*at], c.metric[*at] = h.scores[i], scores[i]
			*at++
		}
	}
	return c
}

// rankCorrelations returns Spearman's ρ and Kendall's tau-b of human scores with those of a metric.
func rankCorrelations(human, metric stat.Ordering) (spearman, kendall float64) {
	return stat.Pearson(human.Ranks(), metric.Ranks()), stat.CountOrdered(human, metric).TauB()
}
