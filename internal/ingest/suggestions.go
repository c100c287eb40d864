package ingest

import (
	"io"
	"iter"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

var suggestionFields = []string{"doc_id", "segment_id", "system", "spans", "origin"}

// Suggestions reads error spans to suggest to the annotators of a campaign under p, with
// one translation a line. Options and errors are as in [Ratings].
//
// The store checks whether the translation exists, whether anybody has begun it, and whether
// p has the severities and categories of the spans.
func Suggestions(r io.Reader, p *protocol.Protocol, opt Options) iter.Seq2[campaign.SuggestionLine, error] {
	return objectLines(r, "suggestions", suggestionFields, opt, func(r *record, f fields) []campaign.SuggestionLine {
		return []campaign.SuggestionLine{suggestion(r, f, p, opt.Systems)}
	})
}

func suggestion(r *record, f fields, p *protocol.Protocol, systems []string) campaign.SuggestionLine {
	out := campaign.SuggestionLine{
		Place:     r.Place,
		DocID:     r.ID(f, "doc_id", false),
		SegmentID: r.ID(f, "segment_id", true),
		System:    system(r, f, systems),
	}
	if v, ok := f["origin"]; ok {
		if out.Origin, ok = r.Str("origin", v); ok && out.Origin != "" {
			r.CheckName(v.Start, "origin", "name", out.Origin, maxSystem)
		}
	}
	if _, ok := f["spans"]; !ok {
		r.Refuse(nowhere, "spans", `missing; give every suggestion as {"start": 0, "end": 4, "severity": …}, or [] if there are none`)
		return out
	}
	out.Spans = spans(r, f, p)
	return out
}

var outcomeArray = objectArray{
	example: `{"id": "1", "became": "accepted"}`,
	most:    maxSpans,
	keys:    []string{"id", "became"},
}

// outcomes reads the outcomes of the suggestions of a rating. [protocol.CheckOutcomes]
// checks later whether they fit its spans.
func outcomes(r *record, f fields) []protocol.Outcome {
	v, ok := f["suggestions"]
	if !ok {
		return nil
	}
	var out []protocol.Outcome
	outcomeArray.each(r, "suggestions", v, func(_ int, field string, _ int, of fields) {
		o := protocol.Outcome{ID: spanID(r, of, field, "id")}
		if became, ok := of["became"]; ok {
			text, _ := r.Str(field+".became", became)
			o.Became = protocol.Became(text)
		}
		out = append(out, o)
	})
	return out
}
