package metaeval

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

func calibrate(t testing.TB, human, metric [][]float64, by Grouping) Best {
	t.Helper()
	c, err := Calibrate(context.Background(), human, metric, by)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCalibrateVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "acc_t") {
		human, metric, by := matricesOf(t, v)
		var want struct {
			Acc     testenv.Number  `json:"acc_t"`
			Epsilon *testenv.Number `json:"epsilon"`
		}
		v.Decode(t, v.Expected, &want)
		got := calibrate(t, human, metric, by)
		if !testenv.Near(got.Acc, want.Acc, testenv.Tolerance) {
			t.Errorf("%s: got %v, want %v", v.ID, got.Acc, want.Acc)
		}
		// mt-metrics-eval reports the first of the best, except for rounding errors.
		if want.Epsilon != nil && !(got.Epsilon <= float64(*want.Epsilon)+testenv.Tolerance) {
			t.Errorf("%s: ε = %v, want at most %v", v.ID, got.Epsilon, *want.Epsilon)
		}
		brute := calibrateByTrying(human, metric, by)
		if !testenv.Near(got.Acc, brute.Acc, testenv.Tolerance) || !testenv.Near(got.Epsilon, brute.Epsilon, 0) || got.Groups != brute.Groups {
			t.Errorf("%s: got %+v, trying every ε gives %+v", v.ID, got, brute)
		}
	}
}

// calibrateByTrying counts all pairs for every possible threshold.
func calibrateByTrying(human, metric [][]float64, by Grouping) Best {
	candidates := []float64{0}
	for _, m := range groupsOf(human, metric, by) {
		for i := range m {
			for j := range i {
				if d := math.Abs(m[i] - m[j]); d > 0 && !math.IsInf(d, 0) {
					candidates = append(candidates, d)
				}
			}
		}
	}
	slices.Sort(candidates)
	best := Best{Acc: missing, Epsilon: missing, Groups: 0}
	for _, e := range slices.Compact(candidates) {
		acc, groups := Average(func(h, m []float64) float64 { return stat.CountWithin(h, m, e).Acc23() }, human, metric, by)
		if groups > 0 && !(acc <= best.Acc+1e-12) {
			best = Best{Acc: acc, Epsilon: e, Groups: groups}
		}
	}
	return best
}

func someMatrices(random *rand.Rand, systems, segments, kinds int, gaps float64) (human, metric [][]float64) {
	for range systems {
		human = append(human, someScores(random, segments, 5, gaps))
		metric = append(metric, someScores(random, segments, kinds, 0))
	}
	return human, metric
}

func TestCalibrateAgainstTrying(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, kinds := range []int{1, 3, 40, 1 << 40} {
		for _, gaps := range []float64{0, 0.2, 1} {
			human, metric := someMatrices(random, 5, 6, kinds, gaps)
			for _, by := range []Grouping{Pooled, ByItem, BySystem} {
				got, want := calibrate(t, human, metric, by), calibrateByTrying(human, metric, by)
				if !testenv.Near(got.Acc, want.Acc, 1e-12) || !testenv.Near(got.Epsilon, want.Epsilon, 0) || got.Groups != want.Groups {
					t.Errorf("kinds %d, gaps %v, grouping %d: got %+v, want %+v", kinds, gaps, by, got, want)
				}
			}
		}
	}
}

// sortEverything is the usual algorithm of the calibration, which sorts all pairs.
func sortEverything(human, metric []float64) Best {
	type change struct {
		difference float64
		right      int64
	}
	var pairs []change
	var right, best int64
	epsilon := 0.0
	for i := range human {
		for j := range i {
			h, d := stat.Order(human[i], human[j]), metric[i]-metric[j]
			switch {
			case h == stat.Order(d, 0):
				right++
				if d != 0 {
					pairs = append(pairs, change{math.Abs(d), -1})
				}
			case h == 0:
				pairs = append(pairs, change{math.Abs(d), 1})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b change) int {
		if a.difference < b.difference {
			return -1
		}
		return stat.Order(a.difference, b.difference)
	})
	best = right
	for i := 0; i < len(pairs); {
		d := pairs[i].difference
		for ; i < len(pairs) && pairs[i].difference == d; i++ {
			right += pairs[i].right
		}
		if right > best {
			best, epsilon = right, d
		}
	}
	return Best{Acc: float64(best) / float64(stat.Choose2(len(human))), Epsilon: epsilon, Groups: 1}
}

// With this many pairs bins are divided again. The scores are all different, or have few
// values. The result must have the same digits on one core and on many.
func TestCalibrateManyPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const n = 1500
	for _, kinds := range []int{4, 1000, 1 << 40} {
		human, metric := someScores(random, n, 5, 0), someScores(random, n, kinds, 0)
		for i := range metric { // some agreement, so that ε is not trivial
			metric[i] += human[i] * float64(kinds) / 30
		}
		want := sortEverything(human, metric)
		for _, cores := range []int{1, 5} {
			before := runtime.GOMAXPROCS(cores)
			got := calibrate(t, [][]float64{human}, [][]float64{metric}, Pooled)
			runtime.GOMAXPROCS(before)
			if got != want {
				t.Errorf("kinds %d, %d cores: got %+v, want %+v", kinds, cores, got, want)
			}
		}
	}
}

