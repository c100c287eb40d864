package metaeval

import (
	"context"
	"iter"
	"math"
	"slices"

	"annotate/internal/stat"
)

// A Best is the best pairwise accuracy with tie calibration, and the threshold
// that gives it. Acc and Epsilon are NaN if there is no pair.
type Best struct {
	Acc     float64
	Epsilon float64
	Groups  int // the number of groups with at least one pair
}

// Calibrate finds the tie threshold ε with the highest pairwise accuracy of a
// metric (Deutsch et al. 2023, "Ties Matter", section 7; KendallWithTiesOpt
// of mt-metrics-eval with variant acc23 and no sampling). Rows of the matrices are
// systems, columns are segments. Pairs are formed within the groups that by
// selects. A pair is right if the human scores are equal and the metric scores
// differ by at most ε, or if the metric scores differ by more than ε and both
// scores order the pair alike. The accuracy is the mean over the groups of the
// share of right pairs. Groups without a pair do not count.
//
// ε is 0 or an observed difference of metric scores. If several thresholds give
// the highest accuracy, the result is the smallest. Accuracies are compared without
// rounding: each right pair adds a whole number ([calibration]), and the sums are compared.
// mt-metrics-eval compares rounded sums, so its ε depends on the order of its input. An
// infinite difference is never a tie.
//
// Memory grows with the number of scores, time with the number of pairs in a group. For
// [Pooled] scores, only the pairs near the best threshold are visited one by one, so
// half a million scores take seconds.
func Calibrate(ctx context.Context, human, metric [][]float64, by Grouping) (Best, error) {
	return calibrateReporting(ctx, human, metric, by, nil)
}

// calibrateReporting is [Calibrate] with a report of its progress.
func calibrateReporting(ctx context.Context, human, metric [][]float64, by Grouping, steps *share) (Best, error) {
	if by != Pooled {
		return newCalibration(groupsOf(human, metric, by)).best(ctx)
	}
	checkShape(human, metric)
	c := newPooled(pool(human, metric))
	c.pass = steps.pass
	return c.best(ctx)
}

// A threshold is an ε and the weight of the pairs that are right at it.
type threshold struct {
	right   int64
	epsilon float64
}

// betterThan reports whether more pairs are right at t than at o, or equally many and t is smaller.
func (t threshold) betterThan(o threshold) bool {
	return t.right > o.right || t.right == o.right && t.epsilon < o.epsilon
}

// offer keeps a threshold if it is the best so far.
func (c *calibration) offer(t threshold) {
	if t.betterThan(c.found) {
		c.found = t
	}
}

// best finds the best threshold.
func (c *calibration) best(ctx context.Context) (Best, error) {
	if c.groups == 0 {
		return Best{Acc: math.NaN(), Epsilon: math.NaN()}, ctx.Err()
	}
	if err := c.run(ctx); err != nil {
		return Best{}, err
	}
	return Best{c.accuracy(), c.found.epsilon, c.groups}, nil
}

// A calibration holds the scored items of all groups, one group after the
// other. Each group is sorted by metric score.
//
// A pair has the weight unit/(number of pairs in its group). So the total weight of
// the right pairs is unit·groups times the accuracy. unit is a common multiple of
// the numbers of pairs, so weights are whole numbers and their sums are compared
// exactly. If such a unit would be too large, weights are rounded to whole numbers,
// and accuracies that differ by less than about 1e-10 may count as equal.
type calibration struct {
	human, metric []float64
	itemGroups
	found threshold // the best so far
	// called before each pass over the pairs with the number of its pieces; returns a function to call after each piece;
	// may be nil
	pass func(pieces int) func()

	pooled bool
	count  []int64 // of pooled scores, by item: the number of equal translations; nil if all are 1
	start  int64   // the weight of the right pairs at ε = 0
}

// itemGroups says which items are in a group. Several calibrations may share it.
type itemGroups struct {
	end    []int32 // by item: the index after the last item of its group
	weight []int64 // by item: the weight of a pair in its group
	unit   int64
	exact  bool
	groups int
	pairs  int // the number of pairs in all groups
}

