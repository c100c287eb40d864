package metaeval

import (
	"context"
	"math"
	"runtime"
	"testing"

	"annotate/internal/reference"
)

// The mean of 0, 1, …, 99 has the standard error √(833.25)/10 = 2.887; 95 % of
// resamples lie within 1.96 of it, here from 43.84 to 55.16. 4000 resamples give
// the bounds to about 0.1.
func TestBootstrap(t *testing.T) {
	middle := func(sample []int) float64 {
		n := 0
		for _, i := range sample {
			n += i
		}
		return float64(n) / float64(len(sample))
	}
	got, err := Bootstrap(context.Background(), 100, 4000, 0.95, 4, middle)
	if err != nil || !reference.Near(got.Low, 43.84, 0.4) || !reference.Near(got.High, 55.16, 0.4) || got.Resamples != 4000 {
		t.Errorf("got %+v, %v", got, err)
	}
	before := runtime.GOMAXPROCS(1)
	again, _ := Bootstrap(context.Background(), 100, 4000, 0.95, 4, middle)
	runtime.GOMAXPROCS(before)
	if again != got {
		t.Errorf("on one core %+v, on several %+v", again, got)
	}
	none, err := Bootstrap(context.Background(), 3, 10, 0.95, 4, func([]int) float64 { return math.NaN() })
	if err != nil || none.Resamples != 0 || !math.IsNaN(none.Low) || !math.IsNaN(none.High) {
		t.Errorf("an undefined statistic: %+v, %v", none, err)
	}
}
