package metaeval

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

	"annotate/internal/stat"
)

// newPooled returns a calibration whose only group is all items. Items
// with equal human and equal metric scores become one item with a count.
func newPooled(h, m []float64) *calibration {
	items := make([]scored, len(h))
	for i := range h {
		items[i] = scored{h[i], m[i]}
	}
	slices.SortFunc(items, func(a, b scored) int {
		if by := stat.Order(a.metric, b.metric); by != 0 {
			return by
		}
		return stat.Order(a.human, b.human)
	})
	c := &calibration{pooled: true, itemGroups: itemGroups{exact: true, unit: max(1, int64(stat.Choose2(len(items))))}}
	if len(items) > 1 {
		c.groups = 1
	}
	p := stat.Count(h, m)
	c.start = int64(p.Concordant + p.TiesBoth)
	for i := 0; i < len(items); {
		j := i
		for j < len(items) && items[j] == items[i] {
			j++
		}
		c.human, c.metric, c.count = append(c.human, items[i].human), append(c.metric, items[i].metric), append(c.count, int64(j-i))
		i = j
	}
	if len(c.human) == len(items) {
		c.count = nil
	}
	c.pairs = stat.Choose2(len(c.human))
	c.end, c.weight = make([]int32, len(c.human)), make([]int64, len(c.human))
	for i := range c.end {
		c.end[i], c.weight[i] = int32(len(c.human)), 1
	}
	return c
}

const (
	// Up to directPairs, all pairs are swept at once. With more, grids first narrow
	// down the thresholds.
	directPairs = 1 << 24
	// Up to sweptPairs, the pairs that a grid leaves are swept. With more, another
	// grid follows.
	sweptPairs = 1 << 28
	// firstGridWork and maxGridWork bound the steps of the Fourier transforms of the
	// first grid, which is coarse, and of each further grid, which takes about a second.
	firstGridWork, maxGridWork = 1 << 28, 1 << 31
	// maxGrids is the greatest number of grids. Each searches the thresholds that the
	// previous one left.
	maxGrids = 4
	// maxGroups bounds the number of groups of human scores in a grid.
	maxGroups = 256
)

// narrow searches for the best threshold from low to high without visiting all
// pairs. A [grid] divides the thresholds into cells of equal width and gives an
// upper bound of the right pairs in each cell. [search.rightAt] counts the right
// pairs at a promising threshold exactly. Only cells whose bound reaches that count
// can contain the best threshold, and only their pairs are swept.
//
// If few human scores are equal, [search.upperLimit] lowers high first.
func (c *calibration) narrow(ctx context.Context, low, high float64) error {
	s := newSearch(c)
	if high = s.upperLimit(c, low, high); high < low {
		return ctx.Err()
	}
	for level := 0; ; level++ {
		g, ok := s.grid(ctx, high)
		if err := ctx.Err(); err != nil {
			return err
		}
		if !ok {
			return c.sweep(ctx, low, high, c.start)
		}
		for _, k := range g.promising() {
			c.offer(s.rightAt(g.width * (float64(k) + 0.5)))
		}
		stretches, pairs := g.candidates(c.start, c.found.right)
		if len(stretches) == 0 {
			return nil
		}
		top := min(high, g.width*float64(stretches[len(stretches)-1].last+1))
		if pairs > sweptPairs && level+1 < maxGrids && top < 0.7*high {
			high, s.gridWork = top, min(maxGridWork, 4*c.pairs)
			continue
		}
		for _, cells := range stretches {
			from, to := max(low, g.width*float64(cells.first)), min(high, g.width*float64(cells.last+1))
			if from > to {
				continue
			}
			if few, ok := s.differences(from, to); ok {
				for _, d := range few {
					c.offer(s.rightAt(d))
				}
				continue
			}
			before := s.rightAt(math.Nextafter(from, 0))
			if err := c.sweep(ctx, from, to, before.right); err != nil {
				return err
			}
		}
		return nil
	}
}

