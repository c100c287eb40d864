package stat_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

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

// The interval of a mean of twenty scores.
func ExampleResample() {
	random := rand.New(rand.NewPCG(1, 2))
	scores := make([]float64, 20)
	for i := range scores {
		scores[i] = float64(random.IntN(5))
	}
	means, err := stat.Resample(context.Background(), len(scores), 1000, 4, func(sample []int) float64 {
		sum := 0.0
		for _, i := range sample {
			sum += scores[i]
		}
		return sum / float64(len(sample))
	})
	i := stat.PercentileInterval(means, 0.95)
	fmt.Printf("mean %.2f, from %.2f to %.2f, %v\n", stat.Mean(scores), i.Low, i.High, err)
	// Output: mean 1.80, from 1.25 to 2.35, <nil>
}

// Half of the values lie between the bounds.
func ExamplePercentileInterval() {
	i := stat.PercentileInterval([]float64{0, 10, 20, 30, 40}, 0.5)
	fmt.Println(i.Low, i.High)
	// Output: 10 30
}

// Percentiles of 40 documents are taken further out than those of 1,000.
func ExampleExpandedLevel() {
	fmt.Printf("%.4f %.4f\n", stat.ExpandedLevel(0.95, 40), stat.ExpandedLevel(0.95, 1000))
	// Output: 0.9595 0.9504
}

// Of four documents with two sentences each, an annotator keeps 2, 1, 1 and 0.
func ExampleTotals() {
	var t stat.Totals
	for document, kept := range []float64{2, 1, 1, 0} {
		t.Add(document, 0, kept)
		t.Add(document, 1, 2)
	}
	share := func(totals []float64) []float64 { return []float64{totals[0] / totals[1]} }
	i, err := t.Intervals(context.Background(), stat.Bootstrap{Resamples: 1000, Seed: 4, Level: 0.95}, share)
	fmt.Printf("%.2f, from %.2f to %.2f, %v\n", share(t.All())[0], i[0].Low, i[0].High, err)
	// Output: 0.50, from 0.00 to 1.00, <nil>
}

// A two-sided test at 5 % with ten degrees of freedom asks for this.
func ExampleStudentQuantile() {
	fmt.Printf("%.3f\n", stat.StudentQuantile(0.975, 10))
	// Output: 2.228
}

// The sums of three pairs of values: 1 and 2, 2 and 2, 3 and 5.
func ExamplePearsonOf() {
	fmt.Printf("%.3f\n", stat.PearsonOf(3, 6, 9, 14, 33, 21))
	// Output: 0.866
}

// The mean of 1, 2, 3 and 4, and the means without one of them.
func ExampleJackknifeInterval() {
	in := stat.JackknifeInterval(2.5, []float64{3, 8. / 3, 7. / 3, 2}, 0.95)
	fmt.Printf("%.3f to %.3f\n", in.Low, in.High)
	// Output: 0.446 to 4.554
}

// The logarithms of the standard deviation of 1, 2, 3, 4 and 20, and of these without one of them. The value 20 leaves two degrees of freedom.
func ExampleSkewedJackknifeInterval() {
	log := func(x ...float64) float64 { return math.Log(stat.Deviation(x)) }
	without := []float64{log(2, 3, 4, 20), log(1, 3, 4, 20), log(1, 2, 4, 20), log(1, 2, 3, 20), log(1, 2, 3, 4)}
	in := stat.SkewedJackknifeInterval(log(1, 2, 3, 4, 20), without, 0.95)
	fmt.Printf("%.3f to %.3f\n", in.Low, in.High)
	// Output: -3.425 to 9.801
}
