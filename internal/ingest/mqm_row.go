package ingest

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// An mqmRowKind says what a row contains.
type mqmRowKind int

const (
	leftOut   mqmRowKind = iota // an attention check, or a refused row
	textsOnly                   // texts without a rating
	noError
	oneError
)

// An mqmRow is the content of a row.
type mqmRow struct {
	kind           mqmRowKind
	id             mqmRowID
	langs          [2]string // the languages in the name of the document; empty if there are none
	system, rater  string
	source, target string // without marks
	span           protocol.ErrorSpan
	comment        string    // the comment of a row without an error
	at             time.Time // the time of the mark; zero if unknown
	notes          []string  // what the reader decided
	// contradicts is set if the row says both that there is an error and that there is
	// none.
	contradicts bool
}

// The texts of notes about rows.
const (
	noteCheck       = "{row|rows} of attention checks (HOTW-test) left out"
	noteTextsOnly   = "{row|rows} without a rater, of which the texts alone were taken"
	noteQuoted      = "{field|fields} in quotation marks as CSV files have them, whose quotation marks were removed"
	noteBothSides   = "{error|errors} marked in source and target, of which the mark in the target was kept"
	noteInSource    = "{error|errors} marked in source and target, of which the mark in the source was kept, as the one in the target covers nothing or words are omitted"
	noteSeveral     = "{text|texts} with several <v>…</v>, taken as one mark from the first to the last"
	noteUnclosed    = "{text|texts} with a <v> that is not closed, taken as a mark to the end of the text"
	noteMarkedClean = "{row|rows} without an error whose marks were dropped"
	noteNoMark      = "{error|errors} without <v>…</v>, kept as {a mark|marks} without words at the start of the translation"
	noteNoSource    = "source {error|errors} without <v>…</v>, kept as {a mark|marks} without words at the start of the source"
	noteNoErrorToo  = "{row that says|rows that say} No-error beside errors of the same rating, left out"
	noteTenth       = "{row|rows} with a cell more than the header has names, read as a comment or as metadata"
	noteEnds        = "{text|texts} whose rows differ in the white space at the ends, of which the shortest was taken"
	noteRenamed     = "{error|errors} of the category %s, which the protocol calls %s"
	notePair        = "{row|rows} whose document ends in the language pair, which is read as the languages and left out of its name"
	noteColumn      = "{column|columns} %s that the format does not have, ignored"
	noteContradicts = "{translation|translations} whose rows contradict each other, left out"
)

// Contradiction is the kind of problems that [Options].LeaveOutContradictions leaves out.
const Contradiction = "contradiction"

// An mqmReader reads rows, one at a time.
type mqmReader struct {
	p       *protocol.Protocol
	systems []string // the allowed systems; nil for any
	// source and target are the languages of the campaign, by which pairs are split.
	source, target string
	columns        mqmColumns
	header         string // the names of the header; empty if there is none
	headerFirst    string // the first name of the header
	leaveOut       bool   // leave out translations whose rows contradict each other
	begun          bool
	lastRater      string // the last rater whose login was checked
	notes          *Notes // of the header; may be nil
}

// skip reports whether a row is a header or a comment. It reads a header and refuses one
// that cannot be used.
func (m *mqmReader) skip(r *record) bool {
	c := &m.columns
	c.split(r.Text)
	first := !m.begun
	m.begun = true
	if names, ok := m.headerNames(r.Text, first); ok {
		switch header := strings.Join(names, "\t"); {
		case first:
			m.header = header
			m.nameColumns(r, names)
		case header != m.header:
			r.Refuse(nowhere, "", "this is another header, and its columns are not those of the first line; import each table by itself")
			return false
		}
		return len(r.Problems) == 0
	}
	if bytes.HasPrefix(r.Text, []byte("#")) && len(c.cells) == 1 {
		m.begun = !first // a header may follow
		return true
	}
	if first {
		for col := range columnCount {
			c.place[col] = int(col)
		}
		c.place[colMetadata] = int(colComment)
	}
	return false
}

