package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/testenv"
)

// TestTotals: the interval is that of the values put together of the drawn documents, whatever the order in which they
// were added, and zeros are no data.
func TestTotals(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	documents := make([][][2]float64, 9)
	var totals Totals
	for range 60 {
		d := random.IntN(7) // documents come back; the last two have only zeros
		x := float64(random.IntN(5))
		y := x + float64(random.IntN(3))
		documents[d] = append(documents[d], [2]float64{x, y})
		for column, v := range []float64{1, x, y, x * x, y * y, x * y} {
			totals.Add(d, column, v)
		}
		totals.Add(7+random.IntN(2), 3, 0)
	}
	b := Bootstrap{Resamples: 300, Seed: 5, Level: 0.9}
	got, err := totals.Intervals(t.Context(), b, func(s []float64) []float64 {
		undefined := s[0]
		if s[0] == 60 { // over all documents
			undefined = math.NaN()
		}
		return []float64{PearsonOf(s[0], s[1], s[2], s[3], s[4], s[5]), s[2] / s[0], undefined}
	})
	if err != nil {
		t.Fatal(err)
	}
	drawn, _ := Resample(t.Context(), 7, b.Resamples, b.Seed, func(sample []int) [2]float64 {
		var x, y []float64
		for _, d := range sample {
			for _, v := range documents[d] {
				x, y = append(x, v[0]), append(y, v[1])
			}
		}
		return [2]float64{Pearson(x, y), Mean(y)}
	})
	for i := range 2 {
		var values []float64
		for _, v := range drawn {
			values = append(values, v[i])
		}
		want := PercentileInterval(values, ExpandedLevel(b.Level, 7))
		if !testenv.Near(got[i].Low, want.Low, 1e-9) || !testenv.Near(got[i].High, want.High, 1e-9) || got[i].Resamples != want.Resamples {
			t.Errorf("statistic %d: got %+v, want %+v", i, got[i], want)
		}
	}
	if got[2].Resamples != 0 || !math.IsNaN(got[2].Low) {
		t.Errorf("an undefined statistic has the interval %+v", got[2])
	}
}

// TestTotalsKept: kept draws are those that are not kept, whatever number of documents they were kept for before.
func TestTotalsKept(t *testing.T) {
	b := Bootstrap{Resamples: together + 7, Seed: 5, Level: 0.9}
	kept := b.Kept()
	kept.kept.most = 20 * together
	for _, documents := range []int{3, 5, 3, 11, 3} {
		var totals Totals
		for d := range documents {
			totals.Add(d, 0, 1)
			totals.Add(d, 1, float64(d*d))
		}
		mean := func(s []float64) []float64 { return []float64{s[1] / s[0]} }
		want, _ := totals.Intervals(t.Context(), b, mean)
		got, err := totals.Intervals(t.Context(), kept, mean)
		if err != nil || got[0] != want[0] || got[0].Resamples != b.Resamples {
			t.Errorf("of %d documents: got %v, %v, want %v", documents, got, err, want)
		}
	}
}

// TestTotalsOfOneDocument: one document has no interval.
func TestTotalsOfOneDocument(t *testing.T) {
	var totals Totals
	for range 3 {
		totals.Add(4, 0, 2)
	}
	got, err := totals.Intervals(t.Context(), Bootstrap{Resamples: 10, Level: 0.95}, func(s []float64) []float64 { return []float64{s[0]} })
	if err != nil || len(got) != 1 || !math.IsNaN(got[0].Low) || !math.IsNaN(got[0].High) || got[0].Resamples != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPearsonOf(t *testing.T) {
	for _, c := range []struct{ n, x, y, xx, yy, xy float64 }{{}, {1, 2, 3, 4, 9, 6}, {3, .3, 6, .03, 14, .6}} {
		if got := PearsonOf(c.n, c.x, c.y, c.xx, c.yy, c.xy); !math.IsNaN(got) {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}
