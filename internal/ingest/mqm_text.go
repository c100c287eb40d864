package ingest

import (
	"annotate/internal/campaign"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A commonText is the common text, without marks, of all rows for a source or a
// translation. In many tables white space at the ends of a text is missing unless a mark
// covers it. So texts that differ only there are equal, and the shortest is taken.
type commonText struct {
	text    string
	line    int  // the line of the first row; 0 if there is none yet
	ragged  int  // the line of the first row with other white space at its ends; 0 if there is none
	refused bool // a different text was refused
}

// take compares the text of a row with the earlier texts. It returns false for the first
// text that differs.
func (t *commonText) take(text string, line int) bool {
	switch {
	case t.line == 0:
		t.text, t.line = text, line
	case t.refused || text == t.text:
	case strings.TrimSpace(text) == strings.TrimSpace(t.text):
		if t.ragged == 0 {
			t.ragged = line
		}
		if len(text) < len(t.text) {
			t.text = text
		}
	default:
		t.refused = true
		return false
	}
	return true
}

// differs returns the message that the text of a row differs from the first text.
func (t *commonText) differs(text, field, of string) string {
	earlier, n := t.text, 0
	for text != "" && earlier != "" {
		a, size := utf8.DecodeRuneInString(text)
		b, _ := utf8.DecodeRuneInString(earlier)
		if a != b {
			break
		}
		text, earlier = text[size:], earlier[size:]
		n++
	}
	return fmt.Sprintf(
		"differs from the text of line %d: after %d equal characters it has %s, and that line has %s; apart from <v> and </v>, the %s must be the same in all rows %s",
		t.line, n, wording.Quote(text), wording.Quote(earlier), field, of,
	)
}

// fit converts a span to offsets in the common text. The offsets of s count from the first
// character of the row's text that is not white space.
func (t *commonText) fit(s protocol.ErrorSpan) protocol.ErrorSpan {
	s = movedSpan(s, leadingSpace(t.text))
	if t.ragged == 0 {
		return s
	}
	n := codepoint.Len(t.text)
	s.Start, s.End = min(max(s.Start, 0), n), min(max(s.End, 0), n)
	s.Text, _ = codepoint.Slice(t.text, s.Start, s.End)
	return s
}

// taken returns the common text. It adds a note if the texts of rows differ at their ends.
func (t *mqmTable) taken(x *commonText) string {
	if x.ragged > 0 {
		t.notes.Add(noteEnds, t.opt.File, x.ragged)
	}
	return x.text
}

// movedSpan returns the span with both offsets changed.
func movedSpan(s protocol.ErrorSpan, by int) protocol.ErrorSpan {
	s.Start, s.End = s.Start+by, s.End+by
	return s
}

// leadingSpace returns the number of code points of white space at the start of a text.
func leadingSpace(text string) int {
	n := 0
	for _, c := range text {
		if !unicode.IsSpace(c) {
			break
		}
		n++
	}
	return n
}

// contradictory returns the systems whose translations of a segment are left out. A
// translation is left out if its rows have different sources or targets, if a row says
// both that there is an error and that there is none, or if its source differs from that
// of most systems.
func (t *mqmTable) contradictory(s *mqmRowsOf) (map[string]bool, error) {
	type rowsOfSystem struct {
		source, target string // without white space at their ends
		line           int
		bad            bool
	}
	var order []string
	of := map[string]*rowsOfSystem{}
	for _, n := range t.rowsOf(s) {
		line := int(t.lines[n])
		text, err := t.rows.At(n)
		if err != nil {
			return nil, err
		}
		row := t.reader.row(&record{Place: campaign.Place{File: t.opt.File, Line: line}, Text: text})
		source, target := strings.TrimSpace(row.source), strings.TrimSpace(row.target)
		x := of[row.system]
		if x == nil {
			x = &rowsOfSystem{source: source, target: target, line: line}
			of[row.system] = x
			order = append(order, row.system)
		}
		x.bad = x.bad || row.contradicts || source != x.source || target != x.target
	}
	count, source := map[string]int{}, ""
	for _, system := range order {
		if x := of[system]; !x.bad {
			count[x.source]++
		}
	}
	for _, system := range order {
		if x := of[system]; !x.bad && count[x.source] > count[source] {
			source = x.source
		}
	}
	left := map[string]bool{}
	for _, system := range order {
		if x := of[system]; x.bad || x.source != source {
			left[system] = true
			t.notes.AddNamed(
				noteContradicts,
				fmt.Sprintf("segment %s of document %s by %s", wording.Quote(s.segmentID), wording.Quote(s.docID), wording.Quote(system)), t.opt.File,
				x.line,
			)
		}
	}
	return left, nil
}
