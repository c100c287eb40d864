package metaeval

import (
	"math"
	"testing"

	"annotate/internal/testenv"
)

func TestRescaledErrors(t *testing.T) {
	n, inf := math.NaN(), math.Inf(1)
	for name, tt := range map[string]struct {
		human, metric []float64
		mae, mse      float64
	}{
		// Rescaled 0 1/2 1 and 0 1 3/4: the differences are 0, 1/2 and -1/4.
		"by hand":                {[]float64{1, 2, 3}, []float64{10, 50, 40}, 0.25, 0.3125 / 3},
		"the same but for scale": {[]float64{-4, 0, -2}, []float64{60, 100, 80}, 0, 0},
		"the other way round":    {[]float64{0, 1}, []float64{1, 0}, 1, 1},
		// The places of 9 and 90 have no other score, and no part in the ranges.
		"missing":         {[]float64{9, 1, 2, n, 3}, []float64{n, 10, 50, 90, 40}, 0.25, 0.3125 / 3},
		"constant human":  {[]float64{2, 2}, []float64{1, 3}, n, n},
		"constant metric": {[]float64{1, 2}, []float64{3, 3}, n, n},
		"one place":       {[]float64{1, n}, []float64{2, 3}, n, n},
		"none":            {nil, nil, n, n},
		"infinite":        {[]float64{1, 2, 3}, []float64{1, -inf, 3}, n, n},
		"too wide":        {[]float64{1, 2}, []float64{-math.MaxFloat64, math.MaxFloat64}, n, n},
	} {
		mae, mse := RescaledErrors(tt.human, tt.metric)
		if !testenv.Near(mae, tt.mae, 1e-15) || !testenv.Near(mse, tt.mse, 1e-15) {
			t.Errorf("%s: MAE %v and MSE %v, want %v and %v", name, mae, mse, tt.mae, tt.mse)
		}
	}
}
