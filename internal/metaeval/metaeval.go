// Package metaeval judges automatic metrics by human scores: numbers in,
// numbers out. It knows neither campaigns nor files nor pages.
//
// Start at [Evaluate]. It takes the scores of a language pair ([Data]) and the
// options of the evaluation ([Task]) and returns a [Report]. [Report.Tables]
// gives the report as tables. Every statistic is also a function of its own:
//
//   - of systems: [PairwiseAccuracy], [SoftPairwiseAccuracy], [Williams]
//   - of segments: [Calibrate] for pairwise accuracy with ties, [Average] for coefficients
//     averaged by segment or system, [RescaledErrors]
//   - between metrics: [PermutationTest], [VerdictTest], [SoftTest], [MetricClusters]
//   - between systems: [RankSum], [Paired], [PairedDifferences], [SystemClusters], [SegmentsNeeded]
//   - intervals: [ResamplingUnits], [PearsonInterval], and those of package stat
//
// The definitions are those of mt-metrics-eval, the tool of the WMT Metrics
// shared task (github.com/google-research/mt-metrics-eval). Where
// mt-metrics-eval leaves a choice open, or its result depends on the order of
// its input, the function's comment says what this package does.
//
// # Missing and undefined
//
// A missing score is NaN, both in human scores and in metric scores. Pairs with
// a missing score are left out. An undefined result is NaN, never 0: for
// example the correlation with a constant, or an accuracy over no pairs.
// Infinite scores are allowed where only the order of scores counts.
//
// # Reproducibility
//
// Work is spread over all cores. Every floating-point sum is added up in a fixed
// order, and every random number has a fixed place in a stream that depends on
// the seed. So results do not depend on the number of cores.
package metaeval

import "math"

// Data are the scores of one language pair, from an mt-metrics-eval directory
// or from a campaign.
type Data struct {
	LanguagePair string
	Systems      []string // all systems, with or without scores
	Segments     int      // the number of segments
	Domains      []string // the domain of each segment, empty if it has none; nil if domains are unknown
	Documents    []string // the document of each segment; nil if unknown
	// Identities are the documents of the segments as [Overall] compares them between data: documents with equal texts
	// have equal ones. If it is nil, the names in Documents are compared.
	Identities []string
	Lengths    []int // the length in tokens of the source of each segment; nil if unknown
	Humans     []Scores
	Metrics    []Scores
}

// Scores are the scores that one scorer (a human score or a metric) gives to systems.
// Higher is better, unless LowerIsBetter is set; then [Evaluate] negates the scores
// first.
type Scores struct {
	Name          string
	Group         string // such as [Surface]; empty if the metric has no group
	LowerIsBetter bool
	// Segment maps a system to its score in each segment.
	Segment map[string][]float64
	// System maps a system to its score, where that is not the mean of its segment
	// scores (corpus BLEU, for example). If System is nil, the score of a system is
	// that mean. For a human score, a system that is absent here or has NaN also
	// gets the mean over its rated segments.
	System map[string]float64
	// Wider has the systems whose score in System is the mean of more segments than Segment has, such as those
	// without a human score. In a resample their score is the mean of the drawn segments.
	Wider map[string]bool
	// Domain maps a domain to the scores of systems in it, as System does for all
	// segments.
	Domain map[string]map[string]float64
	// Others, if set, maps a system to the human scores that this scorer is compared with
	// instead of those of the evaluation. It is set for an annotator whose ratings are part
	// of the latter. Segment must be set too.
	Others map[string][]float64
}

// Common groups of metrics. Any other name is a group too.
const (
	Judge   = "judge"   // a large language model judges the translation
	Neural  = "neural"  // the metric is trained on human judgements
	Surface = "surface" // the metric compares words or characters with a reference
)

// higherIsBetter returns the scores, negated if lower scores are better.
func (s Scores) higherIsBetter() Scores {
	if !s.LowerIsBetter {
		return s
	}
	segment := make(map[string][]float64, len(s.Segment))
	for system, row := range s.Segment {
		negated := make([]float64, len(row))
		for i, v := range row {
			negated[i] = -v
		}
		segment[system] = negated
	}
	negate := func(scores map[string]float64) map[string]float64 {
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
		s.System = negate(s.System)
	}
	if s.Domain != nil {
		domains := make(map[string]map[string]float64, len(s.Domain))
		for domain, scores := range s.Domain {
			domains[domain] = negate(scores)
		}
		s.Domain = domains
	}
	return s
}

// missing is the value of a score that does not exist and of an undefined result.
var missing = math.NaN()