// newItemGroups takes the numbers of items of the groups, each at least 2.
func newItemGroups(sizes []int) itemGroups {
	g := itemGroups{groups: len(sizes)}
	g.unit, g.exact = weightUnit(sizes)
	items := 0
	for _, n := range sizes {
		items += n
	}
	g.end, g.weight = make([]int32, 0, items), make([]int64, 0, items)
	for _, n := range sizes {
		g.pairs += stat.Choose2(n)
		end, weight := int32(len(g.end)+n), pairWeight(g.unit, n)
		for range n {
			g.end, g.weight = append(g.end, end), append(g.weight, weight)
		}
	}
	return g
}

func newCalibration(groups iter.Seq2[[]float64, []float64]) *calibration {
	c := &calibration{}
	var items []scored
	var sizes []int
	for h, m := range groups {
		if len(h) < 2 {
			continue
		}
		items = items[:0]
		for i := range h {
			items = append(items, scored{h[i], m[i]})
		}
		slices.SortFunc(items, func(a, b scored) int { return stat.Order(a.metric, b.metric) })
		for _, it := range items {
			c.human = append(c.human, it.human)
			c.metric = append(c.metric, it.metric)
		}
		sizes = append(sizes, len(items))
	}
	c.itemGroups = newItemGroups(sizes)
	return c
}

// weightUnit returns a common multiple of the numbers of pairs in groups of these sizes. If
// unit·groups would overflow, it returns a large number that is no common multiple, and
// exact is false.
func weightUnit(sizes []int) (unit int64, exact bool) {
	most := int64(math.MaxInt64 / max(len(sizes), 1))
	unit = 1
	for _, n := range sizes {
		if unit, exact = leastCommonMultiple(unit, int64(stat.Choose2(n)), most); !exact {
			return most / 2, false // leaves room for weights that are rounded up
		}
	}
	return unit, true
}

// pairWeight returns the weight of a pair in a group of n items.
func pairWeight(unit int64, n int) int64 { return max(1, unit/int64(stat.Choose2(n))) }

// leastCommonMultiple returns false if the least common multiple exceeds most.
func leastCommonMultiple(a, b, most int64) (int64, bool) {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if b/x > most/a {
		return 0, false
	}
	return a * (b / x), true
}

// accuracy returns the accuracy at the best threshold.
func (c *calibration) accuracy() float64 {
	if c.exact {
		return float64(c.found.right) / (float64(c.unit) * float64(c.groups))
	}
	var shares stat.Sum
	for from := 0; from < len(c.human); from = int(c.end[from]) {
		to := int(c.end[from])
		shares.Add(stat.CountWithin(c.human[from:to], c.metric[from:to], c.found.epsilon).Acc23())
	}
	return shares.Value() / float64(c.groups)
}

// run finds the best threshold and stores it in c.found.
func (c *calibration) run(ctx context.Context) error {
	low, high := c.span()
	if !c.pooled {
		c.start = c.untied()
	}
	c.found = threshold{c.start, 0}
	switch {
	case low > high: // all differences of metric scores are 0 or infinite
		return nil
	case c.pooled && c.pairs > directPairs:
		return c.narrow(ctx, low, high)
	}
	return c.sweep(ctx, low, high, c.start)
}

// untied returns the weight of the right pairs at ε = 0.
func (c *calibration) untied() (right int64) {
	for from := 0; from < len(c.human); {
		to := int(c.end[from])
		right += c.weight[from] * int64(stat.Alike(c.human[from:to], c.metric[from:to]))
		from = to
	}
	return right
}

// span returns the smallest and the largest difference of metric scores within a group
// that is neither 0 nor infinite. If there is none, low > high.
func (c *calibration) span() (low, high float64) {
	low = math.Inf(1)
	for from := 0; from < len(c.metric); {
		to := int(c.end[from])
		m := c.metric[from:to]
		m = m[:lastFinite(m)]
		for len(m) > 0 && math.IsInf(m[0], -1) {
			m = m[1:]
		}
		for i := 1; i < len(m); i++ {
			if d := m[i] - m[i-1]; d > 0 {
				low = min(low, d)
			}
		}
		if len(m) > 0 {
			high = max(high, min(m[len(m)-1]-m[0], math.MaxFloat64))
		}
		from = to
	}
	return low, high
}

// lastFinite returns the number of scores before those that are +Inf. m is sorted.
func lastFinite(m []float64) int {
	n := len(m)
	for n > 0 && math.IsInf(m[n-1], 1) {
		n--
	}
	return n
}

// A scored item has a human score and a metric score.
type scored struct{ human, metric float64 }
