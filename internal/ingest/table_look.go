package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/spreadsheet"
	"annotate/internal/wording"
)

// A ColumnRole says what a column of a table holds.
type ColumnRole string

// The roles of columns that are not fields of the format jsonl.
const (
	SystemColumn  ColumnRole = "system" // the translations by the system that the header names
	IgnoredColumn ColumnRole = "ignore"
)

// ColumnRoles lists the roles that columns can have, in the order in which pages show them. Only
// SystemColumn and IgnoredColumn can be the role of several columns.
var ColumnRoles = []ColumnRole{
	"source",
	SystemColumn,
	"reference",
	"doc_id",
	"segment_id",
	"domain",
	"context",
	"note",
	"term",
	"explication",
	"data_source",
	"source_lang",
	"target_lang",
	IgnoredColumn,
}

// RolesOf reads the roles of columns that are written ROLE=NAME, by name. It returns nil if there are none.
func RolesOf(columns []string) (map[string]ColumnRole, error) {
	var roles map[string]ColumnRole
	for _, c := range columns {
		role, name, ok := strings.Cut(c, "=")
		if !ok || name == "" || !slices.Contains(ColumnRoles, ColumnRole(role)) {
			return nil, fmt.Errorf("takes ROLE=NAME with a role such as source, system or ignore, not %q", c)
		}
		if roles == nil {
			roles = map[string]ColumnRole{}
		}
		if _, twice := roles[name]; twice {
			return nil, fmt.Errorf("says twice what the column %q is", name)
		}
		roles[name] = ColumnRole(role)
	}
	return roles, nil
}

// roleNames are the roles that names in headers stand for, in lower case and without anything but
// letters.
var roleNames = map[string]ColumnRole{
	"source": "source", "src": "source", "sourcetext": "source", "sourcesegment": "source", "original": "source",
	"reference": "reference", "ref": "reference", "referencetranslation": "reference", "humanreference": "reference",
	"docid": "doc_id", "doc": "doc_id", "document": "doc_id", "documentid": "doc_id",
	"segmentid": "segment_id", "segid": "segment_id", "segment": "segment_id", "id": "segment_id",
	"domain": "domain", "context": "context", "note": "note", "notes": "note", "term": "term", "explication": "explication",
	"datasource": "data_source", "sourcelang": "source_lang", "sourcelanguage": "source_lang", "targetlang": "target_lang", "targetlanguage": "target_lang",
}

// roleOf returns the role of a column by the name in its header: [SystemColumn] for a name that
// stands for nothing else.
func roleOf(name string) ColumnRole {
	letters := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.:#*", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	if role, ok := roleNames[letters]; ok {
		return role
	}
	return SystemColumn
}

// TableOptions say which table of a file is read, and what its columns are.
type TableOptions struct {
	// Sheet is the name of the sheet of a workbook. If it is empty, the only sheet that is not
	// hidden and has rows is read.
	Sheet string
	// AnySheet chooses one if several sheets have rows: the first with a column that is the
	// source, and otherwise the first.
	AnySheet bool
	// Header is the number of the row with the names of the columns. 0 takes the first of the
	// upper rows that names a source, and otherwise the first with several names. A row that is
	// shown goes before a hidden one.
	Header int
	// Roles gives columns a role, by their name in the header or their letter. If one of them is
	// a system, no other column is. A column that is not here has the role that its name
	// stands for. If it is hidden, it is left out.
	Roles map[string]ColumnRole
	// Columns gives columns a role by their index, from 0, in place of Roles.
	Columns map[int]ColumnRole
	// Ask leaves the role of a column open if its name stands for nothing and is none of Systems.
	// Without it, such a column is a system.
	Ask     bool
	Systems []string
}

// A TableColumn is a column of a table.
type TableColumn struct {
	Index int        // from 0
	Name  string     // in the header, with single spaces; empty if it has none
	Role  ColumnRole // empty if nothing says what the column holds
	// Hidden says that a spreadsheet program does not show the column.
	Hidden bool
	// Samples are the texts of the first rows. Some may be empty.
	Samples []string
}

// A TableLook is what a reader of a table finds in it.
type TableLook struct {
	Sheets  []spreadsheet.Sheet
	Filled  []int // the indices of the sheets that are not hidden and have rows; nil if Options names a sheet
	Sheet   int   // the index of the sheet that is read, or -1 if it has to be chosen
	Header  int   // the number of the row with the names; 0 if there is none
	Columns []TableColumn
	// HiddenRows is how many rows below the header are hidden. They are read like others.
	HiddenRows int
	layout     spreadsheet.Layout
	book       *spreadsheet.Book
	file       string
}