// A search holds the items with finite metric scores and counts their pairs in bulk.
type search struct {
	start    int64     // the right pairs at ε = 0
	metric   []float64 // by item, ascending
	count    []int64   // by item: the number of equal translations
	class    []int32   // by item: the rank of its human score among all different ones, from 0 for the lowest
	group    []int32   // by item: the group of its class; a grid counts classes of a group together
	sizes    []int64   // by class: the number of translations
	groups   int       // the number of groups
	lists    [][]int32 // by group: its items
	single   []bool    // by group: whether it consists of a single class
	gridWork int       // how many steps a grid may take
}

func newSearch(c *calibration) *search {
	first, last := 0, lastFinite(c.metric)
	for first < last && math.IsInf(c.metric[first], -1) {
		first++
	}
	s := &search{start: c.start, metric: c.metric[first:last], gridWork: min(firstGridWork, 4*c.pairs)}
	human := c.human[first:last]
	classes := slices.Compact(slices.Sorted(slices.Values(human)))
	s.class, s.group, s.sizes = make([]int32, len(human)), make([]int32, len(human)), make([]int64, len(classes))
	s.count = slices.Repeat([]int64{1}, len(human))
	if c.count != nil {
		copy(s.count, c.count[first:last])
	}
	items := make([]int64, len(classes))
	for i, h := range human {
		k, _ := slices.BinarySearch(classes, h)
		s.class[i] = int32(k)
		s.sizes[k] += s.count[i]
		items[k]++
	}
	groupOf := make([]int32, len(classes))
	most := int64(max(64, len(human)/maxGroups))
	size := int64(0) // the number of items in the current group
	for k, n := range items {
		if k > 0 && size+n > most {
			s.groups++
			size = 0
		}
		size += n
		groupOf[k] = int32(s.groups)
	}
	s.groups++
	s.lists = make([][]int32, s.groups)
	for i, k := range s.class {
		s.group[i] = groupOf[k]
		s.lists[groupOf[k]] = append(s.lists[groupOf[k]], int32(i))
	}
	s.single = slices.Repeat([]bool{true}, s.groups)
	for k := 1; k < len(groupOf); k++ {
		if groupOf[k] == groupOf[k-1] {
			s.single[groupOf[k]] = false
		}
	}
	return s
}

// manyLosses is the ratio of losses to gains from which large thresholds are cut off
// before the first grid. Below it the grids alone are faster.
const manyLosses = 16

// upperLimit returns a threshold above which none is the best. Above a threshold e at
// most the right pairs at ε = 0, plus all gains, less the losses up to e, can be right.
// If few human scores are equal, there are few gains, and the limit is low. If all
// human scores differ, there are no gains: ε = 0 is the best, and the result is
// negative.
func (s *search) upperLimit(c *calibration, low, high float64) float64 {
	all := s.changesUpTo(high)
	c.offer(all.threshold(s.start))
	if s.start+all.gain <= c.found.right && c.found.epsilon == 0 {
		return -1
	}
	if all.gain > all.loss/manyLosses {
		return high
	}
	for factor := 16.0; factor > 1.2; factor = math.Sqrt(factor) {
		for high >= low {
			below := s.changesUpTo(high / factor)
			c.offer(below.threshold(s.start))
			if most := (threshold{s.start + all.gain - below.loss, below.epsilon}); most.betterThan(c.found) {
				break
			}
			high, all = high/factor, below
		}
	}
	return high
}

// changes says how thresholds up to an ε change the right pairs at ε = 0: gain pairs
// with equal human scores become right, and loss pairs become wrong. epsilon is the
// largest difference up to ε, which has the same changes.
type changes struct {
	gain, loss int64
	epsilon    float64
}

// threshold returns the threshold with its right pairs. start is the number of right
// pairs at ε = 0.
func (x changes) threshold(start int64) threshold {
	return threshold{start + x.gain - x.loss, x.epsilon}
}