// row reads a row that is not a header. Problems are added to r. The ids are set even if
// there are problems, as far as possible.
func (m *mqmReader) row(r *record) mqmRow {
	var row mqmRow
	c := &m.columns
	c.split(r.Text)
	if !r.IsUTF8() || !m.complete(r) {
		return row
	}
	if at := bytes.IndexByte(r.Text, 0); at >= 0 {
		r.Refuse(at, "", "a text has the character U+0000, which cannot be stored; remove it")
		return row
	}
	doc := m.document(r, &row)
	category, severity := m.label(r, &row, colCategory), m.label(r, &row, colSeverity)
	if isLabel(category, "hotw-test") || isLabel(severity, "hotw-test") {
		r.Problems = nil
		row.notes = []string{noteCheck}
		return row
	}
	m.ids(r, &row, doc)
	row.rater = m.cell(r, &row, colRater)
	switch {
	case row.rater == "" && category == "" && severity == "":
		row.kind = textsOnly
		row.notes = append(row.notes, noteTextsOnly)
	case row.rater == "":
		row.kind = noError
		r.Refuse(c.at(colRater), "rater", "missing; give the login of the annotator")
	default:
		row.kind = oneError
		// Rows of one rater often follow each other.
		if row.rater != m.lastRater && r.Login("rater", jsonValue{Start: c.at(colRater)}, row.rater) {
			m.lastRater = row.rater
		}
	}
	source, target := m.text(r, &row, colSource), m.text(r, &row, colTarget)
	row.source, row.target = source.text, target.text
	if strings.TrimSpace(row.source) == "" {
		r.Refuse(c.at(colSource), "source", "empty; give the source text")
	}
	if row.kind != oneError {
		return row
	}
	row.comment = m.comment(r, &row)
	if clean := isLabel(severity, "no-error"); clean || severity == "" && isLabel(category, "no-error") {
		row.kind = noError
		switch {
		case clean && category != "" && !isLabel(category, "no-error"):
			row.contradicts = true
			m.contradiction(
				r, colSeverity, "is %s, but the category is %s; a row without an error has No-error in both", wording.Quote(severity),
				wording.Quote(category),
			)
		case source.marks+target.marks > 0:
			row.notes = append(row.notes, noteMarkedClean)
		}
		return row
	}
	if isLabel(category, "no-error") {
		row.contradicts = true
		m.contradiction(
			r, colCategory, "is %s, but the severity is %s; a row without an error has No-error in both", wording.Quote(category),
			wording.Quote(severity),
		)
		return row
	}
	row.span = m.kindOf(r, category, severity)
	if is := strings.TrimSuffix(row.span.Category+"/"+row.span.Subcategory, "/"); !strings.EqualFold(withSpaces(category), withSpaces(is)) {
		row.notes = append(row.notes, fmt.Sprintf(noteRenamed, wording.Quote(category), wording.Quote(is)))
	}
	row.span.Comment, row.comment = row.comment, ""
	m.place(&row, source, target)
	return row
}

// contradiction refuses a row that contradicts itself or another row of its translation,
// unless such translations are left out.
func (m *mqmReader) contradiction(r *record, col mqmColumn, format string, args ...any) {
	if !m.leaveOut {
		r.RefuseKind(Contradiction, m.columns.at(col), mqmColumnNames[col], format, args...)
	}
}

// complete reports whether a row has the right number of columns. If not, it refuses the
// row.
func (m *mqmReader) complete(r *record) bool {
	c := &m.columns
	n := len(c.cells)
	for want := max(c.count, headlessColumns+1); n > want && c.cells[n-1].Start == c.cells[n-1].End; {
		n-- // empty columns at the end are ignored
	}
	least, most := headlessColumns, c.count
	if c.count > 0 {
		least = slices.Max(c.place[:headlessColumns]) + 1
	}
	if c.unnamed {
		most++
	}
	switch {
	case c.count > 0 && n < least:
		r.RefuseKind("columns", nowhere, "", "the row has %d columns, and the header has %d; fill in the missing ones", n, c.count)
	case c.count > 0 && n > most:
		r.RefuseKind("columns", nowhere, "",
			"the row has %d columns, and the header has %d; a tab divides columns, so remove the tabs in texts", n, c.count)
	case c.count == 0 && (n < least || n > headlessColumns+1):
		r.RefuseKind(
			"columns", nowhere, "",
			"the row has %d columns; a table without a header has 9 or 10: system, doc, doc_id, seg_id, rater, source, target, category, severity and maybe a comment or metadata",
			n,
		)
	default:
		return true
	}
	return false
}

// raw returns the bytes of a cell.
func (m *mqmReader) raw(r *record, col mqmColumn) []byte {
	i := m.columns.place[col]
	if i < 0 || i >= len(m.columns.cells) {
		return nil
	}
	v := m.columns.cells[i]
	return r.Text[v.Start:v.End]
}

// cell returns the text of a cell. It unquotes a field of a CSV file.
func (m *mqmReader) cell(r *record, row *mqmRow, col mqmColumn) string {
	text, quoted := unquoteCSV(m.raw(r, col))
	if quoted {
		row.notes = append(row.notes, noteQuoted)
	}
	return string(text)
}

// unquoteCSV unquotes a field that a CSV file has quoted: it begins and ends with a
// quotation mark and contains others, all of them doubled. The format has no quoting, so
// any other field is unchanged.
func unquoteCSV(field []byte) ([]byte, bool) {
	n := len(field)
	if n < 4 || field[0] != '"' || field[n-1] != '"' {
		return field, false
	}
	inner := field[1 : n-1]
	found := false
	for i := 0; i < len(inner); i++ {
		if inner[i] != '"' {
			continue
		}
		if i++; i == len(inner) || inner[i] != '"' {
			return field, false
		}
		found = true
	}
	if !found {
		return field, false
	}
	return bytes.ReplaceAll(inner, []byte(`""`), []byte(`"`)), true
}

