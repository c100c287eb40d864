// Package metric scores translations against references: BLEU, chrF and
// chrF++, with the tokenisers, the smoothing and the results of sacreBLEU (Post
// 2018, "A Call for Clarity in Reporting BLEU Scores"). It knows neither
// campaigns nor files.
//
// Scores are in [0, 100], higher is better. Text is UTF-8 and is not normalised:
// case matters, and a character such as "é" is one or two code points, depending on
// how it was written.
//
// A metric counts the n-grams that a translation shares with its references. A
// segment score is computed from the counts of the segment, a system score from
// their sum over all segments. So scores depend neither on the order of segments nor
// on the number of cores.
//
// Start at [Score] to score whole files, at [Lookup] for the metrics that campaigns
// use, and at [Metric] to score single translations.
package metric

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"annotate/internal/parallel"
)

// Version is part of each signature. It must change when a score changes for any
// input. annotate-1 gives the scores of sacreBLEU 2.6.0.
const Version = "annotate-1"

// A Metric is [BLEU] or [CHRF] with its settings.
type Metric interface {
	// Name returns the name that sacreBLEU prints: "BLEU", "chrF2" or "chrF2++".
	Name() string

	// Against prepares the references of one segment, so that the translations of
	// several systems can be compared with them. Empty references are ignored. If all
	// are empty, the error is [ErrNoReference].
	Against(references ...string) (Comparison, error)

	// Segment computes a score in [0, 100] from the counts of one segment, System from
	// the sum of the counts of all segments. They differ for BLEU. The score of zero
	// Counts, the sum over no segments, is NaN.
	Segment(Counts) float64
	System(Counts) float64

	// Signature returns all settings that a score depends on, in sacreBLEU's format,
	// with [Version] as the version. references is the number of references of each
	// segment, or [Varied].
	Signature(level Level, references int) string
}

// A Comparison counts the n-grams that a translation shares with the references of
// its segment. Several goroutines may call it at once.
type Comparison func(translation string) Counts

// Together prepares a reference for several metrics. The function that it returns compares a translation
// with the reference. Its result has the counts of each metric, in the order of metrics. chrF and chrF++ count characters
// once. If the reference is empty, the error is [ErrNoReference].
func Together(metrics []Metric, reference string) (func(translation string) []Counts, error) {
	comparisons := make([]Comparison, len(metrics)) // nil for a metric whose counts are a part of those of another
	wholes := make([]int, len(metrics))             // the number of that other metric
	for i, m := range metrics {
		wholes[i] = whole(metrics, m)
		if wholes[i] >= 0 {
			continue
		}
		var err error
		if comparisons[i], err = m.Against(reference); err != nil {
			return nil, err
		}
	}
	return func(translation string) []Counts {
		all := make([]Counts, len(metrics))
		for i, compare := range comparisons {
			if compare != nil {
				all[i] = compare(translation)
			}
		}
		for i, of := range wholes {
			if of >= 0 {
				all[i] = metrics[i].(CHRF).part(all[of])
			}
		}
		return all
	}, nil
}

// whole returns the number of the metric of which m is a part, the CHRF with the longest word n-grams, or -1.
func whole(metrics []Metric, m Metric) int {
	part, ok := m.(CHRF)
	of := -1
	for i, other := range metrics {
		if longer, is := other.(CHRF); ok && is && longer.WordOrder > part.WordOrder {
			of, part = i, longer
		}
	}
	return of
}

// Counts are the numbers of n-grams in translations and references, of one segment or
// summed over several. Only the metric that made them can compute a score from them.
type Counts struct {
	length    int // number of words of the translation (BLEU only)
	reference int // number of words of the reference with the closest length (BLEU only)
	orders    []gramCount
}

// A gramCount has the number of n-grams of one order in the translation, in the
// reference (chrF only), and in both.
type gramCount struct{ translation, reference, matched int }

// Add adds d to c. It panics if they come from metrics of different orders.
func (c *Counts) Add(d Counts) {
	if len(c.orders) == 0 {
		c.orders = make([]gramCount, len(d.orders))
	}
	if len(c.orders) != len(d.orders) {
		panic("metric: counts of different metrics")
	}
	c.length += d.length
	c.reference += d.reference
	for i, n := range d.orders {
		c.orders[i].translation += n.translation
		c.orders[i].reference += n.reference
		c.orders[i].matched += n.matched
	}
}

