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
	gain, loss int64
	n          int     // the number of pairs
	first      float64 // one of the differences
	mixed      bool    // whether other differences are in the bin too
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
		if b.n > 0 && !b.mixed {
			c.offer(threshold{right, b.first})
		}
		top = max(top, right) // reached at the last difference in the bin
	}
	promising := func(k int) bool {
		b := counts[k]
		bound := threshold{starts[k] + b.gain, math.Float64frombits(base + uint64(k)<<shift)}
		return b.mixed && bound.right >= top && bound.betterThan(c.found)
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
	most := uint64(min(max(pairs/2, 256), maxBins))
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
	base := math.Float64bits(low)
	total := make([]bin, bins)
	if c.pairs < 1<<16 { // too few to divide among the cores
		for p := range c.pieces() {
			c.addTo(total, p, low, high, base, shift)
		}
		return total, ctx.Err()
	}
	var mu sync.Mutex
	var all [][]bin
	done := c.begin()
	err := parallel.EachWith(ctx, c.pieces(), func() func(int) {
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

// merge adds the counts of o, which is not empty.
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

// addTo counts the pairs of each item of a piece with the later items of its group.
func (c *calibration) addTo(bins []bin, piece int, low, high float64, base uint64, shift uint) {
	var moving window
	for i := piece * itemsAtOnce; i < min((piece+1)*itemsAtOnce, len(c.metric)); i++ {
		h, m, w := c.human[i], c.metric[i], c.weightOf(i)
		from, to := c.window(i, low, high, &moving)
		later := c.human[from:to]
		for j, mj := range c.metric[from:to] {
			hj := later[j]
			if hj < h { // wrong, both as a tie and as no tie
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
	done := c.begin()
	err := parallel.EachWith(ctx, c.pieces(), func() func(int) {
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

// appendTo appends the pairs of a piece that are in the chosen bins.
func (c *calibration) appendTo(found []change, piece int, low, high float64, base uint64, shift uint, chosen []bool) []change {
	var moving window
	for i := piece * itemsAtOnce; i < min((piece+1)*itemsAtOnce, len(c.metric)); i++ {
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
