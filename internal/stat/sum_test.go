package stat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestSumByHand(t *testing.T) {
	for name, tt := range map[string]struct {
		add  []float64
		want float64
	}{
		"nothing":                        {nil, 0},
		"the small outlives the large":   {[]float64{1, 1e100, 1, -1e100}, 2}, // plainly 0
		"infinite":                       {[]float64{1, math.Inf(1), 2}, math.Inf(1)},
		"infinite below":                 {[]float64{math.Inf(-1), 2}, math.Inf(-1)},
		"larger than any number":         {[]float64{math.MaxFloat64, math.MaxFloat64}, math.Inf(1)},
		"a tenth ten times is one":       {[]float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, 1}, // plainly 0.9999999999999999
		"the larger comes after smaller": {[]float64{1e-20, 1, -1}, 1e-20},
	} {
		var s Sum
		for _, x := range tt.add {
			s.Add(x)
		}
		if got := s.Value(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	var s Sum
	s.Add(math.NaN())
	if s.Add(1); !math.IsNaN(s.Value()) {
		t.Errorf("NaN and 1 make %v", s.Value())
	}
}

// The sum of numbers of very different sizes is off by no more than a few of its own
// last places, whatever cancels out on the way; the exact one is that of big floats.
func TestSumIsExactToTheLastPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		var s Sum
		exact := new(big.Float).SetPrec(2000)
		size := 0.0
		for range 1 + random.IntN(1000) {
			x := (random.Float64() - 0.5) * math.Pow(10, float64(random.IntN(9)))
			s.Add(x)
			exact.Add(exact, new(big.Float).SetFloat64(x))
			size += math.Abs(x)
		}
		want, _ := exact.Float64()
		// Neumaier's bound: one rounding of the sum, and n² eps² of the sizes.
		if got, slack := s.Value(), 0x1p-52*math.Abs(want)+0x1p-80*size; math.Abs(got-want) > slack {
			t.Errorf("%v, want %v to %v", got, want, slack)
		}
	}
}
