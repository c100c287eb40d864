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

// noError is the category and the severity of a row that says that a rating has
// no errors.
const noError = "No-error"

// MQM writes the table in which WMT publishes MQM ratings, in the format
// "mqm-tsv". A protocol without error spans is refused.
//
// Of each segment the ratings of its last complete round are written, see
// [campaign.CompleteRound], or its adjudication: the table has no column for the round, and the rows
// of one rater about one translation are added up.
//
// A table that was imported comes out row for row where
//   - its rows are ordered by segment, systems in byte order, raters in byte
//     order, the rows of a rating together
//   - doc_id is the position of the segment in its document, from 1: the table
//     may hold any number, a campaign does not keep it
//   - severities and categories are spelt as WMT spells them (see below) or are
//     unknown to the protocol; other spellings of known ones, such as "minor" or
//     "Source issue", come out as WMT's
//   - its lines end in LF, the last one too, and columns beyond comment are empty
//   - it has a column comment if and only if a comment is there
//   - a row has at most one mark, in one of its texts, with a beginning and an
//     end: of several the reader makes one, see the package ingest
//   - a mark without words does not stand at the start of a text, where the rows
//     of errors without a mark have none
//   - a non-translation has a mark: without one the reader takes all of the
//     translation, which is then marked
//   - no cell was quoted as in a CSV file; what is written is its text
//
// which is so for the TED talks of WMT21 but for one mark without an end, which
// gets one.
//
// No table can hold the comment of a whole rating that has errors, scores beside
// errors, nor ids and links of errors; they are left out. So are the ratings of
// other rounds, and those of a text that holds <v> or </v> itself, which could not
// be told from a mark. Tabs and line breaks become spaces, one for each character.
// The notes count this, a line for each kind with the first places: none where all
// of the ratings is in the table but for their times.
func MQM(w io.Writer, p *protocol.Protocol, segments Source) (notes []string, err error) {
	if p.Spans == nil {
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

// mqmTable keeps the rows until it is known whether any has a comment.
type mqmTable struct {
	p         *protocol.Protocol
	rows      *spool.Spool // each ends in a tab, the comment and LF
	comments  bool
	documents places
	row       []byte
	lost      losses
}

// lose counts what is lost of a rating beyond its texts.
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

// loseSpaces counts a text of which characters are replaced.
func (t *mqmTable) loseSpaces(s campaign.Segment, system, text string) {
	if strings.ContainsAny(text, cellEnds) {
		t.lost.add(lossSpaces, 1, s, system)
	}
}

// hasMark reports whether a text could not be told from one that is marked.
func hasMark(text string) bool {
	return strings.Contains(text, "<v>") || strings.Contains(text, "</v>")
}

func (t *mqmTable) segment(s campaign.Segment) error {
	_, position := t.documents.next(s.DocID)
	written := false
	for _, tr := range bySystem(s.Translations) {
		ratings := settled(s, tr)
		t.lost.add(lossRounds, otherRounds(tr, ratings), s, tr.System)
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

// Places of the cells that may have marks.
const sourceCell, targetCell = 5, 6

// add keeps one row; without a span it says that there is no error.
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

// needsNoMark reports whether an error is one without words at the start of its
// text that is read back the same without a mark. So come in the errors of a table
// that mark nothing, and so they go out. A reader takes an error without a mark to
// be of the source if it is a source error, to span the translation if it is no
// translation at all, and else to be of the translation. Punctuation that is
// missing at the start has its mark all the same.
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

// isKind reports whether a rule holds for the category of an error, under the
// protocol or under MQM, as the readers of tables see it.
func (t *mqmTable) isKind(s protocol.ErrorSpan, rule protocol.Rule) bool {
	mqm, _ := protocol.Lookup("mqm")
	return slices.ContainsFunc([]*protocol.Protocol{t.p, mqm}, func(p *protocol.Protocol) bool {
		c, _, _ := p.Spans.Category(p.Canonical(s).Category, "")
		return c.Rule == rule
	})
}

// mark sets a span of a text in <v> and </v>.
func mark(text string, start, end int) (string, bool) {
	words, ok := codepoint.Slice(text, start, end)
	if !ok {
		return "", false
	}
	before, _ := codepoint.Slice(text, 0, start)
	return before + "<v>" + words + "</v>" + text[len(before)+len(words):], true
}

// cellEnds are the characters that would end a cell or a line of a file.
const cellEnds = lineEnds + "\t"

// lineEnds are the characters that would end a line of a file.
const lineEnds = "\n\r"

// oneLine replaces what would end a line of a file, and with tabs what would end
// a cell, by one space for each character, so that offsets in code points stay
// right.
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

// plainCell writes a cell so that no reader takes quotation marks off it. The
// table has no quoting, but some of WMT's were saved as CSV and have it, so that
// readers undo it where all of a text, without its marks, is of that form:
// "a ""b"" c". A cell whose text happens to be of that form is quoted itself.
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

// wmtCategories are the categories that the WMT tables spell otherwise than the
// protocol MQM.
var wmtCategories = map[string]string{
	"Terminology/Inconsistent use": "Terminology/Inconsistent use of terminology",
	"Non-translation":              "Non-translation!",
}

// wmtCategory is the category of an error as WMT spells it, with its subcategory
// after a slash. What p does not know by WMT's spelling, it spells itself.
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

// wmtSeverity begins the severities of p with a capital, Minor for minor; those
// that came with an import stay as they are.
func wmtSeverity(p *protocol.Protocol, id string) string {
	i := slices.IndexFunc(p.Spans.Severities, func(s protocol.Severity) bool { return s.ID == id })
	if i < 0 || p.Spans.Severities[i].Own || id == "" || id[0] < 'a' || id[0] > 'z' {
		return id
	}
	return string(id[0]-'a'+'A') + id[1:]
}

// write writes the header and the rows, which lose the comment if none has one.
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
