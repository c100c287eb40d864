package metaeval

import (
	"context"

	"annotate/internal/stat"
)

// A LengthGroup is a group of segments by the length of the source in tokens.
type LengthGroup struct {
	Name     string // "short", "medium" or "long"
	From, To int    // the shortest and the longest source; To is 0 where there is no longest
}

// LengthGroups are the groups of "HiMATE" (section 5.3 and Table 3), which sets the
// thresholds 12 and 27 between them. Here a source of 12 tokens is short, and one of
// 27 is medium: the paper does not say on which side they lie, nor what a token is.
var LengthGroups = []LengthGroup{{"short", 0, 12}, {"medium", 13, 27}, {"long", 28, 0}}

// LengthGroupOf gives the place in [LengthGroups] of a source with so many tokens.
func LengthGroupOf(tokens int) int {
	for i, g := range LengthGroups {
		if g.To == 0 || tokens <= g.To {
			return i
		}
	}
	panic("metaeval: no length group without a longest source")
}

// LengthStats are the statistics of a metric in a length group, pooled over its
// translations; "HiMATE" has the same in Table 3.
type LengthStats struct{ Kendall, Spearman float64 }

// byLength lists the segments of each of the [LengthGroups].
func byLength(lengths []int) [][]int {
	out := make([][]int, len(LengthGroups))
	for segment, tokens := range lengths {
		g := LengthGroupOf(tokens)
		out[g] = append(out[g], segment)
	}
	return out
}

// lengthStatistics fills in the statistics by length group. Where lengths are not
// known there are none.
func (b board) lengthStatistics(_ context.Context, m scorer, r *Result, _ *portion) error {
	for _, segments := range b.lengths {
		s := LengthStats{missing, missing}
		if b.bySegment(m) {
			h, v := pool(columns(b.human.segment, segments), columns(m.segment, segments))
			s = LengthStats{stat.TauB(h, v), stat.Spearman(h, v)}
		}
		r.Lengths = append(r.Lengths, s)
	}
	return nil
}
