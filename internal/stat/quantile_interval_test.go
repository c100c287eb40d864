package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQuantileTotalsWithout: neither nothing nor one document has an interval.
func TestQuantileTotalsWithout(t *testing.T) {
	b := Bootstrap{Resamples: 20, Seed: 3, Level: 0.9}
	var none, single QuantileTotals
	single.Add(1, 4)
	single.Add(1, 6)
	if m, in, err := none.Interval(t.Context(), b, 0.5); err != nil || in.Resamples != 0 || !math.IsNaN(m) {
		t.Errorf("the median of nothing is %v %+v, %v", m, in, err)
	}
	if m, in, err := single.Interval(t.Context(), b, 0.5); err != nil || in.Resamples != 0 || m != 5 {
		t.Errorf("the median of one document is %v %+v, %v", m, in, err)
	}
}

// TestQuantileTotals: the bounds are the values at the bounds of the share below the median, and enclose it where many values equal it.
func TestQuantileTotals(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 9))
	for _, kinds := range []int{1 << 30, 6, 2} {
		var m QuantileTotals
		by := make([][]float64, 15)
		for n := range 150 {
			v := float64(random.IntN(kinds))
			by[n/10] = append(by[n/10], v)
		}
		for n := range 150 {
			n = (n + 75) % 150 // the document that is first is last too
			m.Add(n/10, by[n/10][n%10])
		}
		values := slices.Sorted(slices.Values(slices.Concat(by...)))
		middle := (values[74] + values[75]) / 2
		b := Bootstrap{Resamples: 300, Seed: 5, Level: 0.95}
		drawn, _ := Resample(t.Context(), 15, b.Resamples, b.Seed, func(sample []int) float64 {
			below, n := 0.0, 0.0
			for _, d := range sample {
				for _, v := range by[d] {
					n++
					if v < middle {
						below++
					} else if v == middle {
						below += .5
					}
				}
			}
			return below / n
		})
		share := PercentileInterval(drawn, ExpandedLevel(b.Level, 15))
		median, got, err := m.Interval(t.Context(), b, 0.5)
		if err != nil || median != middle || got.Low != Quantile(values, share.Low) || got.High != Quantile(values, share.High) || got.Low > median || got.High < median {
			t.Errorf("%d kinds: got %v %+v, %v", kinds, median, got, err)
		}
	}
}
