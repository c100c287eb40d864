package export

import (
	"io"
	"maps"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// A JudgementWriter writes judgements in the format "judgements". Close must be called at
// the end.
type JudgementWriter struct{ out lines }

// NewJudgementWriter returns a writer to w.
func NewJudgementWriter(w io.Writer) *JudgementWriter { return &JudgementWriter{lines{w: w}} }

// Write writes one judgement as a line.
func (w *JudgementWriter) Write(j campaign.JudgementLine) error {
	o := w.out.object()
	o.text("judge", j.Judge)
	o.optional("method", j.Method)
	o.optional("model", j.Model)
	o.optional("about", j.About)
	o.text("doc_id", j.DocID)
	o.text("segment_id", j.SegmentID)
	o.optional("system", j.System)
	o.text("status", string(j.Status))
	if j.Score != nil {
		o.number("score", *j.Score)
	}
	if len(j.Scores) > 0 {
		o.begin("scores")
		for _, name := range slices.Sorted(maps.Keys(j.Scores)) {
			o.number(name, j.Scores[name])
		}
		o.end()
	}
	if j.Spans != nil || len(j.Unplaced) > 0 {
		o.judgedSpans("spans", j.Spans, j.Unplaced)
	}
	if len(j.Trace) > 0 {
		o.trace("trace", j.Trace)
	}
	o.line()
	return w.out.end()
}

// Close writes what is left in the buffer.
func (w *JudgementWriter) Close() error { return w.out.flush() }

// judgedSpans writes the errors that a judge marked. Those that stand in no text come last
// and have no offsets.
func (o *object) judgedSpans(key string, placed, unplaced []protocol.ErrorSpan) {
	o.key(key)
	o.objects(len(placed)+len(unplaced), func(i int) {
		if i < len(placed) {
			o.span(placed[i])
			return
		}
		s := unplaced[i-len(placed)]
		o.optional("id", s.ID)
		o.text("text", s.Text)
		o.optional("severity", s.Severity)
		o.optional("category", s.Category)
		o.optional("subcategory", s.Subcategory)
		o.optional("comment", s.Comment)
	})
}

func (o *object) trace(key string, calls []campaign.TraceCall) {
	o.key(key)
	o.objects(len(calls), func(i int) {
		c := calls[i]
		o.text("step", c.Step)
		o.text("role", c.Role)
		o.text("prompt", c.Prompt)
		o.text("reply", c.Reply)
		o.number("input_tokens", float64(c.InputTokens))
		o.number("output_tokens", float64(c.OutputTokens))
		o.number("seconds", c.Seconds)
	})
}
