package metaeval

import (
	"context"
	"math"
	"slices"
	"sync"

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

const (
	// leafPairs is how many pairs are sorted at once: half a megabyte of them,
	// which stays in the cache of a core. Of pooled scores it is leafPooled, 32
	// megabytes, since going over all items again costs more.
	leafPairs, leafPooled = 1 << 15, 1 << 21
	// mostBins bounds the space of a worker to 2 MB.
	mostBins = 1 << 16
)

// A bin counts the pairs whose metric difference lies in a small range: what
// making them ties adds to and takes from what is right. Pairs that stay wrong
// are not counted.
type bin struct {
	gain, loss int64
	n          int
	first      float64 // a difference in it
	mixed      bool    // there are others
}

// sweep looks for a better threshold among the differences from low to high.
// before is what is right at the threshold below low.
//
// Differences are sorted into bins by their bits, which are ordered like the
// numbers. Going over the bins gives what is right at the end of each, and an
// upper bound within: what was right before and all that the bin adds. Only
// bins that can hold a better or an equal but smaller threshold are looked at
// closely: their pairs are collected and sorted, or, where there are too many,
// sorted into smaller bins. So the number of pairs in memory is bounded. Of pooled
// scores, all promising bins together are sorted into smaller ones as long as that
// halves their pairs, which is quicker than sorting the pairs.
func (c *calibration) sweep(ctx context.Context, low, high float64, before int64) error {
	base := math.Float64bits(low)
	width := math.Float64bits(high) - base
	bins, shift := binning(width, c.pairs)
	counts, err := c.histogram(ctx, low, high, shift, bins)
	if err != nil {
		return err
	}
	starts := make([]int64, len(counts)) // what is right before each bin
	right, top := before, c.best.right
	for k, b := range counts {
		starts[k] = right
		right += b.gain - b.loss
		if b.n > 0 && !b.mixed {
			c.offer(threshold{right, b.first})
		}
		top = max(top, right) // reached at the end of the bin, wherever that is
	}
	promising := func(k int) bool {
		b := counts[k]
		bound := starts[k] + b.gain
		if !b.mixed || bound < top || bound < c.best.right {
			return false
		}
		lowest := math.Float64frombits(base + uint64(k)<<shift)
		return bound > c.best.right || lowest < c.best.epsilon
	}
	if c.pooled {
		if first, last, pairs := promisingRun(counts, promising); pairs > leafPooled && 2*pairs < total(counts) && shift > 0 {
			from, to := base+uint64(first)<<shift, base+uint64(last+1)<<shift-1
			return c.sweep(ctx, math.Float64frombits(from), math.Float64frombits(min(to, base+width)), starts[first])
		}
	}
	chosen := make([]bool, len(counts))
	leaf := leafPairs
	if c.pooled {
		leaf = leafPooled
	}
	for k := 0; k < len(counts); {
		collected := 0
		first, last := -1, -1
		for ; k < len(counts); k++ {
			if !promising(k) {
				continue
			}
			if counts[k].n > leaf && shift > 0 {
				if first >= 0 {
					break // what is collected comes first
				}
				from, to := base+uint64(k)<<shift, base+uint64(k+1)<<shift-1
				if err := c.sweep(ctx, math.Float64frombits(from), math.Float64frombits(min(to, base+width)), starts[k]); err != nil {
					return err
				}
				continue
			}
			if collected+counts[k].n > leaf && first >= 0 {
				break
			}
			if first < 0 {
				first = k
			}
			last = k
			chosen[k] = true
			collected += counts[k].n
		}
		if first < 0 {
			continue
		}
		found, err := c.collect(ctx, base, shift, first, last, chosen)
		if err != nil {
			return err
		}
		c.settle(found, base, shift, starts)
		clear(chosen[first : last+1])
	}
	return nil
}

// promisingRun is the run of bins from the first promising one to the last, with how
// many pairs it has.
func promisingRun(counts []bin, promising func(k int) bool) (first, last, pairs int) {
	first = -1
	for k := range counts {
		if promising(k) {
			if first < 0 {
				first = k
			}
			last = k
		}
	}
	if first < 0 {
		return 0, 0, 0
	}
	return first, last, total(counts[first : last+1])
}

// total is how many pairs bins have.
func total(counts []bin) (n int) {
	for _, b := range counts {
		n += b.n
	}
	return n
}

// binning chooses how many bins there are for differences whose bits lie
// within span, and by how many bits theirs are shifted to give their bin.
func binning(span uint64, pairs int) (bins int, shift uint) {
	most := uint64(min(max(pairs/2, 256), mostBins))
	for span>>shift >= most {
		shift++
	}
	return int(span>>shift) + 1, shift
}

// offer takes a threshold that is better, or as good and smaller.
func (c *calibration) offer(t threshold) {
	switch {
	case t.right > c.best.right:
		c.best = t
	case t.right == c.best.right && t.epsilon < c.best.epsilon:
		c.best = t
	}
}

// settle offers every threshold among the pairs of chosen bins.
func (c *calibration) settle(found []change, base uint64, shift uint, starts []int64) {
	slices.SortFunc(found, func(a, b change) int { return stat.Order(a.difference, b.difference) })
	right, in := int64(0), -1
	for i := 0; i < len(found); {
		d := found[i].difference
		if k := int((math.Float64bits(d) - base) >> shift); k != in {
			in, right = k, starts[k]
		}
		for ; i < len(found) && found[i].difference == d; i++ {
			right += found[i].right
		}
		c.offer(threshold{right, d})
	}
}

// A change is a pair as the threshold reaches its difference.
type change struct {
	difference float64
	right      int64
}

// rows is how many items one piece of work has.
const rows = 64

func (c *calibration) pieces() int { return (len(c.metric) + rows - 1) / rows }

// histogram counts the pairs with differences from low to high.
func (c *calibration) histogram(ctx context.Context, low, high float64, shift uint, bins int) ([]bin, error) {
	base := math.Float64bits(low)
	total := make([]bin, bins)
	one := c.pairs < 1<<16 // too little to divide
	if one {
		for p := range c.pieces() {
			c.addTo(total, p, low, high, base, shift)
		}
		return total, ctx.Err()
	}
	var mu sync.Mutex
	var all [][]bin
	done := c.told.pass(c.pieces(), c.told.half())
	err := eachWith(ctx, c.pieces(), func() func(int) {
		counts := make([]bin, bins)
		mu.Lock()
		all = append(all, counts)
		mu.Unlock()
		return func(p int) {
			c.addTo(counts, p, low, high, base, shift)
			done()
		}
	})
	for _, counts := range all {
		for k, b := range counts {
			if b.n > 0 {
				total[k].merge(b)
			}
		}
	}
	return total, err
}

// merge adds a bin that is not empty.
func (b *bin) merge(o bin) {
	if b.n == 0 {
		*b = o
		return
	}
	b.mixed = b.mixed || o.mixed || b.first != o.first
	b.gain += o.gain
	b.loss += o.loss
	b.n += o.n
}

// addTo counts the pairs of a piece of the items with later ones.
func (c *calibration) addTo(bins []bin, piece int, low, high float64, base uint64, shift uint) {
	var moving window
	for i := piece * rows; i < min((piece+1)*rows, len(c.metric)); i++ {
		h, m, w := c.human[i], c.metric[i], c.weightOf(i)
		from, to := c.window(i, low, high, &moving)
		later := c.human[from:to]
		for j, mj := range c.metric[from:to] {
			hj := later[j]
			if hj < h { // wrong, whether a tie or not
				continue
			}
			w := w
			if c.count != nil {
				w *= c.count[from+j]
			}
			d := mj - m
			b := &bins[(math.Float64bits(d)-base)>>shift]
			if hj == h {
				b.gain += w
			} else {
				b.loss += w
			}
			if b.n == 0 {
				b.first = d
			} else if d != b.first {
				b.mixed = true
			}
			b.n++
		}
	}
}

// weightOf is that of a pair with item i, before the count of the other item.
func (c *calibration) weightOf(i int) int64 {
	if c.count == nil {
		return c.weight[i]
	}
	return c.weight[i] * c.count[i]
}

// A window is where the items later in a group stand whose metric differs from an
// item's by a range. It moves up with the item.
type window struct{ from, to, end int }

// window moves the window of the item before, if it was in the same group, to i.
func (c *calibration) window(i int, low, high float64, w *window) (from, to int) {
	m, end := c.metric[i], int(c.end[i])
	if w.end != end {
		w.end = end
		w.from = i + 1 + firstPlace(c.metric[i+1:end], func(v float64) bool { return v-m >= low })
		w.to = w.from + firstPlace(c.metric[w.from:end], func(v float64) bool { return v-m > high })
		return w.from, w.to
	}
	w.from = max(w.from, i+1)
	for w.from < end && c.metric[w.from]-m < low {
		w.from++
	}
	w.to = max(w.to, w.from)
	for w.to < end && c.metric[w.to]-m <= high {
		w.to++
	}
	return w.from, w.to
}

// firstPlace is the first place of sorted scores where what holds from some place
// on holds.
func firstPlace(m []float64, holds func(float64) bool) int {
	lo, hi := 0, len(m)
	if hi > 0 && holds(m[0]) {
		return 0
	}
	for lo < hi {
		if mid := (lo + hi) / 2; holds(m[mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// collect lists the pairs in chosen bins, which lie from first to last.
func (c *calibration) collect(ctx context.Context, base uint64, shift uint, first, last int, chosen []bool) ([]change, error) {
	low := math.Float64frombits(base + uint64(first)<<shift)
	high := math.Float64frombits(min(base+uint64(last+1)<<shift-1, math.Float64bits(math.MaxFloat64)))
	var mu sync.Mutex
	var all []change
	done := c.told.pass(c.pieces(), c.told.half())
	err := eachWith(ctx, c.pieces(), func() func(int) {
		var found []change
		return func(p int) {
			found = c.appendTo(found[:0], p, low, high, base, shift, chosen)
			if len(found) > 0 {
				mu.Lock()
				all = append(all, found...)
				mu.Unlock()
			}
			done()
		}
	})
	return all, err
}

func (c *calibration) appendTo(found []change, piece int, low, high float64, base uint64, shift uint, chosen []bool) []change {
	var moving window
	for i := piece * rows; i < min((piece+1)*rows, len(c.metric)); i++ {
		h, m, w := c.human[i], c.metric[i], c.weightOf(i)
		from, to := c.window(i, low, high, &moving)
		later := c.human[from:to]
		for j, mj := range c.metric[from:to] {
			hj := later[j]
			if hj < h {
				continue
			}
			w := w
			if c.count != nil {
				w *= c.count[from+j]
			}
			d := mj - m
			if !chosen[(math.Float64bits(d)-base)>>shift] {
				continue
			}
			if hj == h {
				found = append(found, change{d, w})
			} else {
				found = append(found, change{d, -w})
			}
		}
	}
	return found
}

// A scored item has a human score and that of a metric.
type scored struct{ human, metric float64 }

// choose2 is the number of pairs of n items.
func choose2(n int) int { return n * (n - 1) / 2 }
