package metaeval_test

import (
	"context"
	"fmt"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
)

// Four systems (rows) translated three segments (columns). The examples below use these
// scores.
var (
	human = [][]float64{{4, 3, 4}, {3, 3, 2}, {2, 1, 3}, {1, 1, 0}}
	good  = [][]float64{{90, 71, 85}, {80, 70, 60}, {65, 30, 75}, {40, 31, 10}}
	poor  = [][]float64{{50, 60, 55}, {70, 40, 50}, {45, 55, 60}, {40, 50, 58}}
)

func means(scores [][]float64) (out []float64) {
	for _, row := range scores {
		out = append(out, stat.Mean(row))
	}
	return out
}

// The scores of a language pair give a report, with the metrics from best to worst.
func ExampleEvaluate() {
	scores := func(name string, rows [][]float64) metaeval.Scores {
		s := metaeval.Scores{Name: name, Segment: map[string][]float64{}}
		for i, system := range []string{"A", "B", "C", "D"} {
			s.Segment[system] = rows[i]
		}
		return s
	}
	d := metaeval.Data{
		LanguagePair: "en-de", Systems: []string{"A", "B", "C", "D"}, Segments: 3,
		Humans:  []metaeval.Scores{scores("sqm", human)},
		Metrics: []metaeval.Scores{scores("Poor-src", poor), scores("Good-src", good)},
	}
	r, err := metaeval.Evaluate(context.Background(), d, metaeval.Task{Seed: metaeval.DefaultSeed})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range r.Metrics {
		fmt.Printf("%d. %s: meta %.3f, acc %.3f, acc_t %.3f\n", m.Rank, m.Name, m.Meta, m.System.Acc, m.Segment.AccT)
	}
	// Output:
	// 1. Good-src: meta 0.995, acc 1.000, acc_t 1.000
	// 2. Poor-src: meta 0.738, acc 0.833, acc_t 0.556
}

// A meta score over two language pairs pools the pairs of systems of both.
func ExampleOverall() {
	report := func(agree int, r float64) metaeval.Report {
		m := metaeval.UndefinedResult("M")
		m.System.Agree, m.System.Pairs, m.System.Acc, m.System.Pearson = agree, 10, float64(agree)/10, r
		m.Segment.AccT, m.Segment.Pearson = 0.6, 0.4
		return metaeval.Report{Preset: metaeval.WMT23, Metrics: []metaeval.Result{m}}
	}
	results, _ := metaeval.Overall([]metaeval.Report{report(8, 0.9), report(10, 0.9)})
	for _, o := range results {
		fmt.Printf("%s %.4f\n", o.Name, o.Meta)
	}
	// Output: M 0.7875
}

// A metric orders two of three pairs of systems as the human score does.
func ExamplePairwiseAccuracy() {
	agree, pairs := metaeval.PairwiseAccuracy([]float64{3, 2, 1}, []float64{0.9, 0.5, 0.6})
	fmt.Println(agree, "of", pairs)
	// Output: 2 of 3
}

// A difference of one point counts as a tie, as the annotators' scores do there.
func ExampleCalibrate() {
	best, err := metaeval.Calibrate(context.Background(), human, good, metaeval.ByItem)
	fmt.Printf("acc_t %.3f at ε = %v, in %d segments, %v\n", best.Acc, best.Epsilon, best.Groups, err)
	// Output: acc_t 1.000 at ε = 1, in 3 segments, <nil>
}

// Pearson's r over all translations, and its mean over the segments.
func ExampleAverage() {
	for _, by := range []metaeval.Grouping{metaeval.Pooled, metaeval.ByItem} {
		r, groups := metaeval.Average(stat.Pearson, human, good, by)
		fmt.Printf("%s: %.3f, %d groups\n", by, r, groups)
	}
	// Output:
	// pooled: 0.973, 1 groups
	// item: 0.987, 3 groups
}

