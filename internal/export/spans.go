package export

import (
	"maps"
	"slices"

	"annotate/internal/protocol"
)

// spans writes the member "spans": error spans as an array, each with the keys of the format
// "ratings" in their order. Empty values are left out.
func (o *object) spans(spans []protocol.ErrorSpan) {
	o.key("spans")
	o.list(spans)
}

func (o *object) list(spans []protocol.ErrorSpan) {
	o.objects(len(spans), func(i int) { o.span(spans[i]) })
}

// span writes the members of an error span.
func (o *object) span(s protocol.ErrorSpan) {
	o.optional("id", s.ID)
	o.text("side", string(s.Side))
	o.number("start", float64(s.Start))
	o.number("end", float64(s.End))
	o.text("text", s.Text)
	o.optional("severity", s.Severity)
	o.optional("category", s.Category)
	o.optional("subcategory", s.Subcategory)
	o.optional("comment", s.Comment)
	o.optional("link", s.Link)
	if len(s.Answers) > 0 {
		o.begin("answers")
		for _, name := range slices.Sorted(maps.Keys(s.Answers)) {
			o.text(name, s.Answers[name])
		}
		o.end()
	}
	o.optional("suggestion", s.Suggestion)
}

// spansJSON returns the array of the spans.
func spansJSON(spans []protocol.ErrorSpan) (string, error) {
	if len(spans) == 0 {
		return "[]", nil
	}
	var o object
	o.list(spans)
	return string(o.buf), o.err
}