// A Level says whether scores are of segments or of systems.
type Level string

// The levels of a score.
const (
	SegmentLevel Level = "segment" // one score for each translation
	SystemLevel  Level = "system"  // one score for all translations of a system
)

// Varied stands for a number of references that differs between segments.
const Varied = -1

// ErrNoReference says that all references of a segment are empty. The score is then
// undefined, not 0. sacreBLEU returns an error too.
var ErrNoReference = errors.New("no reference")

// A Result is the score of a system, or the scores of its segments, with the
// signature. Results with the same signature are comparable.
type Result struct {
	Signature string
	Score     float64   // at [SystemLevel], in [0, 100]; NaN without any segment
	Scores    []float64 // at [SegmentLevel], in the order of the segments
}

// Score scores a system's translations against one or more sets of references:
// translations[i] against references[0][i], references[1][i] and so on. Empty
// references are ignored. It uses all cores. If a segment has no reference, the error
// wraps [ErrNoReference] and names the segment, counted from 1. If ctx is done, the
// error is that of ctx. Score panics if there is no set of references, or if a set
// has another length than translations.
func Score(ctx context.Context, m Metric, level Level, translations []string, references ...[]string) (Result, error) {
	number, err := numberOfReferences(len(translations), references)
	if err != nil {
		return Result{}, err
	}
	result := Result{Signature: m.Signature(level, number)}
	if level == SegmentLevel {
		result.Scores = make([]float64, len(translations))
	}
	var total Counts
	var mutex sync.Mutex
	inBlocks(ctx, len(translations), func(from, to int) {
		var sum Counts
		texts := make([]string, len(references))
		for i := from; i < to; i++ {
			for j := range references {
				texts[j] = references[j][i]
			}
			compare, _ := m.Against(texts...) // numberOfReferences has checked that there is one
			counts := compare(translations[i])
			if level == SegmentLevel {
				result.Scores[i] = m.Segment(counts)
			} else {
				sum.Add(counts)
			}
		}
		if level == SystemLevel {
			mutex.Lock()
			defer mutex.Unlock()
			total.Add(sum)
		}
	})
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if level == SystemLevel {
		result.Score = m.System(total)
	}
	return result, nil
}

// numberOfReferences returns the number of references of each of n segments, or
// Varied.
func numberOfReferences(n int, references [][]string) (number int, err error) {
	if len(references) == 0 {
		panic("metric: no references")
	}
	for _, set := range references {
		if len(set) != n {
			panic("metric: slice length mismatch")
		}
	}
	number = len(references)
	for i := range n {
		here := 0
		for _, set := range references {
			if set[i] != "" {
				here++
			}
		}
		if here == 0 {
			return 0, fmt.Errorf("segment %d: %w", i+1, ErrNoReference)
		}
		if i == 0 {
			number = here
		} else if here != number {
			number = Varied
		}
	}
	return number, nil
}

// inBlocks divides [0, n) into blocks and calls work for each, on all cores
// that ctx leaves it. It stops early if ctx is done.
func inBlocks(ctx context.Context, n int, work func(from, to int)) {
	const block = 64 // segments; large enough to hide the cost of handing out blocks, small enough for all cores to share a file
	// The caller looks at ctx itself.
	_ = parallel.Each(ctx, (n+block-1)/block, func(i int) { work(i*block, min((i+1)*block, n)) })
}

// nrefs returns the signature's value for a number of references.
func nrefs(references int) string {
	if references == Varied {
		return "var"
	}
	return strconv.Itoa(references)
}

// yesNo returns the signature's value for a switch.
func yesNo(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

// Names lists the built-in metrics, which a campaign with references has without
// imported scores. As in the names of score files, the part after the hyphen says
// what a metric compares translations with.
func Names() []string { return []string{"BLEU-ref", "chrF-ref", "chrF++-ref"} }

// Lookup returns the metric with the given name, one of [Names], for translations
// into targetLang, a language tag.
func Lookup(name, targetLang string) (Metric, bool) {
	switch name {
	case "BLEU-ref":
		return BLEU{Tokenizer: TokenizerFor(targetLang)}, true
	case "chrF-ref":
		return CHRF{}, true
	case "chrF++-ref":
		return CHRF{WordOrder: 2}, true
	}
	return nil, false
}
