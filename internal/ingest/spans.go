package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// Limits on the spans of a rating. The application has narrower limits, which do not apply
// to imports.
const (
	maxSpans  = 10_000
	maxOffset = math.MaxInt32
	maxLabel  = 200 // bytes of a severity or category
)

var spanFields = []string{
	"id", "side", "start", "end", "text", "severity", "category", "subcategory", "comment", "link", "suggestion",
}

// spans reads the error spans of a rating in their order. [protocol.Texts.Place] checks
// later whether they are within the texts and cover their words. Severities and categories
// that p lacks are kept, and p's limits do not apply.
func (r *record) spans(f fields, p *protocol.Protocol) []protocol.ErrorSpan {
	v, ok := f["spans"]
	switch {
	case !ok && spansOnly(p):
		r.refuse(nowhere, "spans", `missing; give every error as {"start": 0, "end": 4, "severity": %q}, or [] if there are none`, p.Spans.Severities[0].ID)
		return nil
	case !ok:
		return nil
	case kind(r.text, v) != '[':
		r.refuse(v.start, "spans", `must be an array such as [{"start": 0, "end": 4, "severity": "minor"}], not %s`, r.kindName(v))
		return nil
	}
	var out []protocol.ErrorSpan
	ids := map[string]int{}
	for e := range elements(r.text, v) {
		if p.Spans == nil {
			r.refuse(v.start, "spans", "%s has no error spans; leave spans empty, or import into a campaign whose protocol marks errors", p.Name)
			return nil
		}
		i := len(out)
		if i == maxSpans {
			r.refuse(e.start, "spans", "there are more than %d spans in one rating, the most that is kept; leave the least grave out", maxSpans)
			return nil
		}
		field := fmt.Sprintf("spans[%d]", i)
		refused := len(r.problems)
		s, at, _ := r.span(field, e, rated)
		if first, twice := ids[s.ID]; twice && s.ID != "" {
			r.refuse(at["id"].start, field+".id", "spans[%d] has the id %s too; give every span its own", first, wording.Quote(s.ID))
		}
		ids[s.ID] = i
		s.Severity = numericSeverity(p, s.Severity)
		s = canonical(p, s)
		switch {
		case len(r.problems) > refused: // the span is refused already
		case lacksCategory(p, s):
			r.refuse(cmp.Or(at["category"].start, at["subcategory"].start), field+".category", noCategory, wording.Quote(s.Subcategory))
		case s.Subcategory != "":
			r.checkName(at["category"].start, field+".subcategory", "subcategory", s.Subcategory, maxLabel)
		}
		out = append(out, s)
	}
	return out
}

// A spanSource says who marked a span.
type spanSource int

const (
	rated  spanSource = iota // a person
	judged                   // a judge: the severity is optional, and a span may be unplaced, with words but without offsets
)

// span reads an error span and returns it with the values of its fields, and whether it has a
// place.
func (r *record) span(field string, v value, by spanSource) (s protocol.ErrorSpan, f fields, placed bool) {
	s = protocol.ErrorSpan{Side: protocol.Target}
	if kind(r.text, v) != '{' {
		r.refuse(v.start, field, `must be an object such as {"start": 0, "end": 4, "severity": "minor"}, not %s`, r.kindName(v))
		return s, nil, true
	}
	f = fields{}
	r.sort(v, field+".", func(key string) bool { return slices.Contains(spanFields, key) }, f)
	s.ID = r.spanID(f, field, "id")
	s.Link = r.spanID(f, field, "link")
	s.Suggestion = r.spanID(f, field, "suggestion")
	if v, ok := f["side"]; ok {
		side, isText := r.str(field+".side", v)
		s.Side = protocol.Side(side)
		if isText && s.Side != protocol.Source && s.Side != protocol.Target {
			r.refuse(v.start, field+".side", "must be %q or %q, not %s", protocol.Source, protocol.Target, wording.Quote(side))
		}
	}
	var start, end int
	var okS, okE bool
	if placed = by == rated || hasAny(f, "start", "end"); placed {
		start, okS = r.offset(f, v.start, field, "start")
		end, okE = r.offset(f, v.start, field, "end")
	}
	if okS && okE && end < start {
		r.refuse(f["end"].start, field+".end", "%d lies before the start, %d; correct one of them", end, start)
	}
	s.Start, s.End = start, end
	if v, ok := f["text"]; ok {
		var isText bool
		s.Text, isText = r.str(field+".text", v)
		// An empty text means later that the text was left out, so it is checked here.
		if isText && s.Text == "" && okS && okE && end > start {
			r.refuse(v.start, field+".text", "is empty, but the span covers %s; give these words, or leave text out", wording.Counted(end-start, "character"))
		}
	}
	if _, ok := f["text"]; !ok && end > start {
		r.notes.add("errors without text, whose place could not be checked by their words", r.file, r.n)
	}
	if v, ok := f["comment"]; ok {
		s.Comment, _ = r.str(field+".comment", v)
	}
	if by == rated || hasAny(f, "severity") {
		s.Severity = r.severity(f, v.start, field)
	}
	s.Category = r.category(f, field, "category")
	s.Subcategory = r.category(f, field, "subcategory")
	return s, f, placed
}

