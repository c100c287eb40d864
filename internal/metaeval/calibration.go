package metaeval

import (
	"context"
	"math"
	"slices"

	"annotate/internal/stat"
)

// A Calibration is a pairwise accuracy with ties and the threshold that gives
// it. Acc and Epsilon are NaN where there is no pair.
type Calibration struct {
	Acc     float64
	Epsilon float64
	Groups  int // groups with at least one pair
}

// Calibrate finds the tie threshold ε that makes a metric's pairwise accuracy
// highest (Deutsch et al. 2023, "Ties Matter", section 7; KendallWithTiesOpt
// of mt-metrics-eval with variant acc23 and no sampling). Pairs are formed
// within the groups that by makes of the matrices (rows are systems, columns
// segments). A pair counts as right when the human scores are equal and the
// metric's differ by at most ε, or when both order it alike and the metric's
// differ by more. The accuracy is the mean over groups of their share of right
// pairs; groups without a pair do not count.
//
// ε is 0 or an observed difference of the metric. Many values may be best;
// the smallest of them is given. mt-metrics-eval compares rounded sums and
// reports one of them that depends on the order of its input; here accuracies
// are compared as whole numbers. An infinite difference is never a tie.
//
// Pairs are not stored, so memory grows with the number of scores. Time grows with
// the number of pairs of a group. [Pooled] scores are one large group, of which only
// the pairs near the best threshold are looked at one by one: half a million scores
// take seconds, where all pairs would take a quarter of an hour.
func Calibrate(ctx context.Context, human, metric [][]float64, by Grouping) (Calibration, error) {
	return calibrateTold(ctx, human, metric, by, nil)
}

// calibrateTold is Calibrate, and tells of its progress.
func calibrateTold(ctx context.Context, human, metric [][]float64, by Grouping, told *portion) (Calibration, error) {
	checkShape(human, metric)
	var c *calibration
	if by == Pooled {
		c = newPooled(human, metric)
	} else {
		c = newCalibration(human, metric, by)
	}
	c.told = told
	if c.groups == 0 {
		return Calibration{missing, missing, 0}, ctx.Err()
	}
	if err := c.run(ctx); err != nil {
		return Calibration{}, err
	}
	return Calibration{c.accuracy(), c.best.epsilon, c.groups}, nil
}

// A calibration holds the scored items of all groups, one group after the
// other, each sorted by metric.
//
// A pair weighs unit/(pairs of its group), so that the weight of what is right
// is unit·groups times the accuracy. unit is a multiple of all numbers of pairs,
// so weights are whole numbers and comparing their sums is exact. Where such a
// unit is too large, weights are rounded to whole numbers, and accuracies that
// differ by less than about 1e-10 may be taken for each other.
type calibration struct {
	human, metric []float64
	end           []int32 // where the group of an item ends
	weight        []int64 // of a pair with an item
	unit          int64
	exact         bool
	groups        int
	pairs         int // of all groups
	best          threshold
	told          *portion

	// Of pooled scores: how many translations an item stands for (nil: one each), and
	// what is right at ε = 0.
	pooled bool
	count  []int64
	start  int64
}

// A threshold is an ε and the weight of the pairs it makes right.
type threshold struct {
	right   int64
	epsilon float64
}

func newCalibration(human, metric [][]float64, by Grouping) *calibration {
	n := len(human) * width(human)
	c := &calibration{human: make([]float64, 0, n), metric: make([]float64, 0, n)}
	var items []scored
	var sizes []int
	eachGroup(human, metric, by, func(h, m []float64) {
		if len(h) < 2 {
			return
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
		c.pairs += choose2(len(items))
	})
	c.groups = len(sizes)
	c.unit, c.exact = unit(sizes)
	c.end = make([]int32, len(c.human))
	c.weight = make([]int64, len(c.human))
	from := 0
	for _, n := range sizes {
		for i := from; i < from+n; i++ {
			c.end[i] = int32(from + n)
			c.weight[i] = pairWeight(c.unit, n)
		}
		from += n
	}
	return c
}

// unit is a common multiple of the numbers of pairs of groups of these sizes,
// or, if its product with the number of groups were too large, not exact.
func unit(sizes []int) (unit int64, exact bool) {
	most := int64(math.MaxInt64 / max(len(sizes), 1))
	unit = 1
	for _, n := range sizes {
		if unit, exact = leastCommonMultiple(unit, int64(choose2(n)), most); !exact {
			return most / 2, false // rounding up must not overflow
		}
	}
	return unit, true
}

// pairWeight is that of a pair in a group of n.
func pairWeight(unit int64, n int) int64 { return max(1, unit/int64(choose2(n))) }

// leastCommonMultiple is false if there is none up to most.
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

// accuracy is that of the best threshold.
func (c *calibration) accuracy() float64 {
	if c.exact {
		return float64(c.best.right) / (float64(c.unit) * float64(c.groups))
	}
	var shares stat.Sum
	for from := 0; from < len(c.human); from = int(c.end[from]) {
		to := int(c.end[from])
		shares.Add(stat.CountWithin(c.human[from:to], c.metric[from:to], c.best.epsilon).Acc23())
	}
	return shares.Value() / float64(c.groups)
}

// run sets the best threshold.
func (c *calibration) run(ctx context.Context) error {
	low, high := c.span()
	if !c.pooled {
		c.start = c.untied()
	}
	c.best = threshold{c.start, 0}
	switch {
	case low > high: // no metric difference but 0
		return nil
	case c.pooled && c.pairs > directPairs:
		return c.narrow(ctx, low, high)
	}
	return c.sweep(ctx, low, high, c.start)
}

// untied is what is right at ε = 0.
func (c *calibration) untied() (right int64) {
	for from := 0; from < len(c.human); {
		to := int(c.end[from])
		if to-from <= 32 {
			right += c.weight[from] * int64(rightPairs(c.human[from:to], c.metric[from:to]))
		} else {
			p := stat.Count(c.human[from:to], c.metric[from:to])
			right += c.weight[from] * int64(p.Concordant+p.TiesBoth)
		}
		from = to
	}
	return right
}

// rightPairs counts them one by one, which is quickest for a few.
func rightPairs(human, metric []float64) (n int) {
	for i := range human {
		for j := range i {
			if stat.Order(human[i], human[j]) == stat.Order(metric[i], metric[j]) {
				n++
			}
		}
	}
	return n
}

// span is the smallest and the largest metric difference of a group that is
// neither 0 nor infinite; low > high if there is none.
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

// lastFinite is how many scores come before those of +Inf.
func lastFinite(m []float64) int {
	n := len(m)
	for n > 0 && math.IsInf(m[n-1], 1) {
		n--
	}
	return n
}

// A scored item has a human score and that of a metric.
type scored struct{ human, metric float64 }

// choose2 is the number of pairs of n items.
func choose2(n int) int { return n * (n - 1) / 2 }
