package report

import (
	"iter"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
)

// An Input is what a report is computed from.
type Input struct {
	Campaign campaign.Campaign // with its Rules
	// Segments are all of the campaign in the order of import, as the store reads
	// them. They are read once; an error ends the computing.
	Segments iter.Seq2[campaign.Segment, error]
	// Metrics are judgements of metrics: that of the campaign first, then those of
	// campaigns to stand beside it. Empty: there are none.
	Metrics []Evaluation
	// MetricSpans are the error spans that metrics marked; nil: there are none.
	MetricSpans MetricSpans
	Options     Options
}

// Options say how a report is computed, and what its stamp says.
type Options struct {
	Program   string    // version, for the stamp
	Now       time.Time // for the stamp
	State     string    // for the stamp
	Seed      uint64    // of the resamplings; 0: metaeval.DefaultSeed
	Resamples int       // of confidence intervals; 0: 1000
	// Progress, if set, hears how many segments have been read, then -1 while
	// numbers are computed from them.
	Progress func(segments int)
}

// An Evaluation is the judgement of the metrics of one campaign or language pair.
type Evaluation struct {
	Label  string          // such as "zh-en"; different for each
	Report metaeval.Report // with domains and significance if these are wanted
	Notes  []string        // metrics that were left out, and why: whole sentences or parts of them
}

// MetricSpans tells which error spans metrics marked.
type MetricSpans interface {
	// Metrics are the names of the metrics that marked any translation.
	Metrics() []string
	// Spans are what a metric marked in a translation of a segment, in the offsets
	// of [protocol.ErrorSpan]; false if it did not look at the translation, which
	// is no statement about it.
	Spans(metric string, s campaign.Segment, t campaign.Translation) ([]protocol.ErrorSpan, bool)
}
