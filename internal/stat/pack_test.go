package stat

import (
	"math"
	"slices"
	"testing"
)

// TestPack: numbers come back as they were, in their columns, however far apart and whatever their size.
func TestPack(t *testing.T) {
	numbers := make([]float64, 500)
	for i, x := range []float64{
		1, -1, 63, -64, 64, 8191, 8192, -8193, 0.5, -0.1, 1<<53 - 1, 1 << 53, -1 << 53, 1e300, 5e-324,
		math.MaxFloat64, math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.NaN(),
	} {
		numbers[i*i+i] = x
	}
	got := make([]float64, len(numbers))
	last := -1
	for column, x := range unpack(pack(nil, numbers)) {
		if column <= last || x == 0 {
			t.Errorf("column %d with %v follows column %d", column, x, last)
		}
		got[column], last = x, column
	}
	same := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	if !slices.EqualFunc(got, numbers, same) {
		t.Errorf("got %v, want %v", got, numbers)
	}
}
