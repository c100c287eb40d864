package spreadsheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
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
		if !strings.Contains(strings.ToLower(at[s.ID]), "worksheets/") && w.files[strings.ToLower(at[s.ID])] == nil ||
			strings.Contains(at[s.ID], "chartsheets/") {
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
		return &Problem{
			Column: -1,
			Msg: fmt.Sprintf("the workbook has more than %d MiB of text, or more than %d texts; save the sheet as CSV in UTF-8",
				maxShared>>20, maxTexts),
		}
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
