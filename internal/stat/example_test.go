package stat_test

import (
	"fmt"
	"math"

	"annotate/internal/stat"
)

// Five systems by a human score and by a metric. The metric orders two of the six pairs
// otherwise, and the fifth system has no metric score and is left out.
var (
	human  = []float64{3.5, 3.0, 2.5, 1.0, 2.0}
	metric = []float64{80, 85, 70, 75, math.NaN()}
)

func ExamplePearson() {
	fmt.Printf("%.3f\n", stat.Pearson(human, metric))
	// Output: 0.478
}

func ExampleSpearman() {
	fmt.Printf("%.3f\n", stat.Spearman(human, metric))
	// Output: 0.600
}

func ExampleTauB() {
	fmt.Printf("%.3f\n", stat.TauB(human, metric)) // (4 − 2) / 6
	// Output: 0.333
}

// Two systems share a human score, and the metric puts one above the other.
func ExampleCount() {
	p := stat.Count([]float64{1, 1, 2}, []float64{5, 6, 7})
	fmt.Println(p.Concordant, "concordant,", p.TiesHuman, "tied in the human score alone")
	fmt.Printf("acc_eq %.3f\n", p.Acc23())
	// Output:
	// 2 concordant, 1 tied in the human score alone
	// acc_eq 0.667
}

// With a threshold of one point the metric's scores 5 and 6, and 6 and 7, are tied.
func ExampleCountWithin() {
	p := stat.CountWithin([]float64{1, 1, 2}, []float64{5, 6, 7}, 1)
	fmt.Println(p.TiesBoth, "tied in both,", p.TiesMetric, "tied in the metric alone,", p.Concordant, "concordant")
	// Output: 1 tied in both, 1 tied in the metric alone, 1 concordant
}

// Pairs that both scores order alike or tie.
func ExampleAlike() {
	fmt.Println(stat.Alike([]float64{1, 1, 2}, []float64{5, 5, 4}))
	// Output: 1
}

func ExampleRanks() {
	fmt.Println(stat.Ranks([]float64{20, 10, 30, 20}))
	// Output: [2.5 1 4 2.5]
}

func ExampleMean() {
	fmt.Println(stat.Mean([]float64{1, math.NaN(), 4}), stat.Mean(nil))
	// Output: 2.5 NaN
}

// Items that lack a score are left out.
func ExampleComplete() {
	fmt.Println(stat.Complete([]float64{1, math.NaN(), 3}, []float64{4, 5, 6}))
	// Output: [1 3] [4 6]
}

func ExampleDeviation() {
	fmt.Println(stat.Deviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}))
	// Output: 2
}

func ExampleQuantile() {
	fmt.Println(stat.Quantile([]float64{10, 20, 40}, 0.75))
	// Output: 30
}

func ExampleMedian() {
	fmt.Println(stat.Median([]float64{9, 1, 2, 4}))
	// Output: 3
}

func ExampleRatio() {
	fmt.Println(stat.Ratio(1, 4), stat.Ratio(1, 0))
	// Output: 0.25 NaN
}

// Plain addition loses the ones.
func ExampleSum() {
	var s stat.Sum
	for _, x := range []float64{1, 1e100, 1, -1e100} {
		s.Add(x)
	}
	fmt.Println(s.Value())
	// Output: 2
}

// Twelve ratings by two variables, each pair of values with its number.
func ExampleCrossTable_Kendall() {
	tau, p := stat.CrossTable{{1, 1}: 4, {1, 2}: 1, {2, 1}: 1, {2, 2}: 4, {3, 3}: 2}.Kendall()
	fmt.Printf("tau-b %.3f, p %.4f\n", tau, p)
	// Output: tau-b 0.778, p 0.0045
}
