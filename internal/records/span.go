package records

import (
	"strconv"

	"annotate/internal/database"
	"annotate/internal/protocol"
)

// WithIDs returns a copy of spans in which each span without an id has the smallest number,
// from 1, that is not in use. A link to another segment keeps its meaning: no span is given
// the id that it names.
func WithIDs(spans []protocol.ErrorSpan) []protocol.ErrorSpan {
	out := make([]protocol.ErrorSpan, len(spans))
	taken := make(map[string]bool, len(spans))
	for i, s := range spans {
		out[i] = s
		taken[s.ID], taken[s.Link] = true, true
	}
	n := 0
	for i := range out {
		for out[i].ID == "" {
			if n++; !taken[strconv.Itoa(n)] {
				out[i].ID = strconv.Itoa(n)
			}
		}
	}
	return out
}

// Placed is [protocol.Texts.Place] for a span that is going to be stored: it also refuses texts
// that a database can't store.
func Placed(t protocol.Texts, s protocol.ErrorSpan) (protocol.ErrorSpan, *protocol.Violation) {
	for _, f := range SpanTexts(s) {
		if f.Text != database.Storable(f.Text) {
			bad := NotStorable(f.Name)
			return s, &bad
		}
	}
	return t.Place(s)
}

// A Field is a text field of an error span.
type Field struct{ Name, Text string }

// SpanTexts lists the text fields of a span, except the marked text itself.
func SpanTexts(s protocol.ErrorSpan) []Field {
	fields := []Field{
		{"id", s.ID},
		{"severity", s.Severity},
		{"category", s.Category},
		{"subcategory", s.Subcategory},
		{"comment", s.Comment},
		{"link", s.Link},
		{"suggestion", s.Suggestion},
	}
	for name, text := range s.Answers {
		fields = append(fields, Field{"answers", name}, Field{"answers." + name, text})
	}
	return fields
}

// NotStorable is the violation of a field whose text a database can't store.
func NotStorable(field string) protocol.Violation {
	return protocol.Violation{Field: field, Msg: "must be UTF-8 without the character U+0000"}
}