const (
	// headerRows is how many of the first rows with something in them can be the header.
	headerRows = 30
	// sampleRows is how many rows a Column has samples of.
	sampleRows = 4
)

// LookAtTable finds the sheet, the header and the columns of a table. The error is a
// *[campaign.Problem] if the file has no table, or the options do not fit it.
func LookAtTable(r io.ReaderAt, size int64, file string, opt TableOptions) (*TableLook, error) {
	head := make([]byte, min(size, HeadSize))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n"))
	if p := anotherFormat(&record{Place: campaign.Place{File: file, Line: 1}, Text: line}, format.Table); p != nil {
		return nil, p
	}
	book, err := spreadsheet.Open(r, size, file)
	if err != nil {
		return nil, sheetProblem(file, err)
	}
	l := &TableLook{Sheets: book.Sheets, Sheet: -1, book: book, file: file}
	if err := l.chooseSheet(opt.Sheet); err != nil {
		return l, err
	}
	switch {
	case l.Sheet >= 0:
		return l, l.lookAtSheet(l.Sheet, opt)
	case opt.AnySheet:
		return l, l.lookAtAny(opt)
	}
	return l, nil
}

// lookAtAny finds the header and the columns of the first sheet that has a source, and otherwise of
// the first sheet with rows.
func (l *TableLook) lookAtAny(opt TableOptions) error {
	for _, i := range l.Filled {
		if err := l.lookAtSheet(i, opt); err == nil && slices.ContainsFunc(l.Columns, func(c TableColumn) bool { return c.Role == "source" }) {
			return nil
		}
	}
	return l.lookAtSheet(l.Filled[0], opt)
}

// lookAtSheet finds the header and the columns of a sheet.
func (l *TableLook) lookAtSheet(i int, opt TableOptions) (err error) {
	l.Sheet, l.Header, l.Columns, l.HiddenRows = i, 0, nil, 0
	if l.layout, err = l.book.Layout(i); err != nil {
		return sheetProblem(l.file, err)
	}
	rows, err := l.firstRows(opt.Header)
	if err != nil {
		return err
	}
	header := l.findHeader(rows, opt.Header)
	switch {
	case header < 0 && opt.Header > 0:
		return &campaign.Problem{
			File:  l.file,
			Field: spreadsheet.Place(l.sheetName(), -1, opt.Header),
			Msg:   "the row has nothing in it; give the number of the row that has the names of the columns",
		}
	case header < 0:
		return &campaign.Problem{
			File:  l.file,
			Field: l.sheetName(),
			Msg:   "no row has the names of columns; give the columns names, one of which is source, or say which row has them",
		}
	}
	l.Header = rows[header].Number
	l.HiddenRows = l.layout.HiddenRows(l.Header)
	l.columns(rows[header], rows[header+1:])
	return l.assign(opt)
}

// sheetProblem turns a *[spreadsheet.Problem] into a *[campaign.Problem].
func sheetProblem(file string, err error) error {
	p, ok := errors.AsType[*spreadsheet.Problem](err)
	if !ok {
		return err
	}
	line := p.Line
	if line == 0 {
		line = p.Row
	}
	return &campaign.Problem{File: file, Line: line, Field: spreadsheet.Place(p.Sheet, p.Column, p.Row), Msg: p.Msg, Kind: p.Msg}
}

// sheetName is the name of the sheet that is read; empty in a text file.
func (l *TableLook) sheetName() string { return l.Sheets[l.Sheet].Name }

// chooseSheet sets Sheet. It leaves it at -1 without an error if several sheets have rows.
func (l *TableLook) chooseSheet(name string) error {
	for i, s := range l.Sheets {
		if s.Name == name && name != "" {
			l.Sheet = i
			return nil
		}
		if s.Hidden || name != "" {
			continue
		}
		for _, err := range l.book.Rows(i) {
			if p, ok := errors.AsType[*spreadsheet.Problem](err); ok && p.Row == 0 || err != nil && !ok {
				return sheetProblem(l.file, err)
			}
			l.Filled = append(l.Filled, i)
			break
		}
	}
	switch {
	case len(l.Filled) == 1:
		l.Sheet = l.Filled[0]
	case name != "":
		return &campaign.Problem{
			File:  l.file,
			Field: "sheet",
			Msg:   fmt.Sprintf("there is no sheet %s; the file has %s", wording.Quote(name), l.listSheets(func(int) bool { return true })),
		}
	case len(l.Filled) == 0:
		msg := noneIn("rows")
		if hidden := l.listSheets(func(i int) bool { return l.Sheets[i].Hidden }); hidden != "" {
			msg = "no sheet that a spreadsheet program shows has rows; to read a hidden sheet, choose " + hidden
		}
		return &campaign.Problem{File: l.file, Field: "sheet", Msg: msg}
	}
	return nil
}

