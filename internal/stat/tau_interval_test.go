package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/testenv"
)

// TestTauTotals computes the interval a second time: each item is compared with each other one, and every item of a drawn document counts as often as it is
// drawn. Documents come back, scores tie, and one document repeats another.
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
	sums := make([][3]float64, 12)
	var all [3]float64
	for i := range x {
		for j := range x {
			a, c := Order(x[i], x[j]), Order(y[i], y[j])
			for k, v := range []float64{float64(a * c), float64(a * a), float64(c * c)} {
				sums[documents[i]][k] += v
				all[k] += v
			}
		}
	}
	if tau := all[0] / math.Sqrt(all[1]*all[2]); !testenv.Near(tau, TauB(x, y), 1e-12) {
		t.Fatalf("tau-b is %v by pairs and %v", tau, TauB(x, y))
	}
	drawn, _ := Resample(t.Context(), 12, b.Resamples, b.Seed, func(sample []int) float64 {
		var of [3]float64
		for _, d := range sample {
			for k := range of {
				of[k] += sums[d][k]
			}
		}
		return 2*of[0]/math.Sqrt(of[1]*of[2]) - TauB(x, y)
	})
	want := PercentileInterval(drawn, ExpandedLevel(b.Level, 12))
	if err != nil || !testenv.Near(got.Low, want.Low, 1e-9) || !testenv.Near(got.High, want.High, 1e-9) || got.Resamples != want.Resamples {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	// The pairs of every resample, counted anew: the spread is nearly the same.
	again, _ := Resample(t.Context(), 12, b.Resamples, b.Seed, func(sample []int) float64 {
		var u, v []float64
		for _, d := range sample {
			for i := range x {
				if documents[i] == d {
					u, v = append(u, x[i]), append(v, y[i])
				}
			}
		}
		return TauB(u, v)
	})
	if full := PercentileInterval(again, ExpandedLevel(b.Level, 12)); math.Abs(full.Low-got.Low) > .03 || math.Abs(full.High-got.High) > .03 {
		t.Errorf("got %+v, and %+v where pairs are counted anew", got, full)
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