// rightAt returns the right pairs at ε, with the largest difference up to ε as the
// threshold.
func (s *search) rightAt(epsilon float64) threshold { return s.changesUpTo(epsilon).threshold(s.start) }

// changesUpTo counts the changes up to a threshold in O(n log n). For each item, a
// window holds the items whose metric score is lower by at most ε, and a Fenwick tree
// counts those with a lower human score.
func (s *search) changesUpTo(epsilon float64) (x changes) {
	tree, inWindow := newFenwick(len(s.sizes)), make([]int64, len(s.sizes))
	from, to := 0, 0
	for i, m := range s.metric {
		for ; s.metric[to] < m; to++ {
			tree.add(s.class[to], s.count[to])
			inWindow[s.class[to]] += s.count[to]
		}
		for ; from < to && m-s.metric[from] > epsilon; from++ {
			tree.add(s.class[from], -s.count[from])
			inWindow[s.class[from]] -= s.count[from]
		}
		if from < to {
			x.epsilon = max(x.epsilon, m-s.metric[from])
			x.gain += s.count[i] * inWindow[s.class[i]]
			x.loss += s.count[i] * tree.below(s.class[i])
		}
	}
	return x
}

// maxDifferences is the number of different differences up to which each is tried.
const maxDifferences = 64

// differences lists the different differences of metric scores from low to high. ok is
// false if there are more than maxDifferences. A metric of whole numbers has few
// differences, each with very many pairs.
func (s *search) differences(low, high float64) (out []float64, ok bool) {
	from, to := 0, 0
	for i, m := range s.metric {
		if i > 0 && m == s.metric[i-1] {
			continue
		}
		for from < i && m-s.metric[from] > high {
			from++
		}
		for to = max(to, from); to < i && m-s.metric[to] >= low; to++ {
		}
		for k := from; k < to; k++ {
			if k > from && s.metric[k] == s.metric[k-1] {
				continue
			}
			if d := m - s.metric[k]; !slices.Contains(out, d) {
				if out = append(out, d); len(out) > maxDifferences {
					return nil, false
				}
			}
		}
	}
	return out, true
}

// A fenwick tree keeps cumulative counts by class (Fenwick 1994, "A New Data Structure
// for Cumulative Frequency Tables").
type fenwick []int64

func newFenwick(n int) fenwick { return make(fenwick, n+1) }

func (f fenwick) add(class int32, n int64) {
	for i := int(class) + 1; i < len(f); i += i & -i {
		f[i] += n
	}
}

// below returns the sum of the counts of all lower classes.
func (f fenwick) below(class int32) (n int64) {
	for i := int(class); i > 0; i -= i & -i {
		n += f[i]
	}
	return n
}

// A grid counts pairs by the lag of their metric scores: the number of cells of equal
// width that they are apart. Pairs within a cell have lag 0.
type grid struct {
	width float64 // the width of a cell
	gain  []int64 // by lag: pairs with equal human scores
	loss  []int64 // by lag: pairs that both scores order alike
	all   []int64 // by lag: all pairs of items
}

