package stat

import (
	"context"
	"math"
	"slices"
)

// QuantileTotals holds values by document, for their quantiles and the intervals of these. The zero value is empty.
// It takes 8 bytes for each value.
type QuantileTotals struct {
	values    []float64
	documents []documentEnd
}

// Add adds a value of a document, which is not NaN.
func (m *QuantileTotals) Add(document int, value float64) {
	m.values = append(m.values, value)
	m.documents = runUntil(m.documents, document, len(m.values))
}

// Grow makes room for n further values.
func (m *QuantileTotals) Grow(n int) { m.values = slices.Grow(m.values, n) }

// Values returns the values in the order in which they were added. The caller must not change them.
func (m *QuantileTotals) Values() []float64 { return m.values }

// Interval returns the quantile q in [0, 1] and its interval: the quantiles at the bounds of the interval of the
// share of values below it, in which a value that equals it counts half (Woodruff 1952, "Confidence Intervals for
// Medians and Other Position Measures"). The bounds of the share are those of [Totals.Intervals]. The error is that
// of ctx.
func (m *QuantileTotals) Interval(ctx context.Context, b Bootstrap, q float64) (at float64, in Interval, err error) {
	values := slices.Clone(m.values)
	slices.Sort(values)
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
