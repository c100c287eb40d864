package metaeval

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

	"annotate/internal/stat"
)

// newPooled makes the calibration over all pairs of translations at once. Translations
// with the same two scores become one item with a count.
func newPooled(human, metric [][]float64) *calibration {
	h, m := pool(human, metric)
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
	c := &calibration{pooled: true, exact: true, unit: max(1, int64(choose2(len(items))))}
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
	c.pairs = choose2(len(c.human))
	c.end, c.weight = make([]int32, len(c.human)), make([]int64, len(c.human))
	for i := range c.end {
		c.end[i], c.weight[i] = int32(len(c.human)), 1
	}
	return c
}

const (
	// directPairs is how many pairs are looked at one by one without narrowing the
	// thresholds down first.
	directPairs = 1 << 24
	// sweptPairs is how many pairs are swept rather than narrowed down by another grid.
	sweptPairs = 1 << 28
	// firstGridWork and mostGridWork bound the steps of the Fourier transforms of the
	// first grid, which is coarse, and of the others: about a second of these.
	firstGridWork, mostGridWork = 1 << 28, 1 << 31
	// mostGrids is how many grids narrow the thresholds down, each within what the
	// one before left over.
	mostGrids = 4
	// mostGroups bounds how many groups of human scores a grid counts apart.
	mostGroups = 256
)

// narrow looks for the best threshold from low to high among many pairs.
//
// The pairs are not looked at one by one. A [grid] counts them by how many cells of
// equal width their metric scores are apart, which bounds what is right at every
// threshold within a cell from above. [calibration.rightAt] counts exactly what is
// right at a promising threshold. Only the cells whose bound reaches that count can
// hold the best threshold, and only their pairs are swept.
//
// Where few human scores are equal, [search.bracket] lowers high first.
func (c *calibration) narrow(ctx context.Context, low, high float64) error {
	s := newSearch(c)
	if high = s.bracket(c, low, high); high < low {
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
		left, work := g.left(c.start, c.best.right)
		if len(left) == 0 {
			return nil
		}
		top := min(high, g.width*float64(left[len(left)-1].last+1))
		if work > sweptPairs && level+1 < mostGrids && top < 0.7*high {
			high, s.gridWork = top, min(mostGridWork, 4*c.pairs)
			continue
		}
		for _, part := range left {
			from, to := max(low, g.width*float64(part.first)), min(high, g.width*float64(part.last+1))
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

// A search has the items with finite metric scores, for counting pairs in bulk.
type search struct {
	start    int64 // what is right at ε = 0
	metric   []float64
	count    []int64
	class    []int32 // of the human score: 0 is the lowest
	group    []int32 // of classes that are counted together
	sizes    []int64 // items by class
	groups   int
	lists    [][]int32 // items of each group
	single   []bool    // the items of the group have one human score
	gridWork int       // steps that a grid may take
}

func newSearch(c *calibration) *search {
	first, last := 0, lastFinite(c.metric)
	for first < last && math.IsInf(c.metric[first], -1) {
		first++
	}
	s := &search{start: c.start, metric: c.metric[first:last], gridWork: min(firstGridWork, 4*c.pairs)}
	human := c.human[first:last]
	kinds := slices.Compact(slices.Sorted(slices.Values(human)))
	s.class, s.group, s.sizes = make([]int32, len(human)), make([]int32, len(human)), make([]int64, len(kinds))
	s.count = slices.Repeat([]int64{1}, len(human))
	if c.count != nil {
		copy(s.count, c.count[first:last])
	}
	items := make([]int64, len(kinds))
	for i, h := range human {
		k, _ := slices.BinarySearch(kinds, h)
		s.class[i] = int32(k)
		s.sizes[k] += s.count[i]
		items[k]++
	}
	of := make([]int32, len(kinds))
	most := int64(max(64, len(human)/mostGroups))
	in := int64(0) // items of the open group
	for k, n := range items {
		if k > 0 && in+n > most {
			s.groups++
			in = 0
		}
		in += n
		of[k] = int32(s.groups)
	}
	s.groups++
	s.lists = make([][]int32, s.groups)
	for i, k := range s.class {
		s.group[i] = of[k]
		s.lists[of[k]] = append(s.lists[of[k]], int32(i))
	}
	s.single = slices.Repeat([]bool{true}, s.groups)
	for k := 1; k < len(of); k++ {
		if of[k] == of[k-1] {
			s.single[of[k]] = false
		}
	}
	return s
}

// muchLoss is how many times as many losses as gains there must be for large thresholds
// to be cut off before the first grid. With fewer the grids alone are quicker.
const muchLoss = 16

// bracket cuts off large thresholds that cannot be the best, and gives the largest that
// is left. More ties only add gains and losses, so above a threshold e no more can be
// right than what is right at ε = 0 and all gains less the losses up to e. Where few
// human scores are equal there are few gains, and little is left. Where all differ there
// are none: ε = 0 is the best, and the result is negative.
func (s *search) bracket(c *calibration, low, high float64) float64 {
	all := s.at(high)
	c.offer(all.threshold(s.start))
	if s.start+all.gain <= c.best.right && c.best.epsilon == 0 {
		return -1
	}
	if all.gain > all.loss/muchLoss {
		return high
	}
	for factor := 16.0; factor > 1.2; factor = math.Sqrt(factor) {
		for high >= low {
			below := s.at(high / factor)
			c.offer(below.threshold(s.start))
			most := s.start + all.gain - below.loss
			if most > c.best.right || most == c.best.right && below.epsilon < c.best.epsilon {
				break
			}
			high, all = high/factor, below
		}
	}
	return high
}

// Changes are what thresholds up to an ε change of what is right at ε = 0: the pairs
// with equal human scores that become right, and those that become wrong. epsilon is
// the largest difference up to ε, for which the same holds.
type changes struct {
	gain, loss int64
	epsilon    float64
}

// threshold is what is right with the changes.
func (x changes) threshold(start int64) threshold {
	return threshold{start + x.gain - x.loss, x.epsilon}
}

// rightAt is what is right at a threshold, with the largest difference up to it.
func (s *search) rightAt(epsilon float64) threshold { return s.at(epsilon).threshold(s.start) }

// at counts in O(n log n) the changes up to a threshold. A window of the items whose
// metric is lower by at most ε moves along, and a Fenwick tree counts those of it
// with a lower human score.
func (s *search) at(epsilon float64) (x changes) {
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

// fewDifferences is how many different differences are counted one by one.
const fewDifferences = 64

// differences lists the different metric differences from low to high; false where
// they are many. A metric of whole numbers has few, each of a great many pairs.
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
				if out = append(out, d); len(out) > fewDifferences {
					return nil, false
				}
			}
		}
	}
	return out, true
}

