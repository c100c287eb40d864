package stat

import (
	"cmp"
	"context"
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

// Interval returns the interval of tau-b over drawn documents, by [Totals.Intervals] and [pairTotals].
func (t *TauTotals) Interval(ctx context.Context, b Bootstrap) (Interval, error) {
	order := make([]int, len(t.x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(Order(t.x[i], t.x[j]), Order(t.y[i], t.y[j])) })
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
	var totals Totals
	from := int32(0)
	for _, run := range t.documents {
		for i := from; i < run.end; i++ {
			pairs.add(&totals, int(run.document), 0, int(of[i]), 1)
		}
		from = run.end
	}
	all, err := totals.Intervals(ctx, b, func(sums []float64) []float64 {
		if len(sums) == 0 {
			return []float64{math.NaN()}
		}
		return []float64{pairs.tauB(sums)}
	})
	if err != nil {
		return Interval{}, err
	}
	return all[0], nil
}

// tiedItems are n items with the same two scores.
type tiedItems struct {
	x, y float64
	n    int
}

// pairTotals holds for each group of tied items what tau-b sums over pairs: how many more of the other items they are ordered with alike than
// oppositely, and from how many they differ in x and in y. The sums of these numbers over all items are twice C − D, and twice the
// pairs that differ in x and in y.
//
// The tau-b of a resample would compare the drawn items with each other. [pairTotals.tauB] compares them with all items, and doubles the
// change, since each of the two items of a pair is drawn. It is the tau-b of the resample to first order (Hoeffding 1948, "A Class of Statistics
// with Asymptotically Normal Distribution").
type pairTotals struct {
	of  [][3]float64 // by place of the group
	all [3]float64
}

// pairTotalsOf compares groups of tied items, in ascending order of x, then of y, each pair of scores once. Time is that of sorting them.
func pairTotalsOf(items []tiedItems) pairTotals {
	p := pairTotals{of: make([][3]float64, len(items))}
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

// add adds n items of a group to a document: to three columns of totals from a column.
func (p pairTotals) add(totals *Totals, document, column, group int, n float64) {
	for k, v := range p.of[group] {
		totals.Add(document, column+k, n*v)
	}
}

// tauB is tau-b by the sums that [pairTotals.add] adds up. It is exact for those of all items, and NaN where a score is constant.
func (p pairTotals) tauB(sums []float64) float64 {
	of := func(s []float64) float64 { return s[0] / math.Sqrt(s[1]) / math.Sqrt(s[2]) } // NaN if a score is constant
	return max(-1, min(1, 2*of(sums)-of(p.all[:])))
}

// prefixSums counts by place (Fenwick 1994, "A New Data Structure for Cumulative Frequency Tables"). Its length is one more than the number of places.
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
