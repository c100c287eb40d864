// Package metaeval judges automatic metrics by human scores: numbers in,
// numbers out. It knows neither campaigns nor files nor pages.
//
// Start at [Evaluate], which takes the scores of a language pair ([Data]) and
// what is asked of them ([Task]) and gives a [Report]; [Report.Table] is that
// report as rows for people. Every statistic is also a function of its own:
// [PairwiseAccuracy], [SoftAccuracy], [Calibrate] for pairwise accuracy with ties, [Average]
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

import "math"

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
