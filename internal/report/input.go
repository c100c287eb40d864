package report

import (
	"cmp"
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
	// Rated are the same segments with their decisions, as the store reads them for
	// agreement. They are read once, after Segments.
	Rated iter.Seq2[campaign.Rated, error]
	// Metrics are judgements of metrics: that of the campaign first, then those of
	// campaigns to stand beside it. Empty: there are none.
	Metrics []Evaluation
	// Interventions are what leads did.
	Interventions campaign.Interventions
	// Flagged are the annotators who have flags, by login.
	Flagged []Flagged
	// MetricSpans are the error spans that metrics marked; nil: [SuggestedSpans].
	MetricSpans MetricSpans
	Options     Options
}

// Options say how a report is computed, and what its stamp says.
type Options struct {
	Program   string    // version, for the stamp
	Now       time.Time // for the stamp
	State     string    // for the stamp
	Seed      uint64    // of the resamplings
	Resamples int       // of confidence intervals; 0: 1000
	ByGroup   bool      // divide the table of metrics by their groups
	Gold      bool      // compare annotators over segments in gold alone
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
	// Spans are what each metric marked in a translation of a segment, in the
	// offsets of [protocol.ErrorSpan]. A metric that looked and found nothing has an
	// entry without spans; one that did not look has none.
	Spans(s campaign.Segment, t campaign.Translation) []MarkedBy
}

// MarkedBy are the spans that a metric marked in a translation.
type MarkedBy struct {
	Metric string
	Spans  []protocol.ErrorSpan
}

// SuggestedSpans takes the suggestions that annotators decided on for what a metric
// marked. Their origin is its name.
type SuggestedSpans struct{}

// Spans implements [MetricSpans].
func (SuggestedSpans) Spans(_ campaign.Segment, t campaign.Translation) []MarkedBy {
	if t.Suggested == nil {
		return nil
	}
	return []MarkedBy{{cmp.Or(t.Suggested.Origin, "suggestions"), t.Suggested.Spans}}
}