// listSheets lists the names of the sheets with an index that fits.
func (l *TableLook) listSheets(fits func(int) bool) string {
	var names []string
	for i, s := range l.Sheets {
		if fits(i) {
			names = append(names, s.Name)
		}
	}
	return list(names)
}

// firstRows reads the rows that may be the header, those up to a given header, and some more.
func (l *TableLook) firstRows(header int) (rows []spreadsheet.Row, err error) {
	after := 0
	for row, err := range l.book.Rows(l.Sheet) {
		if p, ok := errors.AsType[*spreadsheet.Problem](err); err != nil && (!ok || p.Row == 0) {
			return nil, sheetProblem(l.file, err)
		}
		rows = append(rows, row)
		if header > 0 && row.Number > header {
			after++
		}
		if len(rows) >= headerRows && (header == 0 || after > sampleRows) || header > 0 && after > headerRows {
			break
		}
		if header > 0 && row.Number < header && len(rows) > headerRows {
			rows = rows[1:]
		}
	}
	return rows, nil
}

// findHeader returns the index of the header in rows, or -1.
func (l *TableLook) findHeader(rows []spreadsheet.Row, number int) int {
	if number > 0 {
		return slices.IndexFunc(rows, func(r spreadsheet.Row) bool { return r.Number == number })
	}
	// The best is a row that is shown and names a source, then one that names a source, and then
	// one that is shown.
	best, rank := -1, -1
	for i, row := range rows {
		names := map[string]bool{}
		of := 0
		for _, c := range row.Cells {
			if name := headerName(c); name != "" {
				names[name] = true
				if roleOf(name) == "source" {
					of = 2
				}
			}
		}
		if !row.Hidden {
			of++
		}
		if len(names) > 1 && of > rank && !l.mergedAcross(row.Number) {
			best, rank = i, of
		}
	}
	return best
}

// mergedAcross reports whether cells of a row are merged with cells beside them.
func (l *TableLook) mergedAcross(row int) bool {
	return slices.ContainsFunc(l.layout.Merged, func(m spreadsheet.Range) bool {
		return m.FirstColumn != m.LastColumn && m.FirstRow <= row && row <= m.LastRow
	})
}

// headerName is a name in a header, with single spaces in place of all white space.
func headerName(c spreadsheet.Cell) string { return strings.Join(strings.Fields(c.Text), " ") }

// columns finds the columns that have a name or a text.
func (l *TableLook) columns(header spreadsheet.Row, rows []spreadsheet.Row) {
	width := len(header.Cells)
	for _, row := range rows {
		width = max(width, len(row.Cells))
	}
	for i := range width {
		c := TableColumn{Index: i, Hidden: l.layout.HiddenColumn(i)}
		if i < len(header.Cells) {
			c.Name = headerName(header.Cells[i])
		}
		filled := c.Name != ""
		for _, row := range rows {
			text := ""
			if i < len(row.Cells) {
				text = row.Cells[i].Text
			}
			filled = filled || text != ""
			if len(c.Samples) < sampleRows {
				c.Samples = append(c.Samples, text)
			}
		}
		if filled {
			l.Columns = append(l.Columns, c)
		}
	}
}

// assign gives each column its role.
func (l *TableLook) assign(opt TableOptions) error {
	roles := opt.Roles
	// A name that is also a letter is a name.
	chosen := func(c TableColumn) (ColumnRole, bool) {
		if role, ok := opt.Columns[c.Index]; ok {
			return role, true
		}
		if role, ok := roles[c.Name]; ok && c.Name != "" {
			return role, true
		}
		letter := spreadsheet.Letters(c.Index)
		role, ok := roles[letter]
		return role, ok && !slices.ContainsFunc(l.Columns, func(o TableColumn) bool { return o.Name == letter })
	}
	for name, role := range roles {
		if !slices.Contains(ColumnRoles, role) {
			return campaign.Invalid("columns", fmt.Sprintf("a column can't be %q; use %s", role, list(roleTexts())))
		}
		if !slices.ContainsFunc(l.Columns, func(c TableColumn) bool { return c.Name == name || spreadsheet.Letters(c.Index) == name }) {
			return &campaign.Problem{
				File:  l.file,
				Line:  l.Header,
				Field: spreadsheet.Place(l.sheetName(), -1, l.Header),
				Msg:   fmt.Sprintf("there is no column %s; the columns are %s", wording.Quote(name), list(l.names())),
			}
		}
	}
	onlyChosen := slices.ContainsFunc(l.Columns, func(c TableColumn) bool { role, _ := chosen(c); return role == SystemColumn })
	taken := map[ColumnRole]bool{}
	for i := range l.Columns {
		c := &l.Columns[i]
		if role, ok := chosen(*c); ok {
			c.Role = role
			taken[role] = true
		}
	}
	for i := range l.Columns {
		c := &l.Columns[i]
		if c.Role != "" {
			continue
		}
		switch role := roleOf(c.Name); {
		case c.Hidden:
			c.Role = IgnoredColumn
		case c.Name == "", role == SystemColumn && opt.Ask && !slices.Contains(opt.Systems, c.Name): // nothing is known of it
		case role == SystemColumn && onlyChosen, role != SystemColumn && taken[role]:
			c.Role = IgnoredColumn
		default:
			c.Role = role
		}
	}
	return nil
}