// unquotedPlace converts an offset in a field, in code points, to the offset after
// unquoteCSV. An offset between two quotation marks that become one is moved before it.
func unquotedPlace(field string, place int) int {
	n, out, half := 0, 0, false
	for i, c := range field {
		if n == place {
			return out
		}
		n++
		switch {
		case i == 0 || i == len(field)-1: // the outer ones
		case c == '"' && !half:
			half = true
		default:
			out, half = out+1, false
		}
	}
	return out
}

// label returns the category or severity of a row.
func (m *mqmReader) label(r *record, row *mqmRow, col mqmColumn) string {
	s := strings.TrimSpace(m.cell(r, row, col))
	if s != "" {
		r.CheckName(m.columns.at(col), mqmColumnNames[col], mqmColumnNames[col], s, MaxLabel)
	}
	return s
}

// isLabel reports whether a label equals a special name. It ignores case and treats "_" and
// spaces as "-".
func isLabel(label, name string) bool {
	return len(label) == len(name) && strings.EqualFold(withDashes.Replace(label), name)
}

var withDashes = strings.NewReplacer("_", "-", " ", "-")

// langSuffix matches a language pair after the name of a document. Languages must have two
// letters, so that other names with a hyphen do not match.
var langSuffix = regexp.MustCompile(`^[A-Za-z]{2}([_-][A-Za-z0-9]{2,8})*-[A-Za-z]{2}([_-][A-Za-z0-9]{2,8})*$`)

// document returns the name of the document without a language pair.
func (m *mqmReader) document(r *record, row *mqmRow) string {
	doc := m.cell(r, row, colDoc)
	i := strings.LastIndexByte(doc, ':')
	if i <= 0 {
		return doc
	}
	source, target, err := ParseLanguagePair(doc[i+1:], m.source, m.target)
	ours := SameLang(source, m.source) && SameLang(target, m.target)
	if err != nil || !ours && !langSuffix.MatchString(doc[i+1:]) {
		return doc
	}
	row.langs = [2]string{source, target}
	row.notes = append(row.notes, notePair)
	return doc[:i]
}

// withSpaces writes a category without what tables write differently: "_" and "-" for a space, a slash at the
// end, and a subcategory that is none.
func withSpaces(category string) string {
	category = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(category, "/"), "/-"), "/")
	return strings.NewReplacer("_", " ", "-", " ").Replace(category)
}

// ids reads the ids of the segment and the name of the system.
func (m *mqmReader) ids(r *record, row *mqmRow, doc string) {
	c := &m.columns
	row.system = m.cell(r, row, colSystem)
	if at := c.at(colSystem); r.CheckName(at, "system", "name", row.system, maxSystem) && m.systems != nil &&
		!slices.Contains(m.systems, row.system) {
		r.Refuse(at, "system", "there is no system %s; the campaign's systems are %s", wording.Quote(row.system), list(m.systems))
	}
	if r.CheckName(c.at(colDoc), "doc", "id", doc, maxID) {
		row.id.doc = doc
	}
	if seg := m.cell(r, row, colSeg); r.CheckName(c.at(colSeg), "seg_id", "id", seg, maxID) {
		row.id.seg = seg
	}
	if seg := m.cell(r, row, colDocSeg); seg == "" || r.CheckName(c.at(colDocSeg), "doc_id", "id", seg, maxID) {
		row.id.docSeg = seg
	}
}

// comment reads the annotator's comment, and the time from the metadata. A column without
// a name, or with the name metadata, is metadata if it is a JSON object, and otherwise a
// comment.
func (m *mqmReader) comment(r *record, row *mqmRow) string {
	comment := ""
	unnamed := m.columns.count == 0 || m.columns.unnamed
	if !unnamed {
		comment = m.cell(r, row, colComment)
	}
	text := m.cell(r, row, colMetadata)
	if m.columns.unnamed && text != "" {
		row.notes = append(row.notes, noteTenth)
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return either(comment, text)
	}
	object := &record{Place: r.Place, Text: []byte(text)}
	v, bad := scanJSON(object.Text)
	switch {
	case bad != nil && unnamed:
		return either(comment, text)
	case bad != nil:
		r.Refuse(m.columns.at(colMetadata), "metadata", "%s", bad.Msg)
		return comment
	}
	f := fields{}
	object.Known(v, "metadata.", func(key string) bool { return key == "note" || key == "timestamp" }, f)
	if v, ok := f["note"]; ok {
		note, _ := object.Str("metadata.note", v)
		comment = either(comment, note)
	}
	if v, ok := f["timestamp"]; ok {
		x, isNumber := object.Number("metadata.timestamp", v)
		switch {
		case isNumber && (x < 0 || x > latestTime):
			object.Refuse(v.Start, "metadata.timestamp", "must be a time in milliseconds since 1970, not %s", object.Text[v.Start:v.End])
		case isNumber && x > 0:
			row.at = time.UnixMilli(int64(math.Trunc(x))).UTC()
		}
	}
	for _, p := range object.Problems {
		r.Refuse(m.columns.at(colMetadata), p.Field, "%s", p.Msg)
	}
	return comment
}

// either joins the texts of two columns.
func either(comment, note string) string {
	if comment == "" || note == "" {
		return comment + note
	}
	return comment + "\n" + note
}
