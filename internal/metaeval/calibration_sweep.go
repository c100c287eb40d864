package metaeval

import (
	"context"
	"math"
	"slices"
	"sync"

	"annotate/internal/stat"
)

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