func roleTexts() []string {
	out := make([]string, len(ColumnRoles))
	for i, r := range ColumnRoles {
		out[i] = string(r)
	}
	return out
}

// names lists the names of the columns, or their letters.
func (l *TableLook) names() []string {
	var out []string
	for _, c := range l.Columns {
		out = append(out, l.columnName(c))
	}
	return out
}

// columnName is the name of a column, or its letter.
func (l *TableLook) columnName(c TableColumn) string {
	if c.Name != "" {
		return c.Name
	}
	return spreadsheet.Letters(c.Index)
}

// Problems lists what is wrong with the columns. systems are those of the campaign, or nil.
func (l *TableLook) Problems(systems []string) (out []*campaign.Problem) {
	at := func(column int, msg string, args ...any) *campaign.Problem {
		p := &campaign.Problem{File: l.file, Line: l.Header, Field: spreadsheet.Place(l.sheetName(), column, l.Header),
			Msg: fmt.Sprintf(msg, args...)}
		out = append(out, p)
		return p
	}
	if l.Sheet < 0 {
		return []*campaign.Problem{
			{
				File:   l.file,
				Field:  "sheet",
				Msg:    "several sheets have rows; choose one of " + l.listSheets(func(i int) bool { return slices.Contains(l.Filled, i) }),
				Option: "--sheet NAME",
			},
		}
	}
	first := map[string]TableColumn{}
	named := map[string]bool{}
	var open []string
	for _, c := range l.Columns {
		if c.Role == "" && c.Name != "" {
			open = append(open, c.Name)
			continue
		}
		if c.Role == "" {
			at(c.Index, "the column has texts but no name; name it, or leave it out").Option = "--column ignore=" + spreadsheet.Letters(c.Index)
			continue
		}
		key := string(c.Role)
		if c.Role == SystemColumn {
			key += " " + c.Name
			named[c.Name] = true
		}
		if c.Role == SystemColumn && c.Name == "" {
			at(c.Index, "the column has no name; write the name of the system above the translations")
		} else if earlier, twice := first[key]; twice && c.Role != IgnoredColumn {
			at(c.Index, "a second column %s; the first is %s; give one of them another name, or leave it out",
				wording.Quote(l.columnName(c)), spreadsheet.Place("", earlier.Index, l.Header))
		} else {
			first[key] = c
		}
		if c.Role == SystemColumn && systems != nil && c.Name != "" && !slices.Contains(systems, c.Name) {
			at(c.Index, "there is no system %s; the campaign's systems are %s", wording.Quote(c.Name), list(systems))
		}
	}
	if _, ok := first["source"]; !ok {
		at(-1, "no column is the source; say which of %s it is, or name it source%s",
			list(l.names()), l.leftOut(func(c TableColumn) bool { return roleOf(c.Name) == "source" })).Option = "--column source=NAME"
	}
	if len(open) > 0 {
		at(-1, "say what %s %s", list(open), wording.Choose(len(open), "holds", "hold"))
	} else if len(named) == 0 {
		at(-1, "no column has translations; give each system a column with its name%s",
			l.leftOut(func(c TableColumn) bool { return c.Name != "" && roleOf(c.Name) == SystemColumn }))
	}
	for _, name := range systems {
		if !named[name] && len(named) > 0 {
			at(
				-1, "there is no column for the system %s of the campaign; add one, with empty cells where it has no translation%s",
				wording.Quote(name), l.leftOut(func(c TableColumn) bool { return c.Name == name }),
			)
		}
	}
	return out
}

// leftOut says of the first hidden column that fits that it is left out, as the end of a message.
func (l *TableLook) leftOut(fits func(TableColumn) bool) string {
	for _, c := range l.Columns {
		if c.Hidden && c.Role == IgnoredColumn && fits(c) {
			return fmt.Sprintf(
				"; column %s, %s, is hidden and left out: show it in a spreadsheet program, or say what it holds", spreadsheet.Letters(c.Index),
				wording.Quote(c.Name),
			)
		}
	}
	return ""
}
