package agreement_test

import (
	"fmt"

	"annotate/internal/agreement"
)

// Two annotators scored the translations of one segment by four systems.
func ExampleRule_Judge() {
	rule := agreement.Rule{Threshold: 0.7, Tolerance: 0.5}
	v := rule.Judge([]float64{4, 3, 3, 1}, []float64{4, 4, 3, 2})
	fmt.Printf("r %.2f, %s\n", v.R, v.Reason)
	v = rule.Judge([]float64{3, 3, 3, 3}, []float64{4, 3, 3, 3})
	fmt.Printf("mean difference %.2f, %s\n", v.MeanAbsDiff, v.Reason)
	// Output:
	// r 0.90, agreed
	// mean difference 0.25, no_variance_close
}
