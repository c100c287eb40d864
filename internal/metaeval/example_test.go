package metaeval_test

import (
	"fmt"

	"annotate/internal/metaeval"
)

// A metric orders two of three pairs of systems as the human score does.
func ExamplePairwiseAccuracy() {
	agree, pairs := metaeval.PairwiseAccuracy([]float64{3, 2, 1}, []float64{0.9, 0.5, 0.6})
	fmt.Println(agree, "of", pairs)
	// Output: 2 of 3
}