func ExampleSoftPairwiseAccuracy() {
	for _, metric := range [][][]float64{good, poor} {
		spa, err := metaeval.SoftPairwiseAccuracy(context.Background(), human, metric, metaeval.DefaultPermutations, metaeval.DefaultSeed)
		fmt.Printf("%.3f %v\n", spa, err)
	}
	// Output:
	// 0.977 <nil>
	// 0.749 <nil>
}

// With four systems there are 16 exchanges, and all are counted.
func ExamplePermutationTest() {
	p, err := metaeval.PermutationTest(context.Background(), stat.Pearson, means(human), [][]float64{means(good), means(poor)}, metaeval.DefaultPermutations, metaeval.DefaultSeed)
	fmt.Printf("the good metric is no better: p = %.4f, %v\n", p[0][1], err)
	// Output: the good metric is no better: p = 0.1250, <nil>
}

func ExampleVerdictTest() {
	p, err := metaeval.VerdictTest(context.Background(), human, [][][]float64{good, poor}, []float64{1, 0}, metaeval.ByItem, metaeval.DefaultPermutations, metaeval.DefaultSeed)
	fmt.Printf("the good metric is no better: p = %.2f, %v\n", p[0][1], err)
	// Output: the good metric is no better: p = 0.01, <nil>
}

// The segments of a document are drawn together.
func ExampleResamplingUnits() {
	fmt.Println(metaeval.ResamplingUnits([]string{"news 1", "news 1", "chat 7"}))
	// Output: [[0 1] [2]]
}

// The systems differ by one point over three segments. A test needs 24 segments to tell them apart.
func ExampleSegmentsNeeded() {
	fmt.Printf("%.0f\n", metaeval.SegmentsNeeded([]float64{4, 3, 3}, []float64{1, 3, 3}, [][]int{{0}, {1}, {2}}, 0.05, 0.8))
	// Output: 24
}

func ExampleSoftTest() {
	p, err := metaeval.SoftTest(context.Background(), human, [][][]float64{good, poor}, metaeval.DefaultPermutations, metaeval.DefaultSeed)
	fmt.Printf("the good metric is no better: p = %.2f, %v\n", p[0][1], err)
	// Output: the good metric is no better: p = 0.01, <nil>
}

// Two metrics have r = 0.95 and r = 0.80 with the human score over 12 systems, and r = 0.70
// with each other.
func ExampleWilliams() {
	fmt.Printf("%.4f\n", metaeval.Williams(0.95, 0.80, 0.70, 12))
	// Output: 0.0339
}

func ExampleRankSum() {
	z, p := metaeval.RankSum([]float64{4, 3, 4, 4, 3}, []float64{1, 2, 0, 2, 1})
	fmt.Printf("z = %.3f, p = %.4f\n", z, p)
	// Output: z = 2.611, p = 0.0090
}

// The second and the third system do not differ significantly, so they share a cluster.
func ExampleSystemClusters() {
	scores := [][]float64{{1, 2, 0, 2, 1, 1}, {3, 2, 3, 3, 2, 3}, {4, 4, 5, 4, 5, 5}, {3, 3, 2, 3, 3, 3}}
	for _, s := range metaeval.SystemClusters(scores) {
		fmt.Printf("system %d: %.2f, cluster %d\n", s.System, s.Mean, s.Cluster)
	}
	// Output:
	// system 2: 4.50, cluster 1
	// system 3: 2.83, cluster 2
	// system 1: 2.67, cluster 2
	// system 0: 1.17, cluster 3
}

// The second metric is not significantly worse than the first, the third is.
func ExampleMetricClusters() {
	fmt.Println(metaeval.MetricClusters([][]float64{{0, 0.30, 0.01}, {0, 0, 0.20}, {0, 0, 0}}))
	// Output: [1 1 2]
}

