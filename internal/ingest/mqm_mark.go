package ingest

import (
	"fmt"
	"strings"

	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A markedText is a text without its marks, and where they were.
type markedText struct {
	text       string
	marks      int
	start, end int // [start, end) in code points; from the first mark to the last
	unclosed   bool
}

// text reads a source or target. The marks are taken out before the quotation
// marks of a CSV file, since a mark may stand before the first of those or between
// two: then the cell would not look quoted, and those of other rows would.
func (m *mqmReader) text(r *record, row *mqmRow, col column) markedText {
	t, bad := unmark(string(m.raw(r, col)))
	if plain, quoted := unquoteCSV([]byte(t.text)); quoted && bad == "" {
		row.notes = append(row.notes, noteQuoted)
		t.start, t.end = unquotedPlace(t.text, t.start), unquotedPlace(t.text, t.end)
		t.text = string(plain)
	}
	if bad != "" {
		r.refuse(m.columns.at(col), columnNames[col], "%s", bad)
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

// unmark takes the marks out of a text. A mark that is not closed reaches to the
// end of the text: the published TED table has one, and its error counts there
// as any other. One that was never opened may have begun anywhere, so it is
// refused: the second result says so.
func unmark(text string) (markedText, string) {
	if !strings.Contains(text, openMark) && !strings.Contains(text, closeMark) {
		return markedText{text: text}, ""
	}
	var b strings.Builder
	t := markedText{text: text} // should it be refused
	open, n := 0, 0             // marks open, and code points so far
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

// kindOf is a span with the severity and the category of an error, as the
// protocol spells them. A slash at the end is no subcategory.
func (m *mqmReader) kindOf(r *record, category, severity string) protocol.ErrorSpan {
	if severity == "" {
		r.refuse(m.columns.at(colSeverity), "severity", "missing; say how grave the error is, or No-error in category and severity")
	}
	s := protocol.ErrorSpan{Severity: numericSeverity(m.p, severity)}
	s.Category, s.Subcategory, _ = strings.Cut(strings.TrimRight(category, "/"), "/")
	if s.Subcategory == "-" { // as in "Source error/-", where there is none
		s.Subcategory = ""
	}
	exact := m.p.Canonical(s)
	if lacksCategory(m.p, exact) {
		r.refuse(m.columns.at(colCategory), "category", noCategory, wording.Quote(exact.Subcategory))
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

// place says where the error of a row lies: at the mark in the target, else at
// that in the source. Of marks on both sides it is the source's that says which
// words are wrong if only it covers some, or if the error is that they were
// omitted. Without marks a non-translation spans the whole
// translation. Of other errors the place is not known: many tables lost the
// marks in the source, and errors such as "Other" need none. They are kept as
// [0, 0), of the source for a source error, of the target for the rest, as they
// count whatever their place.
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

// omits reports whether an error is that words of the source are missing.
func omits(s protocol.ErrorSpan) bool {
	return strings.EqualFold(s.Category, "Omission") || strings.EqualFold(s.Subcategory, "Omission")
}

// isKind reports whether a rule holds for the category of an error, under the
// protocol or, which is where the table comes from, under MQM.
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

// latest is the last millisecond of the year 9999.
const latest = 253402300799999
