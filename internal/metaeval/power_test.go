package metaeval

import (
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// Without documents the estimate is that of a paired z-test: ((1.96 + 0.84) · s / δ)².
func TestSegmentsNeeded(t *testing.T) {
	none := math.NaN()
	a, b := []float64{3, 5, 2, 4, none, 9}, []float64{1, 4, 3, 2, 7, none}
	single := [][]int{{0}, {1}, {2}, {3}, {4}, {5}}
	// Differences 2, 1, −1, 2: mean 1, variance (1 + 0 + 4 + 1) / 3 = 2.
	z := 1.959963984540054 + 0.8416212335729143
	if got, want := SegmentsNeeded(a, b, single, .05, .8), 2*z*z; !testenv.Near(got, want, 1e-9) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Documents {2, 1} and {−1, 2}: sums 3 and 1, less the mean times 2: 1 and −1, with a variance of 2. The
	// standard error of the mean is √(2 · 2) / 4.
	if got, want := SegmentsNeeded(a, b, [][]int{{0, 1}, {2, 3}, {4, 5}}, .05, .8), 4*z*z/4; !testenv.Near(got, want, 1e-9) {
		t.Errorf("by document: got %v, want %v", got, want)
	}
	for name, tt := range map[string]struct {
		a, b  []float64
		units [][]int
		want  float64
	}{
		"equal means":    {[]float64{1, 2}, []float64{2, 1}, [][]int{{0}, {1}}, math.Inf(1)},
		"one unit":       {[]float64{1, 2}, []float64{2, 2}, [][]int{{0, 1}}, none},
		"nothing shared": {[]float64{1, none}, []float64{none, 1}, [][]int{{0}, {1}}, none},
		"no spread":      {[]float64{2, 3}, []float64{1, 2}, [][]int{{0}, {1}}, 1},
	} {
		if got := SegmentsNeeded(tt.a, tt.b, tt.units, .05, .8); !testenv.Near(got, tt.want, 0) && got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

// Of campaigns with as many segments as needed, a test finds the difference in the wanted share.
func TestPowerBySimulation(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	documents := func(n int) (a, b []float64, units [][]int) {
		for len(a) < n {
			shift := random.NormFloat64()
			var unit []int
			for range 4 {
				unit = append(unit, len(a))
				a, b = append(a, .5+shift+random.NormFloat64()), append(b, 0)
			}
			units = append(units, unit)
		}
		return a, b, units
	}
	a, b, units := documents(40_000)
	needed := SegmentsNeeded(a, b, units, .05, .8)
	found := 0
	const campaigns = 2000
	for range campaigns {
		a, _, units := documents(int(math.Round(needed)))
		var means []float64
		for _, unit := range units {
			means = append(means, (a[unit[0]]+a[unit[1]]+a[unit[2]]+a[unit[3]])/4)
		}
		n := float64(len(means))
		if z := stat.Mean(means) / (stat.Deviation(means) / math.Sqrt(n-1)); math.Abs(z) > 1.96 {
			found++
		}
	}
	if share := float64(found) / campaigns; share < .76 || share > .86 {
		t.Errorf("%v of the campaigns with %v segments find the difference, want about 0.8", share, needed)
	}
}
