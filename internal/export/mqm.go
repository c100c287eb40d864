package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/spool"
)

// noError is the category and the severity in the row of a rating without errors.
const noError = "No-error"

// MQM writes the table in which WMT publishes MQM ratings, in the format
// "mqm-tsv". A protocol without error spans is refused.
//
// Only the last complete round of each segment (see [campaign.CompleteRound]), or its
// adjudication, is written. The table has no column for the round, and its readers add
// up all rows of a rater for a translation.
//
// Importing and exporting a table gives the same rows if all of this holds:
//   - The rows are sorted by segment, then by system and by rater in byte order, and
//     the rows of a rating are together.
//   - doc_id is the position of the segment in its document, from 1. A table may have
//     any number there, but a campaign does not store it.
//   - Severities and categories have WMT's spelling (see below) or are unknown to the
//     protocol. Other spellings, such as "minor" or "Source issue", become WMT's.
//   - All lines, including the last, end in LF, and columns after comment are empty.
//   - There is a column comment if and only if a row has a comment.
//   - A row has at most one mark, with a beginning and an end, in one of its texts.
//     Several marks become one, see package ingest.
//   - An empty mark is not at the start of a text, since errors without a mark are
//     stored as empty marks there.
//   - A non-translation has a mark. Without one it becomes a mark of the whole
//     translation.
//   - No cell is quoted as in a CSV file.
//
// The table of the TED talks of WMT21 meets all conditions, except that one of its marks
// has no end; the export adds the end.
//
// A table cannot contain the comment of a rating with errors, scores beside errors, and
// ids and links of errors. They are left out. So are ratings of other rounds or with
// an adjudication in their place, and ratings of texts that contain <v> or </v>, which
// would look like marks. Each character of tabs and line breaks becomes a space. The notes
// list these losses, with a line for each kind. There are none if only the times of
// ratings are lost.
func MQM(w io.Writer, p *protocol.Protocol, segments Source) (notes []string, err error) {
	if !p.MarksErrors() {
		return nil, campaign.Invalid("format", p.Name+" has no error spans, which are the rows of mqm-tsv; export ratings or csv")
	}
	rows, err := spool.New()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	t := mqmTable{p: p, rows: rows, documents: places{}}
	for s, err := range segments {
		if err != nil {
			return nil, err
		}
		if err := t.segment(s); err != nil {
			return nil, fmt.Errorf("segment %q of document %q: %w", s.SegmentID, s.DocID, err)
		}
	}
	if err := t.write(w); err != nil {
		return nil, err
	}
	return t.lost.notes(), nil
}

// mqmTable keeps the rows until it is known whether any row has a comment.
type mqmTable struct {
	p         *protocol.Protocol
	rows      *spool.Spool // each row ends in a tab, the comment and LF
	comments  bool
	documents places
	row       []byte
	lost      losses
}

// lose counts the losses of a rating, except those of its texts.
func (t *mqmTable) lose(s campaign.Segment, system string, r campaign.Rating) {
	if r.Comment != "" && len(r.Spans) > 0 {
		t.lost.add(lossErrorComments, 1, s, system)
	}
	if len(r.Scores) > 0 {
		t.lost.add(lossScores, 1, s, system)
	}
	for _, span := range r.Spans {
		if span.ID != "" {
			t.lost.add(lossIDs, 1, s, system)
		}
		if span.Link != "" {
			t.lost.add(lossLinks, 1, s, system)
		}
	}
}

// loseSpaces counts a text in which tabs or line breaks are replaced.
func (t *mqmTable) loseSpaces(s campaign.Segment, system, text string) {
	if strings.ContainsAny(text, cellEnds) {
		t.lost.add(lossSpaces, 1, s, system)
	}
}

// hasMark reports whether a text contains the characters of a mark.
func hasMark(text string) bool {
	return strings.Contains(text, "<v>") || strings.Contains(text, "</v>")
}

func (t *mqmTable) segment(s campaign.Segment) error {
	_, position := t.documents.next(s.DocID)
	written := false
	for _, tr := range bySystem(s.Translations) {
		ratings := settled(s, tr)
		t.lost.unsettled(s, tr)
		if tr.Adjudication != nil {
			t.lost.add(lossAdjudicated, 1, s, tr.System)
		}
		if hasMark(s.Source) || hasMark(tr.Text) {
			t.lost.add(lossMarkedText, len(ratings), s, tr.System)
			continue
		}
		if len(ratings) > 0 {
			t.loseSpaces(s, tr.System, tr.Text)
			written = true
		}
		for _, r := range ratings {
			t.lose(s, tr.System, r)
			if len(r.Spans) == 0 {
				if err := t.add(s, tr, r, position, nil); err != nil {
					return err
				}
			}
			for i := range r.Spans {
				if err := t.add(s, tr, r, position, &r.Spans[i]); err != nil {
					return err
				}
			}
		}
	}
	if written {
		t.loseSpaces(s, "", s.Source)
	}
	return nil
}

// The indices of the cells that may have marks.
const sourceCell, targetCell = 5, 6

