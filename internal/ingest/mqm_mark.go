package ingest

import (
	"fmt"
	"strings"

	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A markedText is a text without its marks, with the place of the marks.
type markedText struct {
	text       string
	marks      int  // the number of marks
	start, end int  // [start, end) in code points, from the first mark to the last
	unclosed   bool // a mark has no end
}

// text reads a source or target. It removes the marks before it unquotes a CSV field,
// since a mark may be before or between the quotation marks, so that the cell does not
// look quoted.
func (m *mqmReader) text(r *record, row *mqmRow, col mqmColumn) markedText {
	t, bad := unmark(string(m.raw(r, col)))
	if plain, quoted := unquoteCSV([]byte(t.text)); quoted && bad == "" {
		row.notes = append(row.notes, noteQuoted)
		t.start, t.end = unquotedPlace(t.text, t.start), unquotedPlace(t.text, t.end)
		t.text = string(plain)
	}
	if bad != "" {
		r.Refuse(m.columns.at(col), mqmColumnNames[col], "%s", bad)
	}
	if t.marks > 1 {
		row.notes = append(row.notes, noteSeveral)
	}
	if t.unclosed {
		row.notes = append(row.notes, noteUnclosed)
	}
	return t
}

// The marks around an error.
const openMark, closeMark = "<v>", "</v>"

// unmark removes the marks from a text. A mark without an end reaches to the end of the
// text; the published TED table has one. An end of a mark without a beginning is refused,
// and the second result is the reason.
func unmark(text string) (markedText, string) {
	if !strings.Contains(text, openMark) && !strings.Contains(text, closeMark) {
		return markedText{text: text}, ""
	}
	var b strings.Builder
	t := markedText{text: text} // the result if the text is refused
	open, n := 0, 0             // the number of open marks, and of code points so far
	for text != "" {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			i = len(text)
		}
		b.WriteString(text[:i])
		n += codepoint.Len(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, openMark):
			if open++; t.marks == 0 {
				t.start = n
			}
			t.marks++
			text = text[len(openMark):]
		case strings.HasPrefix(text, closeMark):
			if open--; open < 0 {
				return t, fmt.Sprintf("%s without a %s before it; mark each error as %swords%s", closeMark, openMark, openMark, closeMark)
			}
			t.end = n
			text = text[len(closeMark):]
		case text != "":
			b.WriteByte('<')
			n++
			text = text[1:]
		}
	}
	if open > 0 {
		t.end, t.unclosed = n, true
	}
	t.text = b.String()
	return t, ""
}

// kindOf returns a span with the severity and the category of an error in the protocol's
// spelling. It ignores a slash at the end of the category.
func (m *mqmReader) kindOf(r *record, category, severity string) protocol.ErrorSpan {
	if severity == "" {
		r.Refuse(m.columns.at(colSeverity), "severity", "missing; give the severity of the error, or write No-error as category and severity")
	}
	s := protocol.ErrorSpan{Severity: numericSeverity(m.p, severity)}
	s.Category, s.Subcategory, _ = strings.Cut(strings.TrimRight(category, "/"), "/")
	if s.Subcategory == "-" { // as in "Source error/-", where there is none
		s.Subcategory = ""
	}
	exact := m.p.Canonical(s)
	if LacksCategory(m.p, exact) {
		r.Refuse(m.columns.at(colCategory), "category", noCategory, wording.Quote(exact.Subcategory))
	}
	if _, _, known := m.p.Spans.Category(exact.Category, ""); known || !strings.Contains(category, "_") {
		return exact
	}
	// Some tables have non_translation for Non-translation, locale_convention/…
	for _, with := range []string{" ", "-"} {
		spaced := s
		spaced.Category = strings.ReplaceAll(s.Category, "_", with)
		spaced.Subcategory = strings.ReplaceAll(s.Subcategory, "_", " ")
		spaced = m.p.Canonical(spaced)
		if _, _, known := m.p.Spans.Category(spaced.Category, ""); known {
			return spaced
		}
	}
	return exact
}

// place sets the side and the offsets of the error of a row. The mark in the target
// counts, or else that in the source. If both texts have a mark, the one in the source
// counts if only it covers words, or if the error is an omission. Without marks a
// non-translation spans the whole translation. The place of any other error without marks
// is unknown: many tables lost the marks in the source, and errors such as "Other" need
// none. Such errors become [0, 0) in the source for a source error, and otherwise in the
// target, since an error counts wherever it is.
func (m *mqmReader) place(row *mqmRow, source, target markedText) {
	s := &row.span
	s.Side = protocol.Target
	switch {
	case target.marks > 0 && source.end > source.start && (target.start == target.end || omits(*s)):
		s.Side, s.Start, s.End = protocol.Source, source.start, source.end
		row.notes = append(row.notes, noteInSource)
	case target.marks > 0:
		s.Start, s.End = target.start, target.end
		if source.marks > 0 {
			row.notes = append(row.notes, noteBothSides)
		}
	case source.marks > 0:
		s.Side, s.Start, s.End = protocol.Source, source.start, source.end
	case m.isKind(*s, protocol.NonTranslation):
		s.End = codepoint.Len(row.target)
	case m.isKind(*s, protocol.SourceError):
		s.Side = protocol.Source
		row.notes = append(row.notes, noteNoSource)
		return
	default:
		row.notes = append(row.notes, noteNoMark)
		return
	}
	text := row.target
	if s.Side == protocol.Source {
		text = row.source
	}
	s.Text, _ = codepoint.Slice(text, s.Start, s.End)
}

// omits reports whether an error is an omission. Tables of systems that were rated side by side say of which translation,
// as in "Omission (Translation 2)".
func omits(s protocol.ErrorSpan) bool {
	for _, name := range []string{s.Category, s.Subcategory} {
		kind, _, _ := strings.Cut(name, " (")
		if strings.EqualFold(kind, "Omission") {
			return true
		}
	}
	return false
}

// isKind reports whether the category of an error has a rule, under the protocol or under
// MQM, the protocol of the table.
func (m *mqmReader) isKind(s protocol.ErrorSpan, rule protocol.Rule) bool {
	mqm, _ := protocol.Lookup("mqm")
	for _, p := range []*protocol.Protocol{m.p, mqm} {
		c, _, _ := p.Spans.Category(p.Canonical(s).Category, "")
		if c.Rule == rule {
			return true
		}
	}
	return false
}

// latestTime is the last millisecond of the year 9999.
const latestTime = 253402300799999
