package stat

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
)

// TauTotals holds pairs of scores by document, for [TauB] and its interval. The zero value is empty. It takes 16 bytes for each pair.
type TauTotals struct {
	x, y      []float64
	documents []documentEnd
}

// Add adds pairs of scores of a document; none is NaN. It panics if the lengths differ.
func (t *TauTotals) Add(document int, x, y []float64) {
	if len(x) != len(y) {
		panic("stat: slice length mismatch")
	}
	t.x, t.y = append(t.x, x...), append(t.y, y...)
	t.documents = runUntil(t.documents, document, len(t.x))
}

// Scores returns the scores in the order in which they were added. The caller must not change them.
func (t *TauTotals) Scores() (x, y []float64) { return t.x, t.y }

// Interval returns the interval of tau-b by [JackknifeInterval], which leaves out one document at a time. Its bounds
// are within [-1, 1]. Both are also NaN if b.Resamples is 0. Time is that of sorting the pairs of scores. The error
// is that of ctx.
func (t *TauTotals) Interval(ctx context.Context, b Bootstrap) (Interval, error) {
	if b.Resamples == 0 {
		return Interval{Low: math.NaN(), High: math.NaN()}, ctx.Err()
	}
	order := make([]int32, len(t.x))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Or(Order(t.x[i], t.x[j]), Order(t.y[i], t.y[j])) })
	var cells []tiedItems
	of := make([]int32, len(t.x)) // by pair of scores: its cell
	for k, i := range order {
		if k == 0 || t.x[i] != t.x[order[k-1]] || t.y[i] != t.y[order[k-1]] {
			cells = append(cells, tiedItems{x: t.x[i], y: t.y[i]})
		}
		of[i] = int32(len(cells) - 1)
		cells[of[i]].n++
	}
	pairs := pairTotalsOf(cells)
	documents, from := map[int32][]int32{}, int32(0) // the cells of the items of each document
	for _, run := range t.documents {
		documents[run.document] = append(documents[run.document], of[from:run.end]...)
		from = run.end
	}
	var without []float64
	for _, document := range slices.Sorted(maps.Keys(documents)) {
		if err := ctx.Err(); err != nil {
			return Interval{}, err
		}
		without = append(without, pairs.without(cells, documents[document]).tauB())
	}
	in := JackknifeInterval(pairs.all.tauB(), without, b.Level)
	in.Low, in.High = max(-1, in.Low), min(1, in.High)
	return in, nil
}

// tiedItems are n items with the same two scores.
type tiedItems struct {
	x, y float64
	n    int
}

// pairSums are what tau-b sums over pairs: twice C − D, and twice the pairs that differ in x and in y. Of an item
// they are over its pairs: how many more of the other items it is ordered with alike than oppositely, and from how
// many it differs in x and in y.
type pairSums [3]float64

func (s pairSums) tauB() float64 { return s[0] / math.Sqrt(s[1]) / math.Sqrt(s[2]) } // NaN if a score is constant

// pairTotals holds the sums of an item of each group, by place of the group, and those of all items.
type pairTotals struct {
	of  []pairSums
	all pairSums
}

// without returns the sums of the pairs without some items. groups has the group of each of these.
func (p pairTotals) without(items []tiedItems, groups []int32) pairSums {
	slices.Sort(groups)
	var left []tiedItems
	out := p.all
	for i, group := range groups {
		if i == 0 || group != groups[i-1] {
			left = append(left, tiedItems{x: items[group].x, y: items[group].y})
		}
		left[len(left)-1].n++
		for k, v := range p.of[group] {
			out[k] -= 2 * v // each pair with another item, in both orders, and each pair among them twice
		}
	}
	for k, v := range pairTotalsOf(left).all {
		out[k] += v
	}
	return out
}

// pairTotalsOf compares groups of tied items, in ascending order of x, then of y, each pair of scores once. Time is that of sorting them.
func pairTotalsOf(items []tiedItems) pairTotals {
	p := pairTotals{of: make([]pairSums, len(items))}
	ys := make([]float64, len(items))
	for i, t := range items {
		ys[i] = t.y
	}
	slices.Sort(ys)
	ys = slices.Compact(ys)
	place := make([]int, len(items))
	everywhere, before := make(prefixSums, len(ys)+1), make(prefixSums, len(ys)+1)
	n := 0
	for i, t := range items {
		place[i], _ = slices.BinarySearch(ys, t.y)
		everywhere.add(place[i], t.n)
		n += t.n
	}
	// order returns how many more of the items in sums have a lower y than have a higher one.
	order := func(sums prefixSums, in, y int) int { return sums.below(y) - (in - sums.below(y+1)) }
	read := 0
	for from := 0; from < len(items); {
		to, tied := from, 0
		for to < len(items) && items[to].x == items[from].x {
			tied += items[to].n
			to++
		}
		for i := from; i < to; i++ { // those with a lower x
			p.of[i][0] = float64(order(before, read, place[i]))
		}
		for i := from; i < to; i++ {
			before.add(place[i], items[i].n)
		}
		read += tied
		for i := from; i < to; i++ { // those with a higher x
			p.of[i][0] -= float64(order(everywhere, n, place[i]) - order(before, read, place[i]))
			p.of[i][1] = float64(n - tied)
			p.of[i][2] = float64(n - (everywhere.below(place[i]+1) - everywhere.below(place[i])))
		}
		from = to
	}
	for i, t := range items {
		for k := range p.all {
			p.all[k] += p.of[i][k] * float64(t.n)
		}
	}
	return p
}

// prefixSums counts by place (Fenwick 1994, "A New Data Structure for Cumulative Frequency Tables"). Its length is
// one more than the number of places.
type prefixSums []int

func (s prefixSums) add(place, n int) {
	for i := place + 1; i < len(s); i += i & -i {
		s[i] += n
	}
}

// below returns the sum over the places below place.
func (s prefixSums) below(place int) (sum int) {
	for i := place; i > 0; i -= i & -i {
		sum += s[i]
	}
	return sum
}