// The groups have so many sizes that there is no common unit, so weights are rounded.
func TestCalibrateRoundedWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const systems, segments = 61, 120
	human, metric := someMatrices(random, systems, segments, 50, 0)
	for s := range human {
		for seg := range segments {
			if s > seg%systems+1 {
				human[s][seg] = math.NaN()
			}
		}
	}
	var sizes []int
	for h := range groupsOf(human, metric, ByItem) {
		if len(h) > 1 {
			sizes = append(sizes, len(h))
		}
	}
	if _, exact := weightUnit(sizes); exact {
		t.Fatal("the weights are not rounded")
	}
	got, want := calibrate(t, human, metric, ByItem), calibrateByTrying(human, metric, ByItem)
	if !testenv.Near(got.Acc, want.Acc, 1e-12) || got.Epsilon != want.Epsilon {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCalibrateDegenerate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	undefined := Best{Acc: missing, Epsilon: missing, Groups: 0}
	tests := []struct {
		name          string
		human, metric [][]float64
		want          Best
	}{
		{"nothing", nil, nil, undefined},
		{"one system", [][]float64{{1, 2}}, [][]float64{{1, 2}}, undefined},
		{"no segment", [][]float64{{}, {}}, [][]float64{{}, {}}, undefined},
		{"all missing", [][]float64{{nan}, {nan}}, [][]float64{{1}, {2}}, undefined},
		{"metric missing", [][]float64{{1}, {2}}, [][]float64{{nan}, {2}}, undefined},
		{"all ties", [][]float64{{3}, {3}}, [][]float64{{7}, {7}}, Best{Acc: 1, Epsilon: 0, Groups: 1}},
		// The human score ties, the metric differs by 2: 2 is a tie.
		{"ties made", [][]float64{{3}, {3}}, [][]float64{{5}, {7}}, Best{Acc: 1, Epsilon: 2, Groups: 1}},
		// An infinite difference is no tie.
		{"infinite", [][]float64{{3}, {3}}, [][]float64{{5}, {inf}}, Best{Acc: 0, Epsilon: 0, Groups: 1}},
		{"both infinite", [][]float64{{3}, {3}}, [][]float64{{-inf}, {-inf}}, Best{Acc: 1, Epsilon: 0, Groups: 1}},
		{"between infinities", [][]float64{{1}, {2}, {2}, {3}}, [][]float64{{-inf}, {1}, {2}, {inf}}, Best{Acc: 1, Epsilon: 1, Groups: 1}},
		{"overflow", [][]float64{{1}, {1}}, [][]float64{{-math.MaxFloat64}, {math.MaxFloat64}}, Best{Acc: 0, Epsilon: 0, Groups: 1}},
		{"tiny", [][]float64{{1}, {1}}, [][]float64{{0}, {5e-324}}, Best{Acc: 1, Epsilon: 5e-324, Groups: 1}},
	}
	for _, tt := range tests {
		got := calibrate(t, tt.human, tt.metric, ByItem)
		if !testenv.Near(got.Acc, tt.want.Acc, 1e-15) || !testenv.Near(got.Epsilon, tt.want.Epsilon, 0) || got.Groups != tt.want.Groups {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestCalibrateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	human, metric := someMatrices(rand.New(rand.NewPCG(1, 1)), 4, 100, 50, 0)
	if _, err := Calibrate(ctx, human, metric, Pooled); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