// A fenwick tree keeps sums by class (Fenwick 1994, "A New Data Structure for
// Cumulative Frequency Tables").
type fenwick []int64

func newFenwick(n int) fenwick { return make(fenwick, n+1) }

func (f fenwick) add(class int32, n int64) {
	for i := int(class) + 1; i < len(f); i += i & -i {
		f[i] += n
	}
}

// below is the sum of the classes below one.
func (f fenwick) below(class int32) (n int64) {
	for i := int(class); i > 0; i -= i & -i {
		n += f[i]
	}
	return n
}

// A grid counts pairs by how many cells of equal width their metric scores are
// apart: gain those with equal human scores, loss those that the human score orders
// like the metric, all every pair of items. The pairs within a cell are at 0.
type grid struct {
	width           float64
	gain, loss, all []int64
}

// grid counts the pairs that differ by at most high. It is false where the metric
// has too wide a range for cells to be told apart.
//
// Cells are counted in blocks as wide as high, so that only the pairs of a block and
// of a block with the next are correlated, by Fourier transforms. The groups of
// human scores are in ascending order, so that the sum of the transforms of the
// groups before one stands for all lower human scores. Pairs within a group are
// counted one by one, unless the group is a single score.
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
	starts := make([]int, s.groups) // in each list, the first item of the block
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
	s.within(g, cell)
	return g, true
}

// within counts the pairs in groups of several human scores. It lays the items of a
// group out beside each other, and adds a loss without a branch: which of two items
// has the higher human score is not predictable, and the pairs are many.
func (s *search) within(g grid, cell []int64) {
	most := int64(len(g.all) - 1)
	gain, loss := g.gain, g.loss
	var items []lone
	for k, list := range s.lists {
		if s.single[k] {
			continue
		}
		items = items[:0]
		for _, i := range list {
			items = append(items, lone{cell[i], s.count[i], int64(s.class[i])})
		}
		for a, x := range items {
			for _, y := range items[a+1:] {
				lag := y.cell - x.cell
				if lag > most {
					break
				}
				loss[lag] += x.count * y.count & ((x.class - y.class) >> 63) // a mask: -1 where x is lower, else 0
				if x.class == y.class {
					gain[lag] += x.count * y.count
				}
			}
		}
	}
	loss[0] = 0 // no pair within a cell counts as a loss
}

