package agreement

import (
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/testenv"
)

// alphaByPairs follows the definition of alpha, pair by pair.
func alphaByPairs(units [][]float64, metric Metric) float64 {
	var all []float64
	for _, u := range units {
		if u = present(u); len(u) > 1 {
			all = append(all, u...)
		}
	}
	rank := func(v float64) float64 {
		below, equal := 0, 0
		for _, w := range all {
			if w < v {
				below++
			} else if w == v {
				equal++
			}
		}
		return float64(below) + float64(equal+1)/2
	}
	delta := func(c, k float64) float64 {
		switch {
		case c == k:
			return 0
		case metric == Ordinal:
			return (rank(c) - rank(k)) * (rank(c) - rank(k))
		}
		return (c - k) * (c - k)
	}
	total := func(u []float64) (d float64) {
		for i := range u {
			for j := range u {
				d += delta(u[i], u[j])
			}
		}
		return d / float64(len(u)-1)
	}
	var observed float64
	for _, u := range units {
		if u = present(u); len(u) > 1 {
			observed += total(u)
		}
	}
	return 1 - observed/total(all)
}

func present(u []float64) (out []float64) {
	for _, v := range u {
		if !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

func TestAlphaByPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		units := make([][]float64, 3+random.IntN(20))
		for i := range units {
			for range 1 + random.IntN(4) {
				v := float64(random.IntN(9)) / 10
				if random.IntN(5) == 0 {
					v = math.NaN()
				}
				units[i] = append(units[i], v)
			}
		}
		for _, metric := range []Metric{Ordinal, Interval} {
			got, want := Alpha(units, metric).Alpha, alphaByPairs(units, metric)
			if math.IsNaN(got) && (math.IsNaN(want) || math.IsInf(want, 0)) {
				continue
			}
			if !testenv.Near(got, want, testenv.Tolerance) {
				t.Errorf("%v of %v: got %v, want %v", metric, units, got, want)
			}
			for _, u := range units { // who rated does not matter
				random.Shuffle(len(u), func(i, j int) { u[i], u[j] = u[j], u[i] })
			}
			if again := Alpha(units, metric).Alpha; !testenv.Near(again, got, testenv.Tolerance) {
				t.Errorf("%v: %v, and %v with the ratings in another order", metric, got, again)
			}
		}
	}
}

func TestAlphaUndefined(t *testing.T) {
	for name, units := range map[string][][]float64{
		"nothing":  nil,
		"one each": {{1}, {2, math.NaN()}, {}},
		"constant": {{2, 2}, {2, 2, 2}, {5}},
	} {
		for _, metric := range []Metric{Ordinal, Interval} {
			if got := Alpha(units, metric); !math.IsNaN(got.Alpha) || len(got.Warnings) != 1 {
				t.Errorf("%s, %v: got %+v", name, metric, got)
			}
		}
	}
}

// Values 0, 1 and 4 of the scale 0 to 4. The squares of the differences are 0, 9, 0
// and 1, those of every value of x with every value of y are summed below.
func TestKappaByHand(t *testing.T) {
	x, y := []float64{0, 1, 4, 0}, []float64{0, 4, 4, 1}
	// x=0: 0+16+16+1 = 33, twice; x=1: 1+9+9+0 = 19; x=4: 16+0+0+9 = 25. Of 110/4.
	if got, want := Kappa(x, y, 0, 4), 1-10/(110.0/4); !testenv.Near(got, want, testenv.Tolerance) {
		t.Errorf("quadratic: got %v, want %v", got, want)
	}
	for name, c := range map[string][2][]float64{"off the scale": {{5, 1}, {1, 2}}, "between": {{0.5, 1}, {1, 2}}, "nothing": {}, "one value": {{3, 3}, {3, 3}}} {
		if got := Kappa(c[0], c[1], 0, 4); !math.IsNaN(got) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestKappaOfWideScale: kappa is the same on a scale that is as long as a float64 counts, and allocates
// nothing.
func TestKappaOfWideScale(t *testing.T) {
	x, y := []float64{0, 1, 4, 0}, []float64{0, 4, 4, 1}
	want := Kappa(x, y, 0, 4)
	for _, c := range []struct{ low, high int }{{0, 20_000}, {0, 1 << 53}, {math.MinInt, math.MaxInt}} {
		var got float64
		if n := testing.AllocsPerRun(1, func() { got = Kappa(x, y, c.low, c.high) }); got != want || n != 0 {
			t.Errorf("%d to %d: got %v with %v allocations, want %v with 0", c.low, c.high, got, n, want)
		}
	}
	if got := Kappa([]float64{1000, -1000, 3}, []float64{-1000, 1000, 3}, -1000, 1000); !testenv.Near(got, 1-24e6/12_000_036, testenv.Tolerance) {
		t.Errorf("opposite ends of a scale: got %v", got)
	}
}

func TestAgainstOthers(t *testing.T) {
	own, others := []float64{1, 2, 3, 4}, []float64{2, 2, 4.5, 4}
	if got := MeanDifference(own, others); got != -0.625 {
		t.Errorf("mean difference %v", got)
	}
	// means 2.5 and 3.125: Σ 1.6875 + 0.5625 + 0.6875 + 1.3125 = 4.25, √(5 · 5.1875)
	if got, want := LeaveOneOut(own, others), 4.25/math.Sqrt(5*5.1875); !testenv.Near(got, want, testenv.Tolerance) {
		t.Errorf("leave one out %v, want %v", got, want)
	}
	if got := LeaveOneOut(own[:2], []float64{1, 3}); !math.IsNaN(got) {
		t.Errorf("leave one out of two translations %v", got)
	}
	if got := MeanDifference(nil, nil); !math.IsNaN(got) {
		t.Errorf("mean difference of nothing %v", got)
	}
}
