package spreadsheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An XLSX workbook is a zip archive of XML files (ECMA-376, part 1, chapter 18). Names are compared
// without their namespace, since there are two of each: those of the standard and the older ones.

// A workbook is an XLSX file.
type workbook struct {
	files   map[string]*zip.File // by path in lower case
	sheets  []string             // the path of each sheet
	names   []string             // the name of each sheet
	shared  []string             // the texts that cells refer to; nil until a sheet is read
	formats []numberFormat       // by the style of a cell
	texts   string               // the path of the shared texts; may be empty
	layouts map[string]Layout    // by the path of a sheet that was read
}

// openXLSX reads which sheets a workbook has.
func openXLSX(r io.ReaderAt, size int64) (*Book, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &Problem{Column: -1, Msg: "the file is damaged or cut short; open it in a spreadsheet program and save it again"}
	}
	w := &workbook{files: map[string]*zip.File{}, layouts: map[string]Layout{}}
	unpacked := uint64(0)
	for _, f := range z.File {
		if unpacked += min(f.CompressedSize64, uint64(size)+1); unpacked > uint64(size) {
			return nil, beyond(f.Name, "its files overlap")
		}
		name := strings.ReplaceAll(f.Name, `\`, "/") // some programs on Windows write backslashes
		w.files[strings.ToLower(strings.TrimPrefix(name, "/"))] = f
	}
	main := "xl/workbook.xml"
	var top relations
	if err := w.decode("_rels/.rels", &top); err != nil {
		return nil, err
	}
	for _, rel := range top.Relations {
		if strings.HasSuffix(rel.Type, "/officeDocument") {
			main = target("", rel.Target)
		}
	}
	if w.files[strings.ToLower(main)] == nil {
		return nil, &Problem{Column: -1, Msg: "the file is no Excel workbook (.xlsx); save the table as .xlsx or CSV"}
	}
	var book struct {
		Sheets []struct {
			Name  string `xml:"name,attr"`
			State string `xml:"state,attr"`
			ID    string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := w.decode(main, &book); err != nil {
		return nil, err
	}
	var parts relations
	if err := w.decode(path.Join(path.Dir(main), "_rels", path.Base(main)+".rels"), &parts); err != nil {
		return nil, err
	}
	at := map[string]string{}
	for _, rel := range parts.Relations {
		place := target(path.Dir(main), rel.Target)
		at[rel.ID] = place
		switch {
		case strings.HasSuffix(rel.Type, "/sharedStrings"):
			w.texts = place
		case strings.HasSuffix(rel.Type, "/styles"):
			if err := w.readStyles(place); err != nil {
				return nil, err
			}
		}
	}
	b := &Book{open: w.open}
	for _, s := range book.Sheets {
		if !strings.Contains(strings.ToLower(at[s.ID]), "worksheets/") && w.files[strings.ToLower(at[s.ID])] == nil || strings.Contains(at[s.ID], "chartsheets/") {
			continue // a chart
		}
		b.Sheets = append(b.Sheets, Sheet{s.Name, s.State != "" && s.State != "visible"})
		w.sheets, w.names = append(w.sheets, at[s.ID]), append(w.names, s.Name)
	}
	if len(b.Sheets) > maxSheets {
		return nil, beyond(main, "it has more than %d sheets", maxSheets)
	}
	if len(b.Sheets) == 0 {
		return nil, &Problem{Column: -1, Msg: "the workbook has no sheets with cells"}
	}
	return b, nil
}

// relations says which files belong to a file of a workbook.
type relations struct {
	Relations []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// target is the path of a file that another one in a folder names.
func target(folder, name string) string {
	if strings.HasPrefix(name, "/") {
		return strings.TrimPrefix(name, "/")
	}
	return path.Join(folder, name)
}

// errDamaged says that a part of a workbook cannot be read.
func errDamaged(part string) error {
	return &Problem{Column: -1, Msg: "the workbook is damaged (" + part + "); open it in a spreadsheet program and save it again"}
}

// part opens a file of the workbook. It is nil if there is no such file.
func (w *workbook) part(name string) (*part, error) {
	f := w.files[strings.ToLower(name)]
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, errDamaged(name)
	}
	most := firstBytes + maxRatio*int64(min(f.CompressedSize64, math.MaxInt64/maxRatio/2))
	return &part{newTokens(r, name, most), r}, nil
}

// A part is a file of a workbook that is being read.
type part struct {
	*tokens
	io.Closer
}

// failed is an error of a part: that of a limit, or that the part is damaged.
func failed(err error, name string) error {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	return errDamaged(name)
}

// decode reads a small file of the workbook into v. It leaves v alone if there is no such file.
func (w *workbook) decode(name string, v any) error {
	r, err := w.part(name)
	if err != nil || r == nil {
		return err
	}
	defer r.Close()
	r.in.left = min(r.in.left, maxSmall)
	if err := xml.NewTokenDecoder(rawTokens{r.tokens}).Decode(v); err != nil {
		return failed(err, name)
	}
	return nil
}

// A numberFormat says what the numbers of a style look like.
type numberFormat int

const (
	general   numberFormat = iota // as they are
	formatted                     // with decimals, a percent sign and so on
	dated                         // a date or a time
)

// readStyles reads the format of each style.
func (w *workbook) readStyles(name string) error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := w.decode(name, &styles); err != nil {
		return err
	}
	codes := map[int]string{}
	for _, f := range styles.Formats {
		codes[f.ID] = f.Code
	}
	w.formats = make([]numberFormat, len(styles.Cells))
	for i, c := range styles.Cells {
		w.formats[i] = formatOf(c.Format, codes[c.Format])
	}
	return nil
}

// formatOf returns what a format means. Its id is that of a format that programs know without
// a code (ECMA-376, 18.8.30), or has a code in the file.
func formatOf(id int, code string) numberFormat {
	switch {
	case code != "":
		return formatOfCode(code)
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 45 && id <= 47, id >= 50 && id <= 58:
		return dated
	case id == 0, id == 1, id == 49: // General, 0, @
		return general
	}
	return formatted
}

// formatOfCode returns what a format such as `dd/mm/yyyy "at" hh:mm` means.
func formatOfCode(code string) numberFormat {
	if strings.EqualFold(code, "General") || code == "0" || code == "@" {
		return general
	}
	for i := 0; i < len(code); i++ {
		switch c := code[i] | 0x20; {
		case code[i] == '"':
			if end := strings.IndexByte(code[i+1:], '"'); end >= 0 {
				i += end + 1
			}
		case code[i] == '[': // a colour, a condition, a language, or hours that have passed
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return formatted
			}
			if inside := strings.ToLower(code[i+1 : i+end]); strings.Trim(inside, "hms") == "" {
				return dated
			}
			i += end
		case code[i] == '\\' || code[i] == '_' || code[i] == '*':
			i++
		case strings.HasPrefix(strings.ToLower(code[i:]), "general"):
			i += len("general") - 1
		case c == 'd' || c == 'm' || c == 'y' || c == 'h' || c == 's':
			return dated
		}
	}
	return formatted
}

// open reads the shared texts, and the layout of a sheet.
func (w *workbook) open(sheet int) (table, error) {
	if w.shared == nil {
		if err := w.readShared(); err != nil {
			return table{}, err
		}
	}
	s := &sheetReader{workbook: w, part: w.sheets[sheet], name: w.names[sheet]}
	layout, ok := w.layouts[s.part]
	if !ok {
		var err error
		if layout, err = s.layout(); err != nil {
			return table{}, err
		}
		w.layouts[s.part] = layout
	}
	return table{rows: s.rows, layout: layout}, nil
}

// readShared reads the texts that cells refer to, if the workbook has any.
func (w *workbook) readShared() error {
	r, err := w.part(w.texts)
	if err != nil {
		return err
	}
	if r == nil {
		w.shared = []string{}
		return nil
	}
	defer r.Close()
	texts, err := sharedTexts(r.tokens, maxShared)
	switch {
	case err == errLongTexts:
		return &Problem{Column: -1, Msg: fmt.Sprintf("the workbook has more than %d MiB of text, or more than %d texts; save the sheet as CSV in UTF-8", maxShared>>20, maxTexts)}
	case err != nil:
		return failed(err, w.texts)
	}
	w.shared = texts
	return nil
}

// errLongTexts says that the texts of a workbook take more memory than they may.
var errLongTexts = errors.New("too many texts")

// sharedTexts reads texts that take at most limit bytes of memory together. An empty text takes
// memory too, so a file of nothing but empty texts has a limit.
func sharedTexts(d *tokens, limit int) ([]string, error) {
	const header = 16 // bytes of a string without its text
	texts := []string{}
	size := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "si" {
			continue
		}
		text, err := richText(d)
		if err != nil {
			return nil, err
		}
		if size += header + len(text); size > limit || len(texts) == maxTexts {
			return nil, errLongTexts
		}
		texts = append(texts, text)
	}
}

// richText reads a text up to the end of the element that has begun. It leaves out how the text
// is pronounced, which Japanese workbooks have.
func richText(d *tokens) (string, error) {
	var b strings.Builder
	depth, inText, spoken := 1, 0, 0
	for depth > 0 {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			if t.Name.Local == "rPh" {
				spoken = depth
			} else if t.Name.Local == "t" && spoken == 0 {
				inText = depth
			}
		case xml.EndElement:
			if spoken == depth {
				spoken = 0
			}
			if inText == depth {
				inText = 0
			}
			depth--
		case xml.CharData:
			if inText > 0 {
				b.Write(t)
			}
			if b.Len() > maxCell {
				return "", beyond(d.in.part, "a text has more than %d MiB", maxCell>>20)
			}
		}
	}
	return unescape(b.String()), nil
}

// unescape replaces "_x000D_" and the like, with which workbooks write characters that XML does
// not have (ECMA-376, 22.9.2.19).
func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "_x")
		if i < 0 || i+7 > len(s) {
			return b.String() + s
		}
		code, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
		if err != nil || s[i+6] != '_' || !utf8.ValidRune(rune(code)) {
			b.WriteString(s[:i+2])
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		b.WriteRune(rune(code))
		s = s[i+7:]
	}
}

// A sheetReader reads one sheet of a workbook.
type sheetReader struct {
	*workbook
	part, name string
	row        int // the last row
}

// layout reads which cells are merged and which columns and rows are hidden. Columns stand before
// the rows, and merged cells behind them.
func (s *sheetReader) layout() (out Layout, err error) {
	r, err := s.workbook.part(s.part)
	if err != nil || r == nil {
		return out, err
	}
	defer r.Close()
	row, hidden := 0, false                  // the row that is read, and whether it is hidden and not counted yet
	rows, cells, column, width := 0, 0, 0, 0 // width is how many cells of the row are counted
	for {
		token, err := r.raw()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return Layout{}, s.at(failed(err, s.part), row)
		}
		if rows > maxRows || cells > maxCells || len(out.Merged) > maxMerged {
			return Layout{}, s.at(beyond(s.part, "the sheet has more than %d rows, %d cells or %d blocks of merged cells", maxRows, maxCells, maxMerged), row)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "col":
			first, err1 := strconv.Atoi(attribute(start, "min"))
			last, err2 := strconv.Atoi(attribute(start, "max"))
			if err1 == nil && err2 == nil && isHidden(start, "width") && len(out.hiddenColumns) < maxColumns {
				out.hiddenColumns = append(out.hiddenColumns, columnSpan{first - 1, last - 1})
			}
		case "c":
			if at, _, ok := parseCell(attribute(start, "r")); ok {
				column = at
			}
			column++
			cells++
		case "row":
			rows++
			column, width = 0, 0
			row = rowNumber(start, row)
			hidden = isHidden(start, "ht")
		case "v", "is":
			cells += max(0, column-width)
			width = max(width, column)
			if hidden && len(out.hiddenRows) < maxRows {
				out.hiddenRows = append(out.hiddenRows, row)
			}
			hidden = false
		case "mergeCell":
			from, to, _ := strings.Cut(attribute(start, "ref"), ":")
			c1, r1, ok1 := parseCell(from)
			c2, r2, ok2 := parseCell(to)
			if ok1 && ok2 {
				out.Merged = append(out.Merged, Range{r1, r2, c1, c2})
			}
		}
	}
}

// at names the sheet, and the row if there is one, in a problem.
func (s *sheetReader) at(err error, row int) error {
	if p, ok := errors.AsType[*Problem](err); ok {
		p.Sheet = s.name
		if row > 0 {
			p.Msg = fmt.Sprintf("from row %d: %s", row, p.Msg)
		}
	}
	return err
}

// isHidden reports whether a column or a row is hidden. One whose size is 0 is not seen either.
func isHidden(e xml.StartElement, size string) bool {
	if hidden, err := strconv.ParseBool(attribute(e, "hidden")); err == nil && hidden {
		return true
	}
	x, err := strconv.ParseFloat(attribute(e, size), 64)
	return err == nil && x == 0
}

// rowNumber is the number of a row that follows another one.
func rowNumber(e xml.StartElement, before int) int {
	if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n > 0 {
		return n
	}
	return before + 1
}

// attribute is the value of an attribute, or an empty text.
func attribute(e xml.StartElement, name string) string {
	i := slices.IndexFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == name && a.Name.Space == "" })
	if i < 0 {
		return ""
	}
	return e.Attr[i].Value
}

// parseCell reads the name of a cell such as "B7".
func parseCell(s string) (column, row int, ok bool) {
	i := 0
	for ; i < len(s) && s[i] >= 'A' && s[i] <= 'Z'; i++ {
		column = column*26 + int(s[i]-'A') + 1
		if column > maxColumns {
			return 0, 0, false
		}
	}
	row, err := strconv.Atoi(s[i:])
	return column - 1, row, err == nil && i > 0 && row > 0
}

// rows yields the rows of the sheet.
func (s *sheetReader) rows(yield func(Row, error) bool) {
	r, err := s.workbook.part(s.part)
	if err == nil && r == nil {
		err = errDamaged(s.part)
	}
	if err != nil {
		yield(Row{}, err)
		return
	}
	defer r.Close()
	d := r.tokens
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			yield(Row{}, s.at(failed(err, s.part), s.row))
			return
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		row, err := s.readRow(d, start)
		if p, wrong := errors.AsType[*Problem](err); err != nil && (!wrong || p.Row == 0) {
			yield(row, s.at(failed(err, s.part), s.row))
			return
		}
		if (err != nil || len(row.Cells) > 0) && !yield(row, err) {
			return
		}
	}
}

// readRow reads the cells of a row that has begun.
func (s *sheetReader) readRow(d *tokens, start xml.StartElement) (Row, error) {
	s.row = rowNumber(start, s.row)
	row := Row{Number: s.row, Hidden: isHidden(start, "ht")}
	next, size := 0, 0
	for {
		token, err := d.Token()
		if err != nil {
			return row, err
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "row" {
			break
		}
		cell, ok := token.(xml.StartElement)
		if !ok || cell.Name.Local != "c" {
			continue
		}
		if column, _, ok := parseCell(attribute(cell, "r")); ok {
			next = column
		}
		c, err := s.readCell(d, cell)
		if err != nil {
			return row, err
		}
		if size += len(c.Text); size > maxCell || next >= maxColumns {
			return row, &Problem{Sheet: s.name, Row: row.Number, Column: min(next, maxColumns), Msg: fmt.Sprintf("the row is longer than %d MiB or has more than %d columns", maxCell>>20, maxColumns)}
		}
		for len(row.Cells) <= next && c.Kind != Empty {
			row.Cells = append(row.Cells, Cell{})
		}
		if c.Kind != Empty {
			row.Cells[next] = c
		}
		next++
	}
	return row, nil
}

// readCell reads a cell that has begun.
func (s *sheetReader) readCell(d *tokens, start xml.StartElement) (Cell, error) {
	var c Cell
	var value string
	resulted := false // the file has a place for the result of the formula, which may be empty
	for {
		token, err := d.Token()
		if err != nil {
			return c, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "f":
				c.Formula = true
				err = d.Skip()
			case "v":
				resulted = true
				value, err = characters(d)
			case "is":
				c.Text, err = richText(d)
				c.Kind = Text
			default:
				err = d.Skip()
			}
			if err != nil {
				return c, err
			}
		case xml.EndElement:
			kind := attribute(start, "t")
			s.fill(&c, kind, attribute(start, "s"), value)
			// Only a text can be empty. A program that does not calculate leaves the result empty.
			if c.Formula && (!resulted || kind != "str" && strings.TrimSpace(value) == "") {
				c.Kind, c.Text = Failed, ""
			}
			return c, nil
		}
	}
}

// characters reads the text of an element that has begun.
func characters(d *tokens) (string, error) {
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.EndElement:
			return b.String(), nil
		}
	}
}

// fill sets what a cell of a type and a style holds.
func (s *sheetReader) fill(c *Cell, kind, style, value string) {
	switch kind {
	case "inlineStr":
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(s.shared) {
			c.Kind, c.Text = Failed, "a text that the file lacks"
			return
		}
		c.Kind, c.Text = Text, s.shared[i]
	case "str":
		c.Kind, c.Text = Text, unescape(value)
	case "b":
		c.Kind, c.Text = Boolean, map[bool]string{true: "TRUE", false: "FALSE"}[strings.TrimSpace(value) == "1"]
	case "e":
		c.Kind, c.Text = Failed, value
	case "d":
		c.Kind, c.Text = Date, value
	default:
		s.number(c, style, strings.TrimSpace(value))
	}
	if c.Kind == Text && c.Text == "" {
		c.Kind = Empty
	}
}

// number sets a cell that holds a number.
func (s *sheetReader) number(c *Cell, style, value string) {
	if value == "" {
		return
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		c.Kind, c.Text = Failed, value
		return
	}
	c.Text = strconv.FormatFloat(x, 'f', -1, 64)
	format := general
	if i, err := strconv.Atoi(style); err == nil && i >= 0 && i < len(s.formats) {
		format = s.formats[i]
	}
	switch {
	case format == dated:
		c.Kind = Date
	case format == general && x == math.Trunc(x) && math.Abs(x) < 1e15: // spreadsheets keep 15 digits
		c.Kind = Whole
	default:
		c.Kind = Number
	}
}