// Three systems have scores of four documents of one segment.
func ExamplePearsonInterval() {
	human := [][]float64{{1, 2, 1, 2}, {2, 3, 3, 2}, {4, 5, 4, 5}}
	metric := [][]float64{{10, 30, 20, 20}, {30, 20, 50, 40}, {60, 70, 50, 60}}
	i := metaeval.PearsonInterval(human, metric, [][]int{{0}, {1}, {2}, {3}}, 0.95)
	fmt.Printf("%.2f to %.2f\n", i.Low, i.High)
	// Output: 0.88 to 1.00
}

// Two systems have scores in four documents of two segments. Each document's difference
// keeps or changes its sign, so there are 16 cases, and the smallest p is 2/16.
func ExamplePaired() {
	scores := [][]float64{{4, 3, 4, 4, 3, 4, 3, 3}, {3, 3, 2, 3, 3, 2, 2, 3}}
	p, least, err := metaeval.Paired(context.Background(), scores, [][]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 1000, 4)
	fmt.Println(p[0][1], least, err)
	// Output: 0.125 0.125 <nil>
}

// Two groups of annotators differ in a system by these sums in six documents. Of the 64 flips of their signs two have as large a sum.
func ExamplePairedDifferences() {
	p, least, _ := metaeval.PairedDifferences(context.Background(), [][]float64{{3, 1, 4, 1, 5, 9}}, 1000, 1)
	fmt.Printf("p %.3f, least %.3f\n", p[0], least)
	// Output: p 0.031, least 0.031
}

// The metric has another scale than the human score. Both are rescaled to [0, 1].
func ExampleRescaledErrors() {
	mae, mse := metaeval.RescaledErrors([]float64{0, 2, 4}, []float64{10, 25, 30})
	fmt.Printf("MAE %.4f, MSE %.4f\n", mae, mse)
	// Output: MAE 0.0833, MSE 0.0208
}

func ExampleLengthGroupOf() {
	for _, tokens := range []int{12, 13, 28} {
		fmt.Println(tokens, metaeval.LengthGroups[metaeval.LengthGroupOf(tokens)].Name)
	}
	// Output:
	// 12 short
	// 13 medium
	// 28 long
}

func ExampleQualitiesOf() {
	fmt.Println(metaeval.QualitiesOf([]float64{0, -1, -4.9, -5, -25}))
	fmt.Println(metaeval.QualitiesOf([]float64{0, -1, 0.5}))
	// Output:
	// {2 2 1} true
	// {0 0 0} false
}

// BLEU-refA uses the standard reference, BLEU-refB does not, and refA is no system.
func ExampleNewPlan() {
	plan, err := metaeval.NewPlan(metaeval.Catalogue{
		Humans: []string{"mqm"}, Metrics: []string{"BLEU-refA", "BLEU-refB", "QE-src"},
		Systems: []string{"A", "B", "refA"}, References: []string{"refA", "refB"},
	}, metaeval.Choice{})
	fmt.Println(plan.Metrics, plan.Exclude, err)
	for _, note := range plan.Notes() {
		fmt.Println(note)
	}
	// Output:
	// [BLEU-refA QE-src] [refA] <nil>
	// left out, since the standard reference is refA: BLEU-refB
}

// A score file rounds the mean of the segments.
func ExampleIsMean() {
	fmt.Println(metaeval.IsMean(71.333, 71.3333333), metaeval.IsMean(72, 71.3333333))
	// Output: true false
}

func ExampleParsePreset() {
	preset, err := metaeval.ParsePreset("wmt24")
	fmt.Println(preset, err)
	_, err = metaeval.ParsePreset("wmt25")
	fmt.Println(err)
	// Output:
	// wmt24 <nil>
	// unknown preset "wmt25"; use ment, wmt23 or wmt24
}

// The statistics of TER are those of its negated scores.
func ExampleLabel() {
	fmt.Println(metaeval.Label("TER-refA", true))
	// Output: TER-refA (−)
}

// A metric without a score has no value, not 0.
func ExampleUndefinedResult() {
	fmt.Println(metaeval.UndefinedResult("M").Meta)
	// Output: NaN
}
