// Package metaeval judges automatic metrics by human scores: numbers in,
// numbers out. It knows neither campaigns nor files nor pages.
//
// Start at [Evaluate], which takes the scores of a language pair ([Data]) and
// what is asked of them ([Task]) and gives a [Report]; [Report.Table] is that
// report as rows for people. Every statistic is also a function of its own:
// [PairwiseAccuracy], [Pearson], [Spearman], [Count] for Kendall's tau and its
// kin, [SoftAccuracy], [Calibrate] for pairwise accuracy with ties, [Average]
// for coefficients averaged by segment or system, [Williams], [RankSum],
// [SystemClusters], [MetricClusters] and [Bootstrap].
//
// The definitions are those of mt-metrics-eval, the tool of the WMT Metrics
// shared task (github.com/google-research/mt-metrics-eval); where it leaves a
// choice open or depends on the order of its input, the function says what is
// done here.
//
// # Missing and undefined
//
// A missing score is NaN, among human scores and among a metric's; pairs with a
// missing score are left out. What is undefined is NaN as well: a correlation
// with a constant, an accuracy over no pairs. It is never a quiet 0. Infinite
// scores are ordered like others where only the order counts.
//
// # The same digits everywhere
//
// Work is spread over all cores, but every floating-point sum has a fixed order
// and every random number a fixed place in a stream that begins with the seed,
// so results do not depend on the number of cores.
package metaeval

import (
	"math"

	"annotate/internal/stat"
)

// Data are the scores of one language pair, from an mt-metrics-eval directory
// or from a campaign.
type Data struct {
	LanguagePair string
	Systems      []string // all that exist, also those without scores
	Segments     int
	Domains      []string // of each segment, empty for one that has none; nil: not known
	Lengths      []int    // of the source of each segment in tokens; nil: not known
	Humans       []Scores
	Metrics      []Scores
}

// Scores are what one scorer, a human score or a metric, says of systems.
// Higher is better, unless LowerIsBetter says that the scores are negated first.
type Scores struct {
	Name          string
	Group         string // such as [Surface]; empty: none
	LowerIsBetter bool
	// Segment has for each system a score for each segment.
	Segment map[string][]float64
	// System has the scores of systems, where they are not the means of their
	// segments' scores, such as corpus BLEU. Nil: they are. A human score is the
	// mean over rated segments for a system that has none here, or NaN.
	System map[string]float64
	// Domain has the same for each domain.
	Domain map[string]map[string]float64
}

// The groups of metrics that the field tells apart. Others may be given.
const (
	Judge   = "judge"   // large language models that are asked to judge
	Neural  = "neural"  // trained on human judgements
	Surface = "surface" // comparing words or characters with a reference
)

// upward gives scores of which higher is better.
func (s Scores) upward() Scores {
	if !s.LowerIsBetter {
		return s
	}
	segment := make(map[string][]float64, len(s.Segment))
	for system, row := range s.Segment {
		turned := make([]float64, len(row))
		for i, v := range row {
			turned[i] = -v
		}
		segment[system] = turned
	}
	turn := func(scores map[string]float64) map[string]float64 {
		out := make(map[string]float64, len(scores))
		for system, v := range scores {
			out[system] = -v
		}
		return out
	}
	if s.Segment != nil {
		s.Segment = segment
	}
	if s.System != nil {
		s.System = turn(s.System)
	}
	if s.Domain != nil {
		domains := make(map[string]map[string]float64, len(s.Domain))
		for domain, scores := range s.Domain {
			domains[domain] = turn(scores)
		}
		s.Domain = domains
	}
	return s
}

// missing stands for a score that does not exist and a value that is undefined.
var missing = math.NaN()

// complete leaves out the places where x or y is missing. It panics if the
// lengths differ.
func complete(x, y []float64) (a, b []float64) {
	if len(x) != len(y) {
		panic("metaeval: slice length mismatch")
	}
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			return completeFrom(x, y, i)
		}
	}
	return x, y
}

func completeFrom(x, y []float64, first int) (a, b []float64) {
	a = append(make([]float64, 0, len(x)-1), x[:first]...)
	b = append(make([]float64, 0, len(x)-1), y[:first]...)
	for i := first + 1; i < len(x); i++ {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	return a, b
}

// mean is the mean of the values that are not missing; NaN without any.
func mean(x []float64) float64 {
	var s stat.Sum
	n := 0
	for _, v := range x {
		if !math.IsNaN(v) {
			s.Add(v)
			n++
		}
	}
	if n == 0 {
		return missing
	}
	return s.Value() / float64(n)
}

func constant(x []float64) bool {
	for _, v := range x[1:] {
		if v != x[0] {
			return false
		}
	}
	return true
}
