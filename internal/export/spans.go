package export

import "annotate/internal/protocol"

// spans writes the member "spans": error spans as an array, each with the keys of the format
// "ratings" in their order. Empty values are left out.
func (o *object) spans(spans []protocol.ErrorSpan) {
	o.key("spans")
	o.list(spans)
}

func (o *object) list(spans []protocol.ErrorSpan) {
	o.buf = append(o.buf, '[')
	for i, s := range spans {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf, o.open = append(o.buf, '{'), true
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
		o.optional("suggestion", s.Suggestion)
		o.end()
	}
	o.buf = append(o.buf, ']')
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
