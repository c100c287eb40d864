package stat

import (
	"math/rand/v2"
	"testing"
)

// TestCrossTableCountsAsCount checks the pairs of a table against those of the values.
func TestCrossTableCountsAsCount(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		x, y := make([]float64, random.IntN(40)), []float64{}
		table := CrossTable{}
		for i := range x {
			x[i] = float64(random.IntN(5))
			y = append(y, float64(random.IntN(4)))
			table[[2]float64{x[i], y[i]}]++
		}
		xs, ys := table.margins()
		if got, want := table.pairs(xs, ys), Count(x, y); got != want {
			t.Fatalf("x %v, y %v: the table has %+v, the values %+v", x, y, got, want)
		}
	}
}
