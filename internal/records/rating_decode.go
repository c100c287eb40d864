package records

import (
	"encoding/json"
	"strconv"
	"strings"

	"annotate/internal/protocol"
)

// Everything that reads a whole campaign decodes the scores and the error spans of each rating, a million of
// them. Therefore they are not decoded by package encoding/json, which takes longer than the database, unless
// they look otherwise than this package writes them.

// DecodeSpans decodes what [EncodeSpans] wrote, so decoding can't fail. The text may be empty. The texts of
// the spans share its memory.
func DecodeSpans(text string) (spans []protocol.ErrorSpan) {
	if text == "" || text == "[]" {
		return nil
	}
	d := decoder{text: text}
	if spans = d.spans(); !d.whole() {
		spans = nil
		_ = json.Unmarshal([]byte(text), &spans)
	}
	return spans
}

// decodeScores decodes what [EncodeScores] wrote.
func decodeScores(text string) map[string]float64 {
	scores := make(map[string]float64, 1)
	d := decoder{text: text}
	for d.list('{', '}') {
		name := d.key()
		if x, err := strconv.ParseFloat(d.number(), 64); err == nil {
			scores[name] = x
		} else {
			d.other = true
		}
	}
	if !d.whole() {
		clear(scores)
		_ = json.Unmarshal([]byte(text), &scores)
	}
	return scores
}

// A decoder decodes JSON that has no white space between its parts.
type decoder struct {
	text  string
	at    int  // offset of the next byte
	other bool // the text is not what was expected; nothing more is decoded
}

// whole reports whether the whole text was decoded.
func (d *decoder) whole() bool { return !d.other && d.at == len(d.text) }

// take skips a byte if it is the next one, and reports whether it was.
func (d *decoder) take(c byte) bool {
	if d.other || d.at == len(d.text) || d.text[d.at] != c {
		return false
	}
	d.at++
	return true
}

// list is called before each item of a list and reports whether there is one: it skips the bracket that
// begins the list, the comma between two items, or the bracket that ends the list.
func (d *decoder) list(begin, end byte) bool {
	switch {
	case d.take(begin):
		return !d.take(end)
	case d.take(','):
		return true
	case !d.take(end):
		d.other = true
	}
	return false
}

// key decodes a key and skips its colon.
func (d *decoder) key() string {
	name := d.string()
	if !d.take(':') {
		d.other = true
	}
	return name
}

// string decodes a text.
func (d *decoder) string() string {
	if !d.take('"') {
		d.other = true
		return ""
	}
	begin := d.at
	n := strings.IndexByte(d.text[begin:], '"')
	if n < 0 {
		d.other = true
		return ""
	}
	if strings.IndexByte(d.text[begin:begin+n], '\\') < 0 {
		d.at += n + 1
		return d.text[begin : begin+n]
	}
	for ; d.at < len(d.text) && d.text[d.at] != '"'; d.at++ {
		if d.text[d.at] == '\\' {
			d.at++
		}
	}
	var out string
	if !d.take('"') || json.Unmarshal([]byte(d.text[begin-1:d.at]), &out) != nil {
		d.other = true
	}
	return out
}

// number returns the characters of a number.
func (d *decoder) number() string {
	begin := d.at
	for d.at < len(d.text) && strings.IndexByte("+-.0123456789Ee", d.text[d.at]) >= 0 {
		d.at++
	}
	return d.text[begin:d.at]
}

// integer decodes a number without a fraction.
func (d *decoder) integer() int {
	n, err := strconv.Atoi(d.number())
	if err != nil {
		d.other = true
	}
	return n
}

// spans decodes a list of error spans.
func (d *decoder) spans() []protocol.ErrorSpan {
	spans := make([]protocol.ErrorSpan, 0, strings.Count(d.text, `{"`))
	for d.list('[', ']') {
		var s protocol.ErrorSpan
		for d.list('{', '}') {
			d.member(&s)
		}
		spans = append(spans, s)
	}
	return spans
}

// member decodes a member of an error span.
func (d *decoder) member(s *protocol.ErrorSpan) {
	switch d.key() {
	case "id":
		s.ID = d.string()
	case "side":
		s.Side = protocol.Side(d.string())
	case "start":
		s.Start = d.integer()
	case "end":
		s.End = d.integer()
	case "text":
		s.Text = d.string()
	case "severity":
		s.Severity = d.string()
	case "category":
		s.Category = d.string()
	case "subcategory":
		s.Subcategory = d.string()
	case "comment":
		s.Comment = d.string()
	case "link":
		s.Link = d.string()
	case "answers":
		s.Answers = map[string]string{}
		for d.list('{', '}') {
			name := d.key()
			s.Answers[name] = d.string()
		}
	case "suggestion":
		s.Suggestion = d.string()
	default:
		d.other = true
	}
}
