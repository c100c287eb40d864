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

// maxOffset is the largest offset of a span.
const maxOffset = math.MaxInt32

var spanArray = objectArray{
	example: `{"start": 0, "end": 4, "severity": "minor"}`,
	most:    maxSpans,
	keys:    []string{"id", "side", "start", "end", "text", "severity", "category", "subcategory", "comment", "link", "answers", "suggestion"},
}

// spans reads the error spans of a rating in their order. [protocol.Texts.Place] checks
// later whether they are within the texts and cover their words. Severities and categories
// that p lacks are kept, and p's limits do not apply.
func spans(r *record, f fields, p *protocol.Protocol) []protocol.ErrorSpan {
	v, ok := f["spans"]
	switch {
	case !ok && spansOnly(p):
		r.Refuse(nowhere, "spans", "missing; give every %s as %s, or [] if there are none", p.Spans.Noun(), spanSketch(p))
		return nil
	case !ok:
		return nil
	}
	var out []protocol.ErrorSpan
	eachSpan(r, p, v, rated, func(field string, _ int, s protocol.ErrorSpan, f fields, _, ok bool) {
		switch {
		case !ok: // the span is refused already
		case LacksCategory(p, s):
			r.Refuse(cmp.Or(f["category"].Start, f["subcategory"].Start), field+".category", noCategory, wording.Quote(s.Subcategory))
		case s.Subcategory != "":
			r.CheckName(f["category"].Start, field+".subcategory", "subcategory", s.Subcategory, MaxLabel)
		}
		out = append(out, s)
	})
	return out
}

// eachSpan calls do with each span of the array v in the spelling of p: its field, its
// offset, its members, whether it has a place, and whether nothing of it is refused.
func eachSpan(r *record, p *protocol.Protocol, v jsonValue, by spanSource, do func(field string, at int, s protocol.ErrorSpan, f fields, placed, ok bool)) {
	ids := map[string]int{}
	spanArray.each(r, "spans", v, func(i int, field string, at int, f fields) {
		if p.Spans == nil && by == rated {
			if i == 0 {
				r.Refuse(v.Start, "spans", "%s has no error spans; leave spans empty, or import into a campaign whose protocol marks errors", p.Name)
			}
			return
		}
		refused := len(r.Problems)
		s, placed := errorSpan(r, p, field, at, f, by)
		if first, twice := ids[s.ID]; twice && s.ID != "" {
			r.Refuse(f["id"].Start, field+".id", "spans[%d] has the id %s too; give every span its own", first, wording.Quote(s.ID))
		}
		ids[s.ID] = i
		ok := len(r.Problems) == refused
		if p.Spans != nil && (ok || by == rated) {
			s = spelt(r, p, s)
		}
		do(field, at, s, f, placed, ok)
	})
}

// spelt returns a span in the spelling of p, and notes a category with another name.
func spelt(r *record, p *protocol.Protocol, s protocol.ErrorSpan) protocol.ErrorSpan {
	s.Severity = numericSeverity(p, s.Severity)
	was := s
	if s = canonical(p, s); !sameCategory(was, s) {
		r.Notes.Add(fmt.Sprintf("{error|errors} of the category %s, which the protocol calls %s", wording.Quote(path(was)), wording.Quote(path(s))), r.File, r.Line)
	}
	return s
}

// A spanSource says who marked a span.
type spanSource int

const (
	rated  spanSource = iota // a person
	judged                   // a judge: the severity is optional, and a span may be unplaced, with words but without offsets
)