// grid counts the pairs that differ by at most high. It returns false if the range of
// the metric is too wide for cells of this width.
//
// The cells form blocks that are as wide as high, so each pair is within a block or
// between a block and the next. Fourier transforms compute the correlations that
// count these pairs. The groups of human scores are in ascending order, so the sum of
// the transforms of all earlier groups stands for all lower human scores. Pairs
// within a group of several human scores are counted one by one.
func (s *search) grid(ctx context.Context, high float64) (grid, bool) {
	lowest, highest := s.metric[0], s.metric[len(s.metric)-1]
	blocks := 1
	for i, b := 0, 0.0; i < len(s.metric); i++ {
		if at := math.Floor((s.metric[i] - lowest) / high); at > b {
			b = at
			blocks++
		}
	}
	cells := 1 << 8
	for cells < 1<<19 && blocks*(s.groups+1)*2*(4*cells)*bits.Len(uint(4*cells)) <= s.gridWork {
		cells *= 2
	}
	g := grid{width: high / float64(cells), gain: make([]int64, cells+1), loss: make([]int64, cells+1), all: make([]int64, cells+1)}
	if !((highest-lowest)/g.width < 1<<48) || g.width < 1e-300 {
		return g, false
	}
	c := newCorrelator(cells)
	cell := make([]int64, len(s.metric))
	for i, m := range s.metric {
		cell[i] = int64((m - lowest) / g.width)
	}
	starts := make([]int, s.groups) // by group: the index in its list of the first item of the block
	for from := 0; from < len(cell) && ctx.Err() == nil; {
		block := cell[from] / int64(cells)
		c.open(block * int64(cells))
		for k, list := range s.lists {
			c.group(s, k, list, starts[k], cell)
			for starts[k] < len(list) && cell[list[starts[k]]] < (block+1)*int64(cells) {
				starts[k]++
			}
		}
		c.close()
		for from < len(cell) && cell[from]/int64(cells) == block {
			from++
		}
	}
	c.counts(g)
	s.countWithinGroups(g, cell)
	return g, true
}

// countWithinGroups counts the pairs in groups of several human scores. It copies the
// items of a group into one slice and adds losses without a branch, since a branch on
// which human score is higher would often be mispredicted.
func (s *search) countWithinGroups(g grid, cell []int64) {
	most := int64(len(g.all) - 1)
	gain, loss := g.gain, g.loss
	var items []groupItem
	for k, list := range s.lists {
		if s.single[k] {
			continue
		}
		items = items[:0]
		for _, i := range list {
			items = append(items, groupItem{cell[i], s.count[i], int64(s.class[i])})
		}
		for a, x := range items {
			for _, y := range items[a+1:] {
				lag := y.cell - x.cell
				if lag > most {
					break
				}
				loss[lag] += x.count * y.count & ((x.class - y.class) >> 63) // the mask is -1 if x has the lower human score, else 0
				if x.class == y.class {
					gain[lag] += x.count * y.count
				}
			}
		}
	}
	loss[0] = 0 // pairs within a cell never count as losses
}

// A groupItem is an item of a group whose pairs are counted one by one.
type groupItem struct{ cell, count, class int64 }

// A correlator adds up the correlations of the cells of all blocks and groups.
type correlator struct {
	cells           int
	fft             *fourier.FFT
	origin          int64 // the first cell of the block
	row             []float64
	block, both     []complex128
	lower           []complex128 // the transform of the earlier groups in the block
	allBlock        []complex128 // the transform of all groups in the block
	allBoth         []complex128 // the transform of all groups in the block and the next
	gain, loss, all []complex128
}

func newCorrelator(cells int) *correlator {
	c := &correlator{cells: cells, fft: fourier.NewFFT(2 * cells), row: make([]float64, 2*cells)}
	for _, a := range []*[]complex128{&c.block, &c.both, &c.lower, &c.allBlock, &c.allBoth, &c.gain, &c.loss, &c.all} {
		*a = make([]complex128, cells+1)
	}
	return c
}

// open begins a block.
func (c *correlator) open(origin int64) {
	c.origin = origin
	clear(c.lower)
	clear(c.allBlock)
	clear(c.allBoth)
}

