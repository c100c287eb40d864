package ingest

import (
	"fmt"
	"io"
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

var suggestionFields = []string{"doc_id", "segment_id", "system", "spans", "origin"}

// Suggestions reads error spans to suggest to the annotators of a campaign under p, with
// one translation a line. Options and errors are as in [Ratings].
//
// The store checks whether the translation exists, whether anybody has begun it, and whether
// p has the severities and categories of the spans.
func Suggestions(r io.Reader, p *protocol.Protocol, opt Options) iter.Seq2[campaign.NumberedSuggestion, error] {
	return objectLines(r, "suggestions", suggestionFields, opt, func(r *record, f fields) campaign.SuggestionLine { return r.suggestion(f, p, opt.Systems) }, func(line int, v campaign.SuggestionLine) campaign.NumberedSuggestion {
		return campaign.NumberedSuggestion{Line: line, Suggestion: v}
	})
}

func (r *record) suggestion(f fields, p *protocol.Protocol, systems []string) campaign.SuggestionLine {
	out := campaign.SuggestionLine{
		DocID:     r.id(f, "doc_id", false),
		SegmentID: r.id(f, "segment_id", true),
		System:    r.system(f, systems),
	}
	if v, ok := f["origin"]; ok {
		if out.Origin, ok = r.str("origin", v); ok && out.Origin != "" {
			r.checkName(v.start, "origin", "name", out.Origin, maxSystem)
		}
	}
	if _, ok := f["spans"]; !ok {
		r.refuse(nowhere, "spans", `missing; give every suggestion as {"start": 0, "end": 4, "severity": …}, or [] if there are none`)
		return out
	}
	out.Spans = r.spans(f, p)
	return out
}

var outcomeFields = []string{"id", "became"}

// outcomes reads the outcomes of the suggestions of a rating. [protocol.CheckOutcomes]
// checks later whether they fit its spans.
func (r *record) outcomes(f fields) []protocol.Outcome {
	v, ok := f["suggestions"]
	if !ok {
		return nil
	}
	if kind(r.text, v) != '[' {
		r.refuse(v.start, "suggestions", `must be an array such as [{"id": "1", "became": "accepted"}], not %s`, r.kindName(v))
		return nil
	}
	var out []protocol.Outcome
	for e := range elements(r.text, v) {
		field := fmt.Sprintf("suggestions[%d]", len(out))
		if len(out) == maxSpans {
			r.refuse(e.start, "suggestions", "there are more than %d suggestions in one rating, the most that is kept; leave the rest out", maxSpans)
			return nil
		}
		if kind(r.text, e) != '{' {
			r.refuse(e.start, field, `must be an object such as {"id": "1", "became": "accepted"}, not %s`, r.kindName(e))
			return nil
		}
		of := fields{}
		r.sort(e, field+".", func(key string) bool { return slices.Contains(outcomeFields, key) }, of)
		o := protocol.Outcome{ID: r.spanID(of, field, "id")}
		if became, ok := of["became"]; ok {
			text, _ := r.str(field+".became", became)
			o.Became = protocol.Became(text)
		}
		out = append(out, o)
	}
	return out
}
