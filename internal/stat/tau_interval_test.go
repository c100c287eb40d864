package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/testenv"
)

// TestTauTotals: the interval is that of the tau-b of all other documents, for each document. Documents come back, and scores tie.
func TestTauTotals(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 8))
	var totals TauTotals
	var x, y []float64
	var documents []int
	for n := range 120 {
		d := n / 4 % 12
		u := float64(random.IntN(5))
		v := u + float64(random.IntN(6))
		x, y, documents = append(x, u), append(y, v), append(documents, d)
		totals.Add(d, []float64{u}, []float64{v})
	}
	b := Bootstrap{Resamples: 400, Seed: 3, Level: 0.9}
	got, err := totals.Interval(t.Context(), b)
	var pseudo []float64
	for d := range 12 {
		var u, v []float64
		for i := range x {
			if documents[i] != d {
				u, v = append(u, x[i]), append(v, y[i])
			}
		}
		pseudo = append(pseudo, 12*TauB(x, y)-11*TauB(u, v))
	}
	half := 1.795884818704 * Deviation(pseudo) / math.Sqrt(12-1) // the quantile 0.95 of Student's distribution with 11 degrees of freedom
	if low, high := TauB(x, y)-half, TauB(x, y)+half; err != nil || !testenv.Near(got.Low, low, 1e-9) || !testenv.Near(got.High, high, 1e-9) || got.Resamples != 12 {
		t.Errorf("got %+v, %v, want %v to %v", got, err, low, high)
	}
}

// TestTauTotalsWithout: nothing, one document and a constant score have no interval.
func TestTauTotalsWithout(t *testing.T) {
	b := Bootstrap{Resamples: 20, Seed: 3, Level: 0.9}
	var nothing, one, constant TauTotals
	one.Add(2, []float64{1, 2, 3}, []float64{3, 1, 4})
	constant.Add(0, []float64{1, 1}, []float64{3, 1})
	constant.Add(1, []float64{1, 1}, []float64{3, 1})
	for i, tau := range []*TauTotals{&nothing, &one, &constant} {
		if in, err := tau.Interval(t.Context(), b); err != nil || in.Resamples != 0 || !math.IsNaN(in.Low) {
			t.Errorf("tau-b %d: %+v, %v", i, in, err)
		}
	}
}
