package report

import (
	"cmp"
	"context"
	"iter"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
)

// An Input is the data that a report is computed from.
type Input struct {
	Campaign campaign.Campaign // with its Rules
	// Segments are all segments of the campaign in the order of import, with their Agreement. They are read
	// once. An error ends the computation.
	Segments iter.Seq2[campaign.Segment, error]
	// Sides are the campaigns to compare, beginning with this campaign, whose Segments are not read. Empty if
	// there is no other campaign.
	Sides []Side
	// Chain lists the campaigns of the chain that ends with this one, beginning with the first. If this
	// campaign follows none, Chain has only this campaign if it rates segments, and is otherwise empty.
	Chain []Stage
	// Metrics returns the evaluations of metrics: first that of the campaign, then those of the
	// campaigns beside it. It is called once, after the segments of all campaigns are read, so
	// evaluations can use the same reading. Nil stands for no evaluations.
	Metrics func(ctx context.Context) ([]Evaluation, error)
	// Interventions are the acts of leads that a reader has to know.
	Interventions campaign.Interventions
	// Flagged are the annotators who have flags, by login.
	Flagged []Flagged
	// Checked are the annotators who have taken checks, by login. Only the table of checks uses them.
	Checked []Checked
	// Judges are the judges of the campaigns, each with a description.
	Judges []campaign.JudgeAbout
	// AgentCalls count the calls of sub-agents of each judge that has any.
	AgentCalls []AgentCalls
	// MetricSpans are the error spans that metrics marked. Nil stands for
	// [StoredSpans].
	MetricSpans MetricSpans
	Options     Options
}

// Options are the options of the computation, and values for the stamp.
type Options struct {
	Program   string    // version, for the stamp
	Now       time.Time // for the stamp
	State     string    // for the stamp
	Seed      uint64    // of the resamplings
	Resamples int       // of confidence intervals; 0: stat.Resamples
	ByGroup   bool      // divide the table of metrics by their groups
	EveryTest bool      // show the p-values between metrics for every statistic, not only for the meta score
	Gold      bool      // compare annotators only over segments in gold
	Prices    Prices    // of the annotators' work
	Systems   []SystemAbout
	// Progress, if set, is called with the number of segments read so far, and with -1
	// when computing begins.
	Progress func(segments int)
}

// An Evaluation is the evaluation of the metrics of one campaign or language pair.
type Evaluation struct {
	Label  string          // such as "zh-en"; unique
	Report metaeval.Report // may have domains and significance tests
	// Classes are the evaluations among the systems of one class, in byte order of the classes.
	Classes []ClassEvaluation
	// Sensitivity are evaluations that differ in one choice; nil if they are not wanted.
	Sensitivity []Variant
	// SegmentScores are the scores of the segments in gold by each metric, in the order of segments. They are
	// set for the campaign itself if its protocol takes given terms, and are nil otherwise.
	SegmentScores []metaeval.Scores
	Notes         []string // sentences that name the metrics left out, with reasons; full stops are optional
}

// A ClassEvaluation is an evaluation of metrics among the systems of a class.
type ClassEvaluation struct {
	Class   string
	Metrics []metaeval.Result
}

// MetricSpans returns the error spans that metrics marked.
type MetricSpans interface {
	// Spans returns the spans that each metric marked in a translation of a segment, with
	// the offsets of [protocol.ErrorSpan]. A metric that found no error has an entry
	// without spans. A metric that did not check the translation has no entry.
	Spans(s campaign.Segment, t campaign.Translation) []MarkedBy
}

// MarkedBy are the spans that a metric marked in a translation.
type MarkedBy struct {
	Metric string
	Spans  []protocol.ErrorSpan
}

// StoredSpans returns the spans that are stored with a translation: those of judges, and the
// suggestions on which annotators decided. The name of the metric of suggestions is their origin.
type StoredSpans struct{}

// Spans implements [MetricSpans].
func (StoredSpans) Spans(_ campaign.Segment, t campaign.Translation) (out []MarkedBy) {
	if t.Suggested != nil {
		out = append(out, MarkedBy{origin(t), t.Suggested.Spans})
	}
	for _, j := range t.Judgements {
		suggested := t.Suggested != nil && j.Judge == origin(t) // the same spans
		if j.Status == campaign.JudgementOK && j.Spans != nil && !suggested {
			out = append(out, MarkedBy{j.Judge, j.Spans})
		}
	}
	return out
}

// origin returns the name of the judge or tool that made the suggestions of a translation.
func origin(t campaign.Translation) string { return cmp.Or(t.Suggested.Origin, "suggestions") }
