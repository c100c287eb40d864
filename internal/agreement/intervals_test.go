package agreement

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// TestIntervals: the intervals are those of the coefficients of the ratings put together of the drawn documents or, for alpha, of all documents but
// one, for scales whose values are not all in every document.
func TestIntervals(t *testing.T) {
	const documents = 8
	random := rand.New(rand.NewPCG(4, 1))
	units := make([][][]float64, documents)
	for d := range units {
		for range 4 {
			at := float64(random.IntN(4))
			units[d] = append(units[d], []float64{at, min(4, at+float64(random.IntN(2))), float64(random.IntN(5))})
		}
	}
	b := stat.Bootstrap{Resamples: 200, Seed: 9, Level: 0.95}
	check := func(name string, got stat.Interval, err error, of func(units [][]float64) float64) {
		t.Helper()
		values, _ := stat.Resample(t.Context(), documents, b.Resamples, b.Seed, func(sample []int) float64 {
			var drawn [][]float64
			for _, d := range sample {
				drawn = append(drawn, units[d]...)
			}
			return of(drawn)
		})
		want := stat.PercentileInterval(values, stat.ExpandedLevel(b.Level, documents))
		if err != nil || !testenv.Near(got.Low, want.Low, 1e-9) || !testenv.Near(got.High, want.High, 1e-9) || got.Resamples != want.Resamples {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
	jackknife := func(name string, got stat.Interval, err error, of func(units [][]float64) float64) {
		t.Helper()
		value := of(slices.Concat(units...))
		var pseudo []float64
		for d := range units {
			pseudo = append(pseudo, documents*value-(documents-1)*of(slices.Concat(slices.Delete(slices.Clone(units), d, d+1)...)))
		}
		half := 2.3646242510103 * stat.Deviation(pseudo) / math.Sqrt(documents-1) // the quantile 0.975 of Student's distribution with 7 degrees of freedom
		if err != nil || !testenv.Near(got.Low, max(-1, value-half), 1e-9) || !testenv.Near(got.High, min(1, value+half), 1e-9) || got.Resamples != documents {
			t.Errorf("%s: got %+v, %v, want %v ± %v", name, got, err, value, half)
		}
	}
	columns := func(units [][]float64) (x, y []float64) {
		for _, u := range units {
			x, y = append(x, u[0]), append(y, u[1])
		}
		return x, y
	}
	for _, metric := range []Metric{Ordinal, Interval, Nominal} {
		a := NewAlphaTotals(metric)
		for d, of := range units {
			for _, u := range of {
				a.Add(d, u)
			}
		}
		got, err := a.Interval(t.Context(), b)
		jackknife("alpha, "+metric.String(), got, err, func(units [][]float64) float64 { return Alpha(units, metric).Alpha })
	}
	for _, nominal := range []bool{false, true} {
		k := KappaTotals{Nominal: nominal}
		for d, of := range units {
			x, y := columns(of)
			k.Add(d, x, y)
		}
		got, err := k.Interval(t.Context(), b)
		check("kappa", got, err, func(units [][]float64) float64 {
			x, y := columns(units)
			if nominal {
				return NominalKappa(x, y)
			}
			return Kappa(x, y, 0, 4)
		})
	}
	var o OthersTotals
	for d, of := range units {
		for _, u := range of {
			o.Add(d, u[0], (u[1]+u[2])/2)
		}
	}
	r, difference, err := o.Intervals(t.Context(), b)
	others := func(of func(own, others []float64) float64) func(units [][]float64) float64 {
		return func(units [][]float64) float64 {
			var x, y []float64
			for _, u := range units {
				x, y = append(x, u[0]), append(y, (u[1]+u[2])/2)
			}
			return of(x, y)
		}
	}
	check("r", r, err, others(LeaveOneOut))
	check("difference", difference, err, others(MeanDifference))
}

// TestIntervalsOfOneDocument: one document has no interval, and neither has nothing.
func TestIntervalsOfOneDocument(t *testing.T) {
	b := stat.Bootstrap{Resamples: 20, Level: 0.95}
	a := NewAlphaTotals(Ordinal)
	nothing, err := a.Interval(t.Context(), b)
	a.Add(3, []float64{1, 2})
	a.Add(3, []float64{4, 4})
	one, again := a.Interval(t.Context(), b)
	for _, in := range []stat.Interval{nothing, one} {
		if err != nil || again != nil || in.Resamples != 0 || !math.IsNaN(in.Low) || !math.IsNaN(in.High) {
			t.Errorf("got %+v, %v, %v", in, err, again)
		}
	}
}
