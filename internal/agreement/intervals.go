package agreement

import (
	"context"
	"math"
	"slices"

	"annotate/internal/stat"
)

// The types of this file hold, by document, the sums that a coefficient is a function of. Their intervals are those of
// [stat.Totals.Intervals], which draws documents. That of alpha is the one of [stat.Totals.Jackknife].

// AlphaTotals holds the sums of [Alpha]. It has to be made by [NewAlphaTotals].
type AlphaTotals struct {
	metric Metric
	totals stat.Totals
	// The columns of nominal and ordinal values, by pair of values, the lower one first. The column of two equal values counts
	// this value, that of two different ones counts how often they coincide.
	columns map[[2]float64]int
	values  [][2]float64 // by column, from column 1
}

// NewAlphaTotals returns the sums of no units.
func NewAlphaTotals(metric Metric) *AlphaTotals {
	return &AlphaTotals{metric: metric, columns: map[[2]float64]int{}, values: [][2]float64{{}}}
}

// The columns of [AlphaTotals]. Column 0 is the observed disagreement Do. It stays empty for ordinal values, whose distances depend on
// the values of all documents.
const (
	alphaObserved = iota
	alphaRatings  // of interval values, as the two below
	alphaSum
	alphaSquares
)

// Add adds the ratings of a unit, as in [Alpha]. None is NaN. document numbers its document.
func (a *AlphaTotals) Add(document int, unit []float64) {
	n := len(unit)
	if n < 2 {
		return
	}
	counts := countsOf(unit)
	if a.metric != Ordinal {
		a.totals.Add(document, alphaObserved, a.metric.disagreement(counts, n))
	}
	for i, k := range counts {
		if a.metric == Interval {
			a.totals.Add(document, alphaRatings, float64(k.count))
			a.totals.Add(document, alphaSum, float64(k.count)*k.value)
			a.totals.Add(document, alphaSquares, float64(k.count)*k.value*k.value)
			continue
		}
		a.totals.Add(document, a.column(k.value, k.value), float64(k.count))
		for _, l := range counts[i+1:] {
			if a.metric == Ordinal {
				a.totals.Add(document, a.column(k.value, l.value), 2*float64(k.count*l.count)/float64(n-1))
			}
		}
	}
}

// column returns the column of two values.
func (a *AlphaTotals) column(low, high float64) int {
	key := [2]float64{low, high}
	at, ok := a.columns[key]
	if !ok {
		at = len(a.values)
		a.columns[key], a.values = at, append(a.values, key)
	}
	return at
}

// Interval returns the interval of alpha, by [stat.Totals.Jackknife]. Its bounds are within [-1, 1], as alpha is.
func (a *AlphaTotals) Interval(ctx context.Context, b stat.Bootstrap) (stat.Interval, error) {
	var order []int // the columns of numbers of values, in ascending order of the values
	for column, v := range a.values[1:] {
		if v[0] == v[1] {
			order = append(order, column+1)
		}
	}
	slices.SortFunc(order, func(x, y int) int {
		if a.values[x][0] < a.values[y][0] {
			return -1
		}
		return 1
	})
	in, err := a.totals.Jackknife(ctx, b, func(t []float64) float64 { return a.of(t, order) })
	in.Low, in.High = max(-1, in.Low), min(1, in.High)
	return in, err
}

// of is alpha by totals.
func (a *AlphaTotals) of(t []float64, order []int) float64 {
	if len(t) == 0 {
		return math.NaN()
	}
	if a.metric == Interval {
		n, x, xx := t[alphaRatings], t[alphaSum], t[alphaSquares]
		if n*xx-x*x <= 1e-12*n*xx {
			return math.NaN()
		}
		return 1 - t[alphaObserved]*(n-1)/(2*(n*xx-x*x))
	}
	var counts []valueCount
	n := 0
	rank := make(map[float64]float64, len(order))
	for _, column := range order {
		count := int(t[column])
		if count == 0 {
			continue
		}
		v := a.values[column][0]
		if a.metric == Ordinal {
			rank[v] = float64(n) + float64(count+1)/2
			counts = append(counts, valueCount{rank[v], count})
		} else {
			counts = append(counts, valueCount{v, count})
		}
		n += count
	}
	if len(counts) < 2 {
		return math.NaN()
	}
	observed := t[alphaObserved]
	if a.metric == Ordinal {
		for column, v := range a.values[1:] {
			if d := rank[v[0]] - rank[v[1]]; d != 0 && t[column+1] != 0 {
				observed += t[column+1] * d * d
			}
		}
	}
	return 1 - observed/a.metric.disagreement(counts, n)
}

// one returns the only interval of a list.
func one(all []stat.Interval, err error) (stat.Interval, error) {
	if err != nil {
		return stat.Interval{}, err
	}
	return all[0], nil
}

// KappaTotals holds the sums of [Kappa] or, if it is Nominal, of [NominalKappa]. The zero value is empty.
type KappaTotals struct {
	Nominal bool
	totals  stat.Totals
	values  map[float64]int // the number of each value, if Nominal
}

// Add adds the scores of some translations of a document, as in [Kappa]. It panics if the lengths differ.
func (k *KappaTotals) Add(document int, x, y []float64) {
	if len(x) != len(y) {
		panic("agreement: slice length mismatch")
	}
	for i, a := range x {
		b := y[i]
		k.totals.Add(document, 0, 1)
		if !k.Nominal {
			for column, v := range []float64{(a - b) * (a - b), a, b, a*a + b*b} {
				k.totals.Add(document, 1+column, v)
			}
			continue
		}
		if a == b {
			k.totals.Add(document, 1, 1)
		}
		k.totals.Add(document, 2+2*k.number(a), 1)
		k.totals.Add(document, 3+2*k.number(b), 1)
	}
}