// add adds the row of an error, or, if span is nil, the row of a rating without errors.
func (t *mqmTable) add(s campaign.Segment, tr campaign.Translation, r campaign.Rating, position int, span *protocol.ErrorSpan) error {
	source, target, category, severity, comment := s.Source, tr.Text, noError, noError, r.Comment
	if span != nil {
		marked := &target
		if span.Side == protocol.Source {
			marked = &source
		}
		if !t.needsNoMark(*span) {
			var ok bool
			if *marked, ok = mark(*marked, span.Start, span.End); !ok {
				return fmt.Errorf("the error at %d to %d lies outside its text", span.Start, span.End)
			}
		}
		category, severity, comment = wmtCategory(t.p, *span), wmtSeverity(t.p, span.Severity), span.Comment
	}
	t.comments = t.comments || comment != ""
	t.loseSpaces(s, tr.System, comment)
	t.row = t.row[:0]
	for i, cell := range [...]string{tr.System, s.DocID, strconv.Itoa(position), s.SegmentID, r.Annotator, source, target, category, severity, comment} {
		if !utf8.ValidString(cell) {
			return fmt.Errorf("text %q is not UTF-8", cell)
		}
		if i > 0 {
			t.row = append(t.row, '\t')
		}
		text := cell
		switch i {
		case sourceCell:
			text = s.Source
		case targetCell:
			text = tr.Text
		}
		t.row = append(t.row, plainCell(oneLine(cell, true), text)...)
	}
	err := t.rows.Add(append(t.row, '\n'))
	return err
}

// needsNoMark reports whether an error is an empty span at the start of its text that an
// import restores without a mark. Errors without a mark are imported in this form. The
// reader puts an error without a mark into the source if it is a source error, makes it
// span the whole translation if it is a non-translation, and otherwise puts it at the
// start of the translation. Missing punctuation always gets a mark.
func (t *mqmTable) needsNoMark(s protocol.ErrorSpan) bool {
	if s.Start != 0 || s.End != 0 {
		return false
	}
	if m := t.p.Spans.MissingPunctuation; m != nil && s.Subcategory == m.Subcategory {
		return false
	}
	if t.isKind(s, protocol.NonTranslation) {
		return false
	}
	return (s.Side == protocol.Source) == t.isKind(s, protocol.SourceError)
}

// isKind reports whether the category of an error has a rule, under the protocol or
// under MQM. Readers of tables check both.
func (t *mqmTable) isKind(s protocol.ErrorSpan, rule protocol.Rule) bool {
	mqm, _ := protocol.Lookup("mqm")
	return slices.ContainsFunc([]*protocol.Protocol{t.p, mqm}, func(p *protocol.Protocol) bool {
		c, _, _ := p.Spans.Category(p.Canonical(s).Category, "")
		return c.Rule == rule
	})
}

// mark puts <v> and </v> around a span of a text. It returns false if the span is
// outside the text.
func mark(text string, start, end int) (string, bool) {
	words, ok := codepoint.Slice(text, start, end)
	if !ok {
		return "", false
	}
	before, _ := codepoint.Slice(text, 0, start)
	return before + "<v>" + words + "</v>" + text[len(before)+len(words):], true
}

// cellEnds are the characters that end a cell or a line of a table.
const cellEnds = lineEnds + "\t"

// lineEnds are the characters that end a line of a file.
const lineEnds = "\n\r"

// oneLine replaces each character of a line break by a space and, if tabs is true, also
// tabs. Offsets in code points stay correct.
func oneLine(text string, tabs bool) string {
	if !strings.ContainsAny(text, cellEnds) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' && tabs {
			return ' '
		}
		return r
	}, text)
}

// plainCell quotes a cell whose text looks like a quoted CSV field, such as
// "a ""b"" c". The format has no quoting, but some tables of WMT were saved as CSV, so
// readers remove such quotation marks. text is the cell without its marks.
func plainCell(cell, text string) string {
	n := len(text)
	if n < 4 || text[0] != '"' || text[n-1] != '"' {
		return cell
	}
	inner := text[1 : n-1]
	if single := strings.ReplaceAll(inner, `""`, ""); single == inner || strings.Contains(single, `"`) {
		return cell
	}
	return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
}

// wmtCategories maps categories of the protocol MQM to their spelling in WMT tables,
// where these differ.
var wmtCategories = map[string]string{
	"Terminology/Inconsistent use": "Terminology/Inconsistent use of terminology",
	"Non-translation":              "Non-translation!",
}

// wmtCategory returns the category of an error in WMT's spelling, with its subcategory
// after a slash. If p does not recognise WMT's spelling, it returns that of p.
func wmtCategory(p *protocol.Protocol, s protocol.ErrorSpan) string {
	name := s.Category
	if s.Subcategory != "" {
		name += "/" + s.Subcategory
	}
	wmt, ok := wmtCategories[name]
	if !ok {
		return name
	}
	if c := p.Canonical(protocol.ErrorSpan{Category: wmt}); c.Category != s.Category || c.Subcategory != s.Subcategory {
		return name
	}
	return wmt
}

// wmtSeverity returns a severity of p with a capital letter: Minor for minor. Severities
// that an import added are unchanged.
func wmtSeverity(p *protocol.Protocol, id string) string {
	i := slices.IndexFunc(p.Spans.Severities, func(s protocol.Severity) bool { return s.ID == id })
	if i < 0 || p.Spans.Severities[i].Own || id == "" || id[0] < 'a' || id[0] > 'z' {
		return id
	}
	return string(id[0]-'a'+'A') + id[1:]
}

// write writes the header and the rows. If no row has a comment, it leaves out the
// column.
func (t *mqmTable) write(w io.Writer) error {
	out := lines{w: w}
	out.buf = append(out.buf, "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"...)
	if t.comments {
		out.buf = append(out.buf, "\tcomment"...)
	}
	out.buf = append(out.buf, '\n')
	for i := range t.rows.Len() {
		row, err := t.rows.At(i)
		if err != nil {
			return err
		}
		if !t.comments {
			row = append(row[:len(row)-2], '\n')
		}
		out.buf = append(out.buf, row...)
		if err := out.end(); err != nil {
			return err
		}
	}
	return out.flush()
}
