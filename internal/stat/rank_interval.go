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

// runUntil lets the last run of a document end at a place, or adds one that does.
func runUntil(runs []documentEnd, document, end int) []documentEnd {
	if n := len(runs); n > 0 && runs[n-1].document == int32(document) {
		runs[n-1].end = int32(end)
		return runs
	}
	return append(runs, documentEnd{int32(document), int32(end)})
}

// Scores returns the scores in the order in which they were added. The caller must not change them.
func (t *TauTotals) Scores() (x, y []float64) { return t.x, t.y }

// Interval returns the interval of tau-b over drawn documents, by [Totals.Intervals] and [PairTotals].
func (t *TauTotals) Interval(ctx context.Context, b Bootstrap) (Interval, error) {
	order := make([]int, len(t.x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(Order(t.x[i], t.x[j]), Order(t.y[i], t.y[j])) })
	var cells []Tied
	of := make([]int32, len(t.x)) // by pair of scores: its cell
	for k, i := range order {
		if k == 0 || t.x[i] != t.x[order[k-1]] || t.y[i] != t.y[order[k-1]] {
			cells = append(cells, Tied{X: t.x[i], Y: t.y[i]})
		}
		of[i] = int32(len(cells) - 1)
		cells[of[i]].N++
	}
	pairs := PairTotalsOf(cells)
	var totals Totals
	from := int32(0)
	for _, run := range t.documents {
		for i := from; i < run.end; i++ {
			pairs.Add(&totals, int(run.document), 0, int(of[i]), 1)
		}
		from = run.end
	}
	all, err := totals.Intervals(ctx, b, func(sums []float64) []float64 {
		if len(sums) == 0 {
			return []float64{math.NaN()}
		}
		return []float64{pairs.TauB(sums)}
	})
	if err != nil {
		return Interval{}, err
	}
	return all[0], nil
}

// Tied are N items with the same two scores.
type Tied struct {
	X, Y float64
	N    int
}

// PairTotals holds for each group of tied items what tau-b sums over pairs: how many more of the other items they are ordered with alike than
// oppositely, and from how many they differ in x and in y. The sums of these numbers over all items are twice C − D, and twice the
// pairs that differ in x and in y.
//
// The tau-b of a resample would compare the drawn items with each other. [PairTotals.TauB] compares them with all items, and doubles the
// change, since each of the two items of a pair is drawn. It is the tau-b of the resample to first order (Hoeffding 1948, "A Class of Statistics
// with Asymptotically Normal Distribution").
type PairTotals struct {
	of  [][3]float64 // by place of the group
	all [3]float64
}

// PairTotalsOf compares groups of tied items, in ascending order of X, then of Y, each pair of scores once. Time is that of sorting them.
func PairTotalsOf(items []Tied) PairTotals {
	p := PairTotals{of: make([][3]float64, len(items))}
	ys := make([]float64, len(items))
	for i, t := range items {
		ys[i] = t.Y
	}
	slices.Sort(ys)
	ys = slices.Compact(ys)
	place := make([]int, len(items))
	everywhere, before := make(prefixSums, len(ys)+1), make(prefixSums, len(ys)+1)
	n := 0
	for i, t := range items {
		place[i], _ = slices.BinarySearch(ys, t.Y)
		everywhere.add(place[i], t.N)
		n += t.N
	}
	// order returns how many more of the items in sums have a lower y than have a higher one.
	order := func(sums prefixSums, in, y int) int { return sums.below(y) - (in - sums.below(y+1)) }
	read := 0
	for from := 0; from < len(items); {
		to, tied := from, 0
		for to < len(items) && items[to].X == items[from].X {
			tied += items[to].N
			to++
		}
		for i := from; i < to; i++ { // those with a lower x
			p.of[i][0] = float64(order(before, read, place[i]))
		}
		for i := from; i < to; i++ {
			before.add(place[i], items[i].N)
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
			p.all[k] += p.of[i][k] * float64(t.N)
		}
	}
	return p
}

// Add adds n items of a group to a document: to three columns of totals from a column.
func (p PairTotals) Add(totals *Totals, document, column, group int, n float64) {
	for k, v := range p.of[group] {
		totals.Add(document, column+k, n*v)
	}
}

// TauB is tau-b by the sums that [PairTotals.Add] adds up. It is exact for those of all items, and NaN where a score is constant.
func (p PairTotals) TauB(sums []float64) float64 {
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

// QuantileTotals holds values by document, for their quantiles and the intervals of these. The zero value is empty. It takes 8 bytes for each
// value.
type QuantileTotals struct {
	values    []float64
	documents []documentEnd
}

// Add adds a value of a document, which is not NaN.
func (m *QuantileTotals) Add(document int, value float64) {
	m.values = append(m.values, value)
	m.documents = runUntil(m.documents, document, len(m.values))
}

// Merge adds the values of other documents, or other values of the same.
func (m *QuantileTotals) Merge(o *QuantileTotals) {
	before := len(m.values)
	m.values = append(m.values, o.values...)
	for _, run := range o.documents {
		m.documents = runUntil(m.documents, int(run.document), before+int(run.end))
	}
}

// Values returns the values in the order in which they were added. The caller must not change them.
func (m *QuantileTotals) Values() []float64 { return m.values }

// Interval returns the quantile q in [0, 1] and its interval: the quantiles at the bounds of the interval of the share of values below it, in which a
// value that equals it counts half (Woodruff 1952, "Confidence Intervals for Medians and Other Position Measures"). The bounds of
// the share are those of [Totals.Intervals]. The error is that of ctx.
func (m *QuantileTotals) Interval(ctx context.Context, b Bootstrap, q float64) (at float64, in Interval, err error) {
	values := slices.Sorted(slices.Values(m.values))
	at = Quantile(values, q)
	var totals Totals
	from := int32(0)
	for _, run := range m.documents {
		for _, v := range m.values[from:run.end] {
			totals.Add(int(run.document), 0, 1)
			totals.Add(int(run.document), 1, 0.5*float64(1+Order(at, v)))
		}
		from = run.end
	}
	all, err := totals.Intervals(ctx, b, func(sums []float64) []float64 {
		if len(sums) == 0 {
			return []float64{math.NaN()}
		}
		return []float64{sums[1] / sums[0]}
	})
	if err != nil {
		return at, in, err
	}
	in = all[0]
	if in.Resamples > 0 {
		in.Low, in.High = Quantile(values, in.Low), Quantile(values, in.High)
	}
	return at, in, nil
}
