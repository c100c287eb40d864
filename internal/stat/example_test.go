package stat_test

import (
	"fmt"
	"math"

	"annotate/internal/stat"
)

// Four systems by a human score and by a metric. The metric orders two of the six pairs
// otherwise, and a missing score leaves its system out.
func Example() {
	human := []float64{3.5, 3.0, 2.5, 1.0, 2.0}
	metric := []float64{80, 85, 70, 75, math.NaN()}
	fmt.Printf("Pearson %.3f\n", stat.Pearson(human, metric))
	fmt.Printf("Spearman %.3f\n", stat.Spearman(human, metric))
	fmt.Printf("Kendall %.3f\n", stat.TauB(human, metric))
	fmt.Printf("median %.2f\n", stat.Median(human))
	// Output:
	// Pearson 0.478
	// Spearman 0.600
	// Kendall 0.333
	// median 2.50
}
