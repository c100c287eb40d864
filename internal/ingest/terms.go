package ingest

import (
	"io"
	"iter"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

var termFields = []string{"doc_id", "segment_id", "id", "side", "start", "end", "text", "category", "explication", "equivalent", "link"}

// Terms reads the given terms of segments, one a line. Options and errors are as in [Ratings].
//
// The store checks whether the segment exists, whether anybody has begun it, and whether the term lies in its text, has a
// category of the protocol, and is linked to a term of the same segment.
func Terms(r io.Reader, opt Options) iter.Seq2[campaign.TermLine, error] {
	return objectLines(r, "terms", termFields, opt, func(r *record, f fields) []campaign.TermLine {
		return []campaign.TermLine{term(r, f)}
	})
}

func term(r *record, f fields) campaign.TermLine {
	out := campaign.TermLine{Place: r.Place, DocID: r.ID(f, "doc_id", false), SegmentID: r.ID(f, "segment_id", true)}
	t := protocol.ErrorSpan{Side: protocol.Source}
	t.ID, t.Link = termID(r, f, "id"), termID(r, f, "link")
	if v, ok := f["side"]; ok {
		side, isText := r.Str("side", v)
		t.Side = protocol.Side(side)
		if isText && t.Side != protocol.Source && t.Side != protocol.Reference {
			r.Refuse(v.Start, "side", "must be %q or %q, not %s", protocol.Source, protocol.Reference, wording.Quote(side))
		}
	}
	offset := func(key, place string) (n int) {
		v, ok := f[key]
		if !ok {
			r.Refuse(nowhere, key, "missing; give the position %s of the term, counted from 0 in Unicode code points", place)
			return 0
		}
		n, _ = r.Whole(key, v, 0, maxOffset)
		return n
	}
	t.Start, t.End = offset("start", "of the first character"), offset("end", "after the last character")
	t.Text = r.Optional(f, "text")
	if v, ok := f["category"]; ok {
		if t.Category, ok = r.Str("category", v); ok && t.Category != "" {
			r.CheckName(v.Start, "category", "category", t.Category, MaxLabel)
		}
	}
	for _, key := range []string{campaign.Explication, campaign.Equivalent} {
		text := r.Optional(f, key)
		if len(text) > protocol.MaxAnswer {
			r.Refuse(f[key].Start, key, "has more than %d bytes; shorten it", protocol.MaxAnswer)
		}
		if text != "" {
			if t.Answers == nil {
				t.Answers = map[string]string{}
			}
			t.Answers[key] = text
		}
	}
	out.Term = t
	return out
}

// termID returns the id of a term: a text, or a number as it is written. It is empty if there is none.
func termID(r *record, f fields, key string) string {
	v, ok := f[key]
	if !ok {
		return ""
	}
	s, ok := r.textOrNumber(key, v)
	if !ok || s == "" || !r.CheckName(v.Start, key, "id", s, maxID) {
		return ""
	}
	return s
}
