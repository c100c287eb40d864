package stat

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"annotate/internal/testenv"
)

// The mean of 0, 1, …, 99 has the standard error √(833.25)/10 = 2.887; 95 % of
// resamples lie within 1.96 of it, here from 43.84 to 55.16. 4000 resamples give
// the bounds to about 0.1.
func TestResample(t *testing.T) {
	middle := func(sample []int) float64 {
		n := 0
		for _, i := range sample {
			n += i
		}
		return float64(n) / float64(len(sample))
	}
	values, err := Resample(t.Context(), 100, 4000, 4, middle)
	got := PercentileInterval(values, 0.95)
	if err != nil || !testenv.Near(got.Low, 43.84, 0.4) || !testenv.Near(got.High, 55.16, 0.4) || got.Resamples != 4000 {
		t.Errorf("got %+v, %v", got, err)
	}
	before := runtime.GOMAXPROCS(1)
	again, _ := Resample(t.Context(), 100, 4000, 4, middle)
	runtime.GOMAXPROCS(before)
	if !slices.Equal(again, values) {
		t.Error("the values on one core are not those on several")
	}
}

func TestPercentileInterval(t *testing.T) {
	nan := math.NaN()
	// The values 0, 10, …, 100 in another order. Half of them lie between 25 and 75.
	if got := PercentileInterval([]float64{50, 0, 100, nan, 10, 90, 20, 80, 30, 70, 40, 60}, 0.5); got != (Interval{Low: 25, High: 75, Resamples: 11}) {
		t.Errorf("got %+v", got)
	}
	if got := PercentileInterval([]float64{nan, nan}, 0.95); got.Resamples != 0 || !math.IsNaN(got.Low) || !math.IsNaN(got.High) {
		t.Errorf("of undefined values: %+v", got)
	}
}
