package metaeval

import (
	"context"
	"math"
	"slices"
	"sync"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

const (
	// leafPairs is how many pairs are collected and sorted at once. They take half a
	// megabyte, which fits the cache of a core. For pooled scores leafPooled applies
	// (32 megabytes), since each further pass over all items costs more than sorting.
	leafPairs, leafPooled = 1 << 15, 1 << 21
	// maxBins bounds the space of a worker to 2 MB.
	maxBins = 1 << 16
)

// A bin counts the pairs whose difference of metric scores lies in a small range. gain
// is the weight of the pairs that become right when they become ties, loss that of the
// pairs that become wrong. Pairs that stay wrong are not counted.
type bin struct {
	gain, loss  int64
	n           int    // the number of pairs
	ones, zeros uint64 // the bits that are 1 in some of the differences, and those that are 0 in some
}

// mixed reports whether the bin has several differences.
func (b *bin) mixed() bool { return b.ones&b.zeros != 0 }

// merge adds the counts of o.
func (b *bin) merge(o bin) {
	b.gain += o.gain
	b.loss += o.loss
	b.n += o.n
	b.ones |= o.ones
	b.zeros |= o.zeros
}

// sweep searches the differences from low to high for a better threshold. before is
// the weight of the right pairs at the largest difference below low.
//
// Differences are put into bins by their bits, which have the same order as the
// numbers. A pass over the bins gives the weight of the right pairs at the end of
// each bin. An upper bound within a bin is the weight before it plus its gain. Only
// bins whose bound allows a better threshold, or an equally good smaller one, are
// searched: their pairs are collected and sorted, or, if they are too many, put
// into smaller bins. So the number of pairs in memory is bounded. For pooled
// scores, all promising bins are put into smaller bins together as long as that
// halves the number of pairs, which is faster than sorting the pairs.
func (c *calibration) sweep(ctx context.Context, low, high float64, before int64) error {
	base := math.Float64bits(low)
	width := math.Float64bits(high) - base
	bins, shift := binning(width, c.pairs)
	counts, err := c.histogram(ctx, low, high, shift, bins)
	if err != nil {
		return err
	}
	starts := make([]int64, len(counts)) // the weight of the right pairs before each bin
	right, top := before, c.found.right
	for k, b := range counts {
		starts[k] = right
		right += b.gain - b.loss
		if b.n > 0 && !b.mixed() {
			c.offer(threshold{right, math.Float64frombits(b.ones)})
		}
		top = max(top, right) // reached at the last difference in the bin
	}
	promising := func(k int) bool {
		b := counts[k]
		bound := threshold{starts[k] + b.gain, math.Float64frombits(base + uint64(k)<<shift)}
		return b.mixed() && bound.right >= top && bound.betterThan(c.found)
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
					break // the bins chosen so far are collected first
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
		c.offerCollected(found, base, shift, starts)
		clear(chosen[first : last+1])
	}
	return nil
}

// promisingRun returns the run of bins from the first promising one to the last, and
// the number of pairs in it. All are 0 if no bin is promising.
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

// total returns the number of pairs in the bins.
func total(counts []bin) (n int) {
	for _, b := range counts {
		n += b.n
	}
	return n
}

// binning chooses the number of bins for differences whose bits span the given range.
// Shifting the bits of a difference right by shift gives its bin.
func binning(span uint64, pairs int) (bins int, shift uint) {
	most := uint64(min(max(pairs/8, 256), maxBins))
	for span>>shift >= most {
		shift++
	}
	return int(span>>shift) + 1, shift
}

// offerCollected offers every threshold among the collected pairs.
func (c *calibration) offerCollected(found []change, base uint64, shift uint, starts []int64) {
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

// A change is what happens when the threshold reaches the difference of a pair: right
// is added to the weight of the right pairs.
type change struct {
	difference float64
	right      int64
}

// itemsAtOnce is the number of items in one piece of work.
const itemsAtOnce = 64

func (c *calibration) pieces() int { return (len(c.metric) + itemsAtOnce - 1) / itemsAtOnce }

// begin announces a pass over the pairs. The result is called after each of its pieces.
func (c *calibration) begin() (done func()) {
	if c.pass == nil {
		return func() {}
	}
	return c.pass(c.pieces())
}

// histogram counts the pairs with differences from low to high by bin.
func (c *calibration) histogram(ctx context.Context, low, high float64, shift uint, bins int) ([]bin, error) {
	var mu sync.Mutex
	var all []histogram
	err := c.eachPiece(ctx, low, high, func() func([]change) {
		h := histogram{make([]bin, bins), math.Float64bits(low), shift}
		mu.Lock()
		all = append(all, h)
		mu.Unlock()
		return h.add
	})
	for _, h := range all[1:] {
		for k, b := range h.bins {
			all[0].bins[k].merge(b)
		}
	}
	return all[0].bins, err
}

// A histogram counts changes by bin. The bits of a difference, less base and shifted right by shift, are its bin.
type histogram struct {
	bins  []bin
	base  uint64
	shift uint
}

// add counts changes. There is no branch, since it would often be mispredicted.
func (h histogram) add(changes []change) {
	for _, x := range changes {
		bits := math.Float64bits(x.difference)
		b := &h.bins[(bits-h.base)>>(h.shift&63)]
		b.gain += max(x.right, 0)
		b.loss -= min(x.right, 0)
		b.n++
		b.ones |= bits
		b.zeros |= ^bits
	}
}

// fewPairs is the number of pairs below which it takes longer to divide a pass over them among the cores.
const fewPairs = 1 << 16

// eachPiece makes a pass over all pairs with differences from low to high. It calls worker once for each core. What worker
// returns is called with some changes at a time, which are valid until it returns; see [calibration.eachChange].
func (c *calibration) eachPiece(ctx context.Context, low, high float64, worker func() func([]change)) error {
	const atOnce = 1 << 10 // 16 KB
	if c.pairs < fewPairs {
		do, space := worker(), make([]change, atOnce)
		for p := range c.pieces() {
			c.eachChange(space, p, low, high, do)
		}
		return ctx.Err()
	}
	done := c.begin()
	return parallel.EachWith(ctx, c.pieces(), func() func(int) {
		do, space := worker(), make([]change, atOnce)
		return func(p int) {
			c.eachChange(space, p, low, high, do)
			done()
		}
	})
}

// eachChange lists the changes by the pairs of each item of a piece and the later items of its group whose difference is
// from low to high, and calls do when space is full and in the end.
func (c *calibration) eachChange(space []change, piece int, low, high float64, do func([]change)) {
	n := 0
	var moving window
	for i := piece * itemsAtOnce; i < min((piece+1)*itemsAtOnce, len(c.metric)); i++ {
		h, m, w := c.human[i], c.metric[i], c.weightOf(i)
		from, to := c.window(i, low, high, &moving)
		for from < to {
			end := min(to, from+len(space)-n)
			later := c.human[from:end]
			for j, mj := range c.metric[from:end] {
				hj, right := later[j], w
				if c.count != nil {
					right *= c.count[from+j]
				}
				if hj != h {
					right = -right
				}
				space[n] = change{mj - m, right}
				// A pair whose later item has the lower human score is wrong, both as a tie and as no tie. There is no branch,
				// since it would often be mispredicted.
				n += one(hj >= h)
			}
			if from = end; n == len(space) {
				do(space)
				n = 0
			}
		}
	}
	do(space[:n])
}

// one is 1 if a condition holds, else 0.
func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// weightOf returns the weight of item i in a pair. The caller multiplies it by the
// count of the other item.
func (c *calibration) weightOf(i int) int64 {
	if c.count == nil {
		return c.weight[i]
	}
	return c.weight[i] * c.count[i]
}

// A window is the range [from, to) of the later items of a group whose metric
// scores differ from that of an item by low to high. end is the end of the group.
type window struct{ from, to, end int }

// window moves the window to item i. w is the window of the item before i.
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

// firstPlace returns the index of the first score for which holds is true. m is sorted,
// and holds is true from some index on.
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

// collect lists the pairs in the chosen bins, all of which are from first to last.
func (c *calibration) collect(ctx context.Context, base uint64, shift uint, first, last int, chosen []bool) ([]change, error) {
	low := math.Float64frombits(base + uint64(first)<<shift)
	high := math.Float64frombits(min(base+uint64(last+1)<<shift-1, math.Float64bits(math.MaxFloat64)))
	var mu sync.Mutex
	var all []change
	err := c.eachPiece(ctx, low, high, func() func([]change) {
		var found []change
		return func(changes []change) {
			found = found[:0]
			for _, x := range changes {
				if chosen[(math.Float64bits(x.difference)-base)>>(shift&63)] {
					found = append(found, x)
				}
			}
			if len(found) > 0 {
				mu.Lock()
				all = append(all, found...)
				mu.Unlock()
			}
		}
	})
	return all, err
}
