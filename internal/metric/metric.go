// Package metric scores translations against references: BLEU, chrF and
// chrF++, with the tokenisers, the smoothing and the results of sacreBLEU (Post,
// "A Call for Clarity in Reporting BLEU Scores", WMT 2018). Strings in, numbers
// out: it knows neither campaigns nor files.
//
// Scores lie in [0, 100], higher is better. Text is UTF-8 and taken as it is:
// case counts, nothing is normalised, and a user's character such as "é" is one
// or two code points, as it was written.
//
// A metric counts what a translation shares with its references; counts add
// up, and a score is made of counts, those of one segment or the sum of many.
// Order therefore never matters, nor on how many cores the work was done.
//
// Start at [Score] for whole files, at [Lookup] for what campaigns use, and at
// [Metric] for scoring one translation after another.
package metric

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"annotate/internal/parallel"
)

// Version stands in signatures. It is raised when a score changes for any
// input; annotate-1 gives the scores of sacreBLEU 2.6.0.
const Version = "annotate-1"

// A Metric is [BLEU] or [CHRF] with its settings.
type Metric interface {
	// Name is what sacreBLEU prints before a score: "BLEU", "chrF2", "chrF2++".
	Name() string

	// Against prepares the references of one segment, which pays when several
	// systems translated it. Empty ones count as absent; if all are, the error
	// is [ErrNoReference].
	Against(references ...string) (Comparison, error)

	// Segment and System turn counts into a score, in [0, 100]: those of one
	// segment, or the sum of those of all. BLEU differs between the two. Of zero
	// Counts, when there was no segment, the score is NaN.
	Segment(Counts) float64
	System(Counts) float64

	// Signature names every setting that a score depends on, as sacreBLEU
	// prints them, with [Version] as the version. references is the number of
	// references of each segment, or [Varied].
	Signature(level Level, references int) string
}

// A Comparison counts what a translation shares with the references of its
// segment. It may be called from several goroutines at once.
type Comparison func(translation string) Counts

// Counts are n-grams counted in translations and references; those of several
// segments add up. They belong to the metric that made them.
type Counts struct {
	length    int // words of the translation
	reference int // words of the reference closest in length
	orders    []gramCount
}

// A gramCount is the number of n-grams of one order: in the translation, in the
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

// A Level is what a score is about.
type Level string

// The levels of a score.
const (
	SegmentLevel Level = "segment" // each translation alone
	SystemLevel  Level = "system"  // all translations of a system as one text
)

// Varied stands for a number of references that is not the same everywhere.
const Varied = -1

// ErrNoReference is a segment whose references are all empty. sacreBLEU refuses
// it as well: there is nothing to compare with, which is no score of 0.
var ErrNoReference = errors.New("no reference")

// A Result is the score of a system, or those of its segments, with the
// signature that makes them comparable.
type Result struct {
	Signature string
	Score     float64   // at [SystemLevel], in [0, 100]; NaN without any segment
	Scores    []float64 // at [SegmentLevel], in the order of the segments
}

// Score scores a system's translations against one or more sets of references:
// translations[i] against references[0][i], references[1][i] and so on, of which
// empty ones are left out. It uses all cores. A segment without any reference is
// refused with an error that wraps [ErrNoReference] and counts segments from 1;
// when ctx ends, the error is the one of ctx. It panics if there is no set of
// references or one has another length.
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
			compare, _ := m.Against(texts...) // numberOfReferences found one
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

// numberOfReferences is the number of references that each of n segments has,
// or Varied.
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

// inBlocks calls work for parts of 0 to n that together are the whole, on all
// cores, until ctx ends.
func inBlocks(ctx context.Context, n int, work func(from, to int)) {
	const block = 64 // segments: large beside the cost of handing them out, small beside a file
	var next atomic.Int64
	parallel.Workers(min(runtime.GOMAXPROCS(0), (n+block-1)/block), func() {
		for ctx.Err() == nil {
			to := int(next.Add(block))
			if to-block >= n {
				return
			}
			work(to-block, min(to, n))
		}
	})
}

// nrefs is the value that a signature gives for a number of references.
func nrefs(references int) string {
	if references == Varied {
		return "var"
	}
	return strconv.Itoa(references)
}

// yesNo is the value that a signature gives for a switch.
func yesNo(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

// Names lists the metrics that a campaign with references has without any file
// of scores. They are named as score files are: the metric, and after a hyphen
// what it compares with.
func Names() []string { return []string{"BLEU-ref", "chrF-ref", "chrF++-ref"} }

// Lookup is the metric of that name, one of [Names], for translations into
// targetLang, a language tag.
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