func (k *KappaTotals) number(value float64) int {
	n, ok := k.values[value]
	if !ok {
		if k.values == nil {
			k.values = map[float64]int{}
		}
		n = len(k.values)
		k.values[value] = n
	}
	return n
}

// Interval returns the interval of kappa. Resamples in which both annotators give one value throughout are left out.
func (k *KappaTotals) Interval(ctx context.Context, b stat.Bootstrap) (stat.Interval, error) {
	return one(k.totals.Intervals(ctx, b, func(t []float64) []float64 {
		switch {
		case len(t) == 0:
			return []float64{math.NaN()}
		case !k.Nominal:
			return []float64{kappaOf(t[0], t[1], t[2], t[3], t[4])}
		}
		expected := 0.0
		for i := 2; i+1 < len(t); i += 2 {
			expected += t[i] * t[i+1]
		}
		return []float64{nominalKappaOf(t[0], t[1], expected)}
	}))
}

// OthersTotals holds the sums of [LeaveOneOut] and [MeanDifference]. The zero value is empty.
type OthersTotals struct{ totals stat.Totals }

// Add adds an annotator's score of a translation and the mean score of the others.
func (o *OthersTotals) Add(document int, own, others float64) {
	for column, v := range []float64{1, own, others, own * own, others * others, own * others} {
		o.totals.Add(document, column, v)
	}
}

// Intervals returns the intervals of [LeaveOneOut] and [MeanDifference].
func (o *OthersTotals) Intervals(ctx context.Context, b stat.Bootstrap) (r, difference stat.Interval, err error) {
	all, err := o.totals.Intervals(ctx, b, func(t []float64) []float64 {
		if len(t) == 0 || t[0] == 0 {
			return []float64{math.NaN(), math.NaN()}
		}
		r := math.NaN()
		if t[0] >= minShared {
			r = stat.PearsonOf(t[0], t[1], t[2], t[3], t[4], t[5])
		}
		return []float64{r, (t[1] - t[2]) / t[0]}
	})
	if err != nil {
		return r, difference, err
	}
	return all[0], all[1], nil
}

// SpanTotals holds the sums of [Spans]. The zero value is empty.
type SpanTotals struct{ totals stat.Totals }

// Add adds the comparison of some translations of a document.
func (s *SpanTotals) Add(document int, c Spans) {
	for column, v := range []float64{
		float64(c.Translations), float64(c.Alike), float64(c.CharsBoth), float64(c.CharsA), float64(c.CharsB),
		float64(c.Matched), float64(c.SpansA), float64(c.SpansB), c.ofB.Value(), c.ofA.Value(),
	} {
		s.totals.Add(document, column, v)
	}
}

// SpanIntervals are the intervals of the statistics of [Spans].
type SpanIntervals struct {
	Presence, CharF1, OverlapOfA, OverlapOfB, Precision, Recall, F1 stat.Interval
}

// Intervals returns the intervals. Resamples in which nobody marked anything are left out of those of F1, precision and recall.
func (s *SpanTotals) Intervals(ctx context.Context, b stat.Bootstrap) (SpanIntervals, error) {
	all, err := s.totals.Intervals(ctx, b, func(t []float64) []float64 {
		t = append(t, make([]float64, 10)...)
		c := Spans{Translations: int(t[0]), Alike: int(t[1]), CharsBoth: int(t[2]), CharsA: int(t[3]), CharsB: int(t[4]),
			Matched: int(t[5]), SpansA: int(t[6]), SpansB: int(t[7])}
		c.ofB.Add(t[8])
		c.ofA.Add(t[9])
		chars := math.NaN()
		if c.SpansA+c.SpansB > 0 {
			chars = c.CharF1()
		}
		precision, recall, f1 := c.Matches()
		return []float64{c.Presence(), chars, c.OverlapOfA(), c.OverlapOfB(), precision, recall, f1}
	})
	if err != nil {
		return SpanIntervals{}, err
	}
	return SpanIntervals{all[0], all[1], all[2], all[3], all[4], all[5], all[6]}, nil
}

// Intervals returns the intervals of the two coefficients of a pair of annotators, those of [Matrices.SystemLevel] and
// [Matrices.SegmentLevel]. Both bounds are NaN for a pair that shares nothing.
func (m *Matrices) Intervals(ctx context.Context, b stat.Bootstrap, one, other string) (system, segment stat.Interval, err error) {
	p := m.pairs[[2]string{min(one, other), max(one, other)}]
	if p == nil {
		p = &pairSums{}
	}
	all, err := p.totals.Intervals(ctx, b, func(t []float64) []float64 {
		if len(t) < 2 {
			return []float64{math.NaN(), math.NaN()}
		}
		var counts []int
		var x, y []float64
		for i := 2; i+2 < len(t); i += 3 {
			counts, x, y = append(counts, int(t[i])), append(x, t[i+1]), append(y, t[i+2])
		}
		r, _ := systemLevel(counts, x, y)
		return []float64{r, t[0] / t[1]} // NaN if no segment has an r
	})
	if err != nil {
		return system, segment, err
	}
	return all[0], all[1], nil
}
