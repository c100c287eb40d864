package metaeval

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/stat"
)

// plainPooled visits every pair.
func plainPooled(t *testing.T, human, metric []float64) *calibration {
	t.Helper()
	c := newCalibration(func(yield func(h, m []float64) bool) { yield(human, metric) })
	if err := c.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return c
}

// narrowed always uses grids, even for few pairs.
func narrowed(t *testing.T, human, metric []float64) *calibration {
	t.Helper()
	c := newPooled(human, metric)
	low, high := c.span()
	c.found = threshold{c.start, 0}
	if low <= high {
		if err := c.narrow(context.Background(), low, high); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestPooledAgainstEveryPair(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	shapes := map[string]func(human float64) float64{
		"noise":      func(float64) float64 { return random.NormFloat64() },
		"close":      func(h float64) float64 { return h + 0.3*random.NormFloat64() },
		"far":        func(h float64) float64 { return h + 3*random.NormFloat64() },
		"turned":     func(h float64) float64 { return -h + random.NormFloat64() },
		"whole":      func(h float64) float64 { return math.Round(h + 2*random.NormFloat64()) },
		"hundredths": func(h float64) float64 { return math.Round(100*(h+random.NormFloat64())) / 100 },
		"heavy tail": func(h float64) float64 { return h + math.Tan(3.14*(random.Float64()-0.5)) },
		"outlier":    func(h float64) float64 { return h + random.NormFloat64() + 1e9*math.Floor(random.Float64()+0.001) },
		"far apart":  func(h float64) float64 { return math.Exp(20 * random.NormFloat64()) },
		"infinite": func(h float64) float64 {
			return math.Log(math.Floor(4*random.Float64())) / math.Floor(2*random.Float64())
		},
		"near each other": func(h float64) float64 { return 1e6 + math.Round(3*random.Float64())*1e-9 },
		"constant":        func(float64) float64 { return 5 },
	}
	golds := map[string]func() float64{
		"sqm":       func() float64 { return math.Round(12*random.Float64()) / 3 },
		"mqm":       func() float64 { return -math.Max(0, math.Round(40*(random.Float64()-0.5))) / 10 },
		"esa":       func() float64 { return math.Round(200*random.Float64()) / 2 },
		"different": func() float64 { return random.Float64() },
		"one":       func() float64 { return 3 },
	}
	for gold, h := range golds {
		for shape, m := range shapes {
			var human, metric []float64
			for range 750 {
				g := h()
				if x := m(g); stat.Defined(x) {
					human, metric = append(human, g), append(metric, x)
				}
			}
			want, got := plainPooled(t, human, metric), narrowed(t, human, metric)
			if got.found != want.found {
				t.Errorf("%s, %s: %+v, every pair gives %+v", gold, shape, got.found, want.found)
			}
			if got.accuracy() != want.accuracy() {
				t.Errorf("%s, %s: accuracy %v, every pair gives %v", gold, shape, got.accuracy(), want.accuracy())
			}
			whole, err := newPooled(human, metric).best(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if whole.Epsilon != want.found.epsilon || whole.Acc != want.accuracy() {
				t.Errorf("%s, %s: %+v, every pair gives %+v", gold, shape, whole, want.found)
			}
		}
	}
}

// rightAt gives the same counts as visiting every pair.
func TestRightAt(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, kinds := range []int{3, 40, 1 << 40} {
		h, m := make([]float64, 220), make([]float64, 220)
		for i := range h {
			h[i], m[i] = float64(random.IntN(5)), float64(random.IntN(kinds))/10
		}
		s := newSearch(newPooled(h, m))
		for _, epsilon := range []float64{0, 0.01, 0.5, 1, 2, 1e9} {
			p := stat.CountWithin(h, m, epsilon)
			if got := s.rightAt(epsilon); got.right != int64(p.Concordant+p.TiesBoth) || got.epsilon > epsilon {
				t.Errorf("ε = %v: %+v, want %d", epsilon, got, p.Concordant+p.TiesBoth)
			}
		}
	}
}
