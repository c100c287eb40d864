package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Six pairs of four items, human 1 1 2 3 against metric 5 6 6 4:
//
//	(1,5)(1,6) tie in human alone    (1,5)(2,6) concordant
//	(1,5)(3,4) discordant            (1,6)(2,6) tie in metric alone
//	(1,6)(3,4) discordant            (2,6)(3,4) discordant
func TestCountByHand(t *testing.T) {
	got := Count([]float64{1, 1, math.NaN(), 2, 3}, []float64{5, 6, 1, 6, 4})
	want := Pairs{Concordant: 1, Discordant: 3, TiesHuman: 1, TiesMetric: 1, Items: 4}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// (1 − 3) / √(5·5)
	if tau := got.TauB(); math.Abs(tau+0.4) > 1e-15 {
		t.Errorf("tau-b = %v", tau)
	}
}

// Counting by sorting and counting pair by pair must agree.
func TestCountBothWays(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 70 {
		human, metric := someScores(random, n, 6), someScores(random, n, 9)
		if n%7 == 3 {
			human[0], metric[n-1] = math.Inf(1), math.Inf(-1)
		}
		got, want := Count(human, metric), CountWithin(human, metric, 0)
		if got != want {
			t.Errorf("n=%d: got %+v, want %+v", n, got, want)
		}
	}
}

// someScores are n scores of k kinds, a tenth of them missing.
func someScores(random *rand.Rand, n, k int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(random.IntN(k))
		if random.IntN(10) == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

func TestTauUndefined(t *testing.T) {
	for _, c := range [][2][]float64{{{}, {}}, {{1}, {2}}, {{1, 1, 1}, {1, 2, 3}}, {{1, math.NaN()}, {1, 2}}} {
		if tau := TauB(c[0], c[1]); !math.IsNaN(tau) {
			t.Errorf("TauB(%v, %v) = %v, want NaN", c[0], c[1], tau)
		}
	}
}

func TestPanicsOnMisuse(t *testing.T) {
	for name, call := range map[string]func(){
		"Count":       func() { Count([]float64{1}, nil) },
		"CountWithin": func() { CountWithin([]float64{1}, nil, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func TestAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 5, oneByOne, oneByOne + 1, 100} {
		human, metric := make([]float64, n), make([]float64, n)
		for i := range n {
			human[i], metric[i] = float64(rng.IntN(4)), float64(rng.IntN(4))
		}
		want := 0
		for i := range n {
			for j := range i {
				if Order(human[i], human[j]) == Order(metric[i], metric[j]) {
					want++
				}
			}
		}
		if got := Alike(human, metric); got != want {
			t.Errorf("%d items: %d pairs are ordered alike, want %d", n, got, want)
		}
	}
}