// group adds the items of a list, from an index on, that are in the block or in the
// next.
func (c *correlator) group(s *search, k int, list []int32, from int, cell []int64) {
	if from == len(list) || cell[list[from]] >= c.origin+int64(2*c.cells) {
		return
	}
	var to int
	clear(c.row)
	for to = from; to < len(list) && cell[list[to]] < c.origin+int64(c.cells); to++ {
		c.row[cell[list[to]]-c.origin] += float64(s.count[list[to]])
	}
	anyInBlock := to > from
	if anyInBlock {
		c.fft.Coefficients(c.block, c.row)
	} else {
		clear(c.block)
	}
	// both is the transform of the block followed by the next block.
	copy(c.both, c.block)
	if to < len(list) && cell[list[to]] < c.origin+int64(2*c.cells) {
		clear(c.row[:c.cells])
		for ; to < len(list) && cell[list[to]] < c.origin+int64(2*c.cells); to++ {
			c.row[cell[list[to]]-c.origin] += float64(s.count[list[to]])
		}
		c.fft.Coefficients(c.both, c.row)
		for i, x := range c.block {
			c.both[i] += x
		}
	}
	for i, y := range c.both {
		c.loss[i] += conj(c.lower[i]) * y
		if s.single[k] {
			c.gain[i] += conj(c.block[i]) * y
		}
		c.lower[i] += c.block[i]
		c.allBlock[i] += c.block[i]
		c.allBoth[i] += y
	}
}

func conj(x complex128) complex128 { return complex(real(x), -imag(x)) }

// close ends the block.
func (c *correlator) close() {
	for i, x := range c.allBlock {
		c.all[i] += conj(x) * c.allBoth[i]
	}
}

// counts writes the correlations to a grid. At lag 0 each pair of equal human scores
// counts twice and each item pairs with itself, so half of the count, rounded up, is an
// upper bound. Pairs within a cell never count as losses.
func (c *correlator) counts(g grid) {
	for _, x := range []struct {
		of  []complex128
		out []int64
	}{{c.gain, g.gain}, {c.loss, g.loss}, {c.all, g.all}} {
		c.fft.Sequence(c.row, x.of)
		for k := range x.out {
			x.out[k] = int64(math.Round(c.row[k] / float64(2*c.cells)))
		}
	}
	g.gain[0] = (g.gain[0] + 1) / 2
	g.loss[0] = 0
}

// bound returns for each cell the most pairs that can be right at a threshold in it,
// less the right pairs at ε = 0. All gains up to the end of the cell count, and only
// the losses that are certainly below the cell. The difference of a pair is within one
// cell of its lag. One more cell is excluded from the losses because the border between
// cells is rounded.
func (g grid) bound() []int64 {
	out := make([]int64, len(g.all))
	gain, loss := g.gain[0], int64(0)
	for k := range out {
		if k+1 < len(g.gain) {
			gain += g.gain[k+1]
		}
		if k > 1 {
			loss += g.loss[k-2]
		}
		out[k] = gain - loss
	}
	return out
}

// promising returns the cell at whose end the most pairs are right by the counts of the
// grid, and its neighbours.
func (g grid) promising() []int {
	best, at := int64(math.MinInt64), 0
	right := int64(0)
	for k := range g.gain {
		right += g.gain[k] - g.loss[k]
		if right > best {
			best, at = right, k
		}
	}
	return []int{max(0, at-1), at, at + 1}
}

// A stretch is a run of cells, both ends included.
type stretch struct{ first, last int }

// candidates returns the cells that can contain a threshold with at least known right
// pairs, and the number of pairs in these cells. start is the number of right pairs at
// ε = 0.
func (g grid) candidates(start, known int64) (out []stretch, pairs int64) {
	slack := roundingOf(g)
	for k, b := range g.bound() {
		if start+b+slack < known {
			continue
		}
		pairs += g.all[k]
		if n := len(out); n > 0 && out[n-1].last == k-1 {
			out[n-1].last = k
		} else {
			out = append(out, stretch{k, k})
		}
	}
	return out, pairs
}

// roundingOf bounds the error of the sums of a grid that comes from rounding in the
// Fourier transforms.
func roundingOf(g grid) int64 {
	var all int64
	for _, n := range g.all {
		all += n
	}
	return all / (1 << 40)
}