// errorSpan reads an error span and reports whether it has a place. f are its members, and at
// is its offset.
func errorSpan(r *record, p *protocol.Protocol, field string, at int, f fields, by spanSource) (s protocol.ErrorSpan, placed bool) {
	s = protocol.ErrorSpan{Side: protocol.Target}
	s.ID = spanID(r, f, field, "id")
	s.Link = spanID(r, f, field, "link")
	s.Suggestion = spanID(r, f, field, "suggestion")
	if v, ok := f["side"]; ok {
		side, isText := r.Str(field+".side", v)
		s.Side = protocol.Side(side)
		other := protocol.Target
		if p.OfSegments() {
			other = protocol.Reference
		}
		if isText && s.Side != protocol.Source && s.Side != other {
			r.Refuse(v.Start, field+".side", "must be %q or %q, not %s", protocol.Source, other, wording.Quote(side))
		}
	}
	var start, end int
	var okS, okE bool
	if placed = by == rated || hasAny(f, "start", "end"); placed {
		start, okS = spanOffset(r, f, at, field, "start")
		end, okE = spanOffset(r, f, at, field, "end")
	}
	if okS && okE && end < start {
		r.Refuse(f["end"].Start, field+".end", "%d lies before the start, %d; correct one of them", end, start)
	}
	s.Start, s.End = start, end
	if v, ok := f["text"]; ok {
		var isText bool
		s.Text, isText = r.Str(field+".text", v)
		// An empty text means later that the text was left out, so it is checked here.
		if isText && s.Text == "" && okS && okE && end > start {
			r.Refuse(v.Start, field+".text", "is empty, but the span covers %s; give these words, or leave text out",
				wording.Counted(end-start, "character"))
		}
	}
	if _, ok := f["text"]; !ok && end > start {
		r.Notes.Add(fmt.Sprintf("{%[1]s|%[1]ss} without text, whose place could not be checked by {its|their} words", p.Spans.Noun()), r.File, r.Line)
	}
	if v, ok := f["comment"]; ok {
		s.Comment, _ = r.Str(field+".comment", v)
	}
	s.Answers = spanAnswers(r, f, field)
	if by == rated && !p.Spans.OfTerms() || hasAny(f, "severity") {
		s.Severity = severity(r, f, at, field)
	}
	s.Category = category(r, f, field, "category")
	s.Subcategory = category(r, f, field, "subcategory")
	return s, placed
}

// spanSketch is the shortest span under p, for an error.
func spanSketch(p *protocol.Protocol) string {
	if p.Spans.OfTerms() {
		return `{"side": "source", "start": 0, "end": 4}`
	}
	return fmt.Sprintf(`{"start": 0, "end": 4, "severity": %q}`, p.Spans.Severities[0].ID)
}

// spanAnswers reads the answers to the questions that are asked of a span, by name of the question.
func spanAnswers(r *record, f fields, field string) map[string]string {
	v, ok := f["answers"]
	if !ok {
		return nil
	}
	field += ".answers"
	given, _ := r.Members(field, v)
	var out map[string]string
	for _, m := range given {
		text, ok := r.Str(field+"."+m.Name, m.Val)
		if !ok {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[m.Name] = text
	}
	return out
}

// hasAny reports whether one of the fields is there.
func hasAny(f fields, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := f[key]; return ok })
}

// spanID returns the id of a span: a text, or a number as it is written. It is empty if
// there is none.
func spanID(r *record, f fields, field, key string) string {
	v, ok := f[key]
	if !ok {
		return ""
	}
	field += "." + key
	s, ok := r.textOrNumber(field, v)
	if !ok || s == "" || !r.CheckName(v.Start, field, "id", s, maxID) {
		return ""
	}
	return s
}

// spanOffset returns an offset in a text. at is the offset of the span in the line.
func spanOffset(r *record, f fields, at int, field, key string) (int, bool) {
	v, ok := f[key]
	field += "." + key
	if !ok {
		place := map[string]string{"start": "of the first character", "end": "after the last character"}[key]
		r.Refuse(at, field, "missing; give the position %s of the span, counted from 0 in Unicode code points", place)
		return 0, false
	}
	return r.Whole(field, v, 0, maxOffset)
}

// severity returns a severity: a text or a number, where 4 and 4.0 are "4".
func severity(r *record, f fields, at int, field string) string {
	v, ok := f["severity"]
	field += ".severity"
	if !ok {
		r.Refuse(at, field, "missing; give the severity of the error")
		return ""
	}
	if jsonKind(r.Text, v) != '0' {
		s, ok := r.Str(field, v)
		if ok {
			r.CheckName(v.Start, field, "severity", s, MaxLabel)
		}
		return s
	}
	x, ok := r.Number(field, v)
	if ok && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatInt(int64(x), 10)
	}
	s := string(r.Text[v.Start:v.End])
	r.CheckName(v.Start, field, "severity", s, MaxLabel)
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

// path is the category with the subcategory, without slashes at their ends.
func path(s protocol.ErrorSpan) string {
	return strings.TrimRight(strings.TrimRight(s.Category, "/")+"/"+s.Subcategory, "/")
}

// sameCategory reports whether two spans have the same category but for its spelling.
func sameCategory(a, b protocol.ErrorSpan) bool { return strings.EqualFold(path(a), path(b)) }

// category returns the name of a category or subcategory. It is empty if there is none.
func category(r *record, f fields, field, key string) string {
	v, ok := f[key]
	if !ok {
		return ""
	}
	s, ok := r.Str(field+"."+key, v)
	if ok && s != "" {
		r.CheckName(v.Start, field+"."+key, key, s, MaxLabel)
	}
	return s
}