// hasAny reports whether one of the fields is there.
func hasAny(f fields, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := f[key]; return ok })
}

// spanID returns the id of a span: a text, or a number as it is written. It is empty if
// there is none.
func (r *record) spanID(f fields, field, key string) string {
	v, ok := f[key]
	if !ok {
		return ""
	}
	field += "." + key
	var s string
	switch kind(r.text, v) {
	case '0':
		s = string(r.text[v.start:v.end])
	case '"':
		if s, ok = r.str(field, v); !ok || s == "" {
			return ""
		}
	default:
		r.refuse(v.start, field, "must be a text in double quotes or a number, not %s", r.kindName(v))
		return ""
	}
	if !r.checkName(v.start, field, "id", s, maxID) {
		return ""
	}
	return s
}

// offset returns an offset in a text. at is the offset of the span in the line.
func (r *record) offset(f fields, at int, field, key string) (int, bool) {
	v, ok := f[key]
	field += "." + key
	if !ok {
		r.refuse(at, field, "missing; count Unicode code points from 0, the end not included")
		return 0, false
	}
	return r.whole(field, v, 0, maxOffset)
}

// severity returns a severity: a text or a number, where 4 and 4.0 are "4".
func (r *record) severity(f fields, at int, field string) string {
	v, ok := f["severity"]
	field += ".severity"
	if !ok {
		r.refuse(at, field, "missing; say how grave the error is")
		return ""
	}
	if kind(r.text, v) != '0' {
		s, ok := r.str(field, v)
		if ok {
			r.checkName(v.start, field, "severity", s, maxLabel)
		}
		return s
	}
	x, ok := r.number(field, v)
	if ok && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatInt(int64(x), 10)
	}
	s := string(r.text[v.start:v.end])
	r.checkName(v.start, field, "severity", s, maxLabel)
	return s
}

// canonical returns s in the spelling of p, see [protocol.Protocol.Canonical]. It removes a
// slash at the end: "Accuracy/" becomes "Accuracy". If the category is
// "Category/Subcategory" and the subcategory is another name "Below", the result has the
// subcategory "Subcategory/Below".
func canonical(p *protocol.Protocol, s protocol.ErrorSpan) protocol.ErrorSpan {
	above := p.Canonical(protocol.ErrorSpan{Category: strings.TrimRight(s.Category, "/")})
	below := strings.TrimRight(s.Subcategory, "/")
	s.Category, s.Subcategory = above.Category, above.Subcategory
	switch {
	case s.Subcategory == "":
		s.Subcategory = below
	case below != "" && !strings.EqualFold(below, s.Subcategory):
		s.Subcategory += "/" + below
	}
	return p.Canonical(s)
}

// lacksCategory reports whether s has a subcategory but no category. Missing punctuation
// needs no category.
func lacksCategory(p *protocol.Protocol, s protocol.ErrorSpan) bool {
	if t := p.Spans.MissingPunctuation; t != nil && s.Subcategory == t.Subcategory {
		return false
	}
	return strings.TrimSpace(s.Category) == "" && s.Subcategory != ""
}

const noCategory = "there is none for the subcategory %s; name the one it belongs to, or leave the subcategory out"

// numericSeverity returns the severity of p that is the same number as a text, such as "5"
// for "5.0" or " 5", which spreadsheets write. It ignores severities that an import added to
// the campaign. Any other text is unchanged.
func numericSeverity(p *protocol.Protocol, text string) string {
	if s, known := p.Spans.Severity(text); known && !s.Own {
		return text
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return text
	}
	for _, s := range p.Spans.Severities {
		if y, err := strconv.ParseFloat(s.ID, 64); err == nil && x == y && !s.Own {
			return s.ID
		}
	}
	return text
}

// category returns the name of a category or subcategory. It is empty if there is none.
func (r *record) category(f fields, field, key string) string {
	v, ok := f[key]
	if !ok {
		return ""
	}
	s, ok := r.str(field+"."+key, v)
	if ok && s != "" {
		r.checkName(v.start, field+"."+key, key, s, maxLabel)
	}
	return s
}