// A lone item is one whose pairs are counted one by one.
type lone struct{ cell, count, class int64 }

// A correlator adds up the correlations of the cells of groups.
type correlator struct {
	cells            int
	fft              *fourier.FFT
	origin           int64 // first cell of the block
	row              []float64
	mine, next       []complex128
	lower            []complex128 // groups before, in the block
	loneMine         []complex128 // every item, counted once
	loneNext         []complex128
	gain, loss, lone []complex128
}

func newCorrelator(cells int) *correlator {
	c := &correlator{cells: cells, fft: fourier.NewFFT(2 * cells), row: make([]float64, 2*cells)}
	for _, a := range []*[]complex128{&c.mine, &c.next, &c.lower, &c.loneMine, &c.loneNext, &c.gain, &c.loss, &c.lone} {
		*a = make([]complex128, cells+1)
	}
	return c
}

func (c *correlator) open(origin int64) {
	c.origin = origin
	clear(c.lower)
	clear(c.loneMine)
	clear(c.loneNext)
}

// group adds the items of a list from a place on that lie in the block or the next.
func (c *correlator) group(s *search, k int, list []int32, from int, cell []int64) {
	if from == len(list) || cell[list[from]] >= c.origin+int64(2*c.cells) {
		return
	}
	var to int
	clear(c.row)
	for to = from; to < len(list) && cell[list[to]] < c.origin+int64(c.cells); to++ {
		c.row[cell[list[to]]-c.origin] += float64(s.count[list[to]])
	}
	hasMine := to > from
	if hasMine {
		c.fft.Coefficients(c.mine, c.row)
	} else {
		clear(c.mine)
	}
	// What lies in the next block stands behind the block.
	copy(c.next, c.mine)
	if to < len(list) && cell[list[to]] < c.origin+int64(2*c.cells) {
		clear(c.row[:c.cells])
		for ; to < len(list) && cell[list[to]] < c.origin+int64(2*c.cells); to++ {
			c.row[cell[list[to]]-c.origin] += float64(s.count[list[to]])
		}
		c.fft.Coefficients(c.next, c.row)
		for i, x := range c.mine {
			c.next[i] += x
		}
	}
	for i, y := range c.next {
		c.loss[i] += conj(c.lower[i]) * y
		if s.single[k] {
			c.gain[i] += conj(c.mine[i]) * y
		}
		c.lower[i] += c.mine[i]
		c.loneMine[i] += c.mine[i]
		c.loneNext[i] += y
	}
}

func conj(x complex128) complex128 { return complex(real(x), -imag(x)) }

// close ends the block.
func (c *correlator) close() {
	for i, x := range c.loneMine {
		c.lone[i] += conj(x) * c.loneNext[i]
	}
}

// counts writes the correlations at the lags of a grid. Within a cell every pair of
// equal scores counts twice and each item with itself, which bounds them from above;
// none counts as a loss.
func (c *correlator) counts(g grid) {
	for _, x := range []struct {
		of  []complex128
		out []int64
	}{{c.gain, g.gain}, {c.loss, g.loss}, {c.lone, g.all}} {
		c.fft.Sequence(c.row, x.of)
		for k := range x.out {
			x.out[k] = int64(math.Round(c.row[k] / float64(2*c.cells)))
		}
	}
	g.gain[0] = (g.gain[0] + 1) / 2
	g.loss[0] = 0
}

// bound is the most that can be right in each cell, less what is right at ε = 0:
// every gain that may lie up to the end of the cell counts, and only the losses that
// certainly lie below it. The difference of a pair lies within one cell of its lag.
// One more is allowed below for rounding at the border to the cell before.
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

// promising are the cells at whose ends the most is right, as far as the grid tells.
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

// A stretch is a run of cells.
type stretch struct{ first, last int }

// left are the cells that can hold a threshold at which as much is right as at a
// known one, and how many pairs they have.
func (g grid) left(start, known int64) (out []stretch, work int64) {
	rounding := roundingOf(g)
	for k, b := range g.bound() {
		if start+b+rounding < known {
			continue
		}
		work += g.all[k]
		if n := len(out); n > 0 && out[n-1].last == k-1 {
			out[n-1].last = k
		} else {
			out = append(out, stretch{k, k})
		}
	}
	return out, work
}

// roundingOf bounds how far the sums of a grid may be off because its Fourier
// transforms are rounded.
func roundingOf(g grid) int64 {
	var all int64
	for _, n := range g.all {
		all += n
	}
	return all / (1 << 40)
}
