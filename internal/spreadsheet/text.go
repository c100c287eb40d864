package spreadsheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// A text file has one row a record, as in RFC 4180: cells are divided by a character, and a cell
// may stand in quotation marks, inside which it may have line breaks, the dividing character, and
// quotation marks that are doubled. What spreadsheet programs add to that is read too: a byte order
// mark, UTF-16, a first line such as "sep=;", semicolons or tabs in place of commas, and lines that
// end in CR alone.

// errorTexts are what spreadsheet programs write into a text file for a formula with an error, in
// English, German, French and Spanish.
var errorTexts = map[string]bool{
	"#REF!": true, "#N/A": true, "#VALUE!": true, "#NAME?": true, "#DIV/0!": true, "#NULL!": true, "#NUM!": true, "#SPILL!": true,
	"#CALC!": true, "#FIELD!": true,
	"#BEZUG!": true, "#NV": true, "#WERT!": true, "#ZAHL!": true, "#VALEUR!": true, "#NOM?": true, "#NOMBRE!": true, "#NUL!": true,
	"#¡REF!": true, "#¡VALOR!": true, "#¿NOMBRE?": true, "#¡NUM!": true, "#¡NULO!": true, "#¡DIV/0!": true,
}

// dividers are the characters that may divide columns, the most certain first.
const dividers = "\t;,|"

// sampledText is how much of a text file is read to see what divides its columns.
const sampledText = 64 << 10

// openText reads how the columns of a text file are divided.
func openText(r io.ReaderAt, size int64, ending string) (*Book, error) {
	text := func() *bufio.Reader { return bufio.NewReaderSize(decoded(r, size), 64<<10) }
	head, err := io.ReadAll(io.LimitReader(text(), sampledText))
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, &Problem{Column: -1, Msg: "the file is empty; choose a file with a table"}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, &Problem{Column: -1, Msg: "the file is no table; choose a file in CSV, TSV or XLSX"}
	}
	comma, said := declared(head)
	if comma == 0 {
		comma = guessDivider(head, ending)
	}
	return &Book{Sheets: []Sheet{{}}, open: func(int) (table, error) {
		return table{rows: func(yield func(Row, error) bool) {
			p := &parser{r: text(), comma: comma, line: 1}
			if said {
				p.skipLine()
			}
			p.rows(yield)
		}}, nil
	}}, nil
}

// decoded is the text of a file in UTF-8 without a byte order mark.
func decoded(r io.ReaderAt, size int64) io.Reader {
	all := io.NewSectionReader(r, 0, size)
	head := make([]byte, min(size, 512))
	n, _ := r.ReadAt(head, 0)
	head = head[:n]
	order, found := unicode.LittleEndian, false
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		found = true
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		order, found = unicode.BigEndian, true
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return io.NewSectionReader(r, 3, size-3)
	default: // UTF-16 without a mark has a zero byte beside each letter of English
		even, odd := 0, 0
		for i, c := range head {
			if c == 0 && i%2 == 0 {
				even++
			} else if c == 0 {
				odd++
			}
		}
		if many := len(head) / 8; odd > many && even == 0 {
			found = true
		} else if even > many && odd == 0 {
			order, found = unicode.BigEndian, true
		}
	}
	if !found {
		return all
	}
	return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(all)
}

// declared returns the character that a first line such as "sep=;" names.
func declared(head []byte) (comma byte, said bool) {
	line := head
	if end := bytes.IndexAny(head, "\r\n"); end >= 0 {
		line = head[:end]
	}
	line = bytes.Trim(line, `"`)
	if len(line) == 5 && strings.EqualFold(string(line[:4]), "sep=") {
		return line[4], true
	}
	return 0, false
}

// guessDivider returns the character by which most of the first rows have as many cells as the
// first row that has several.
func guessDivider(head []byte, ending string) byte {
	best, most := byte(','), 0.0
	if ending == ".tsv" || ending == ".tab" {
		best = '\t'
	}
	for _, comma := range []byte(dividers) {
		p := &parser{r: bufio.NewReader(bytes.NewReader(head)), comma: comma, line: 1}
		width, rows, alike := 0, 0, 0
		p.rows(func(row Row, err error) bool {
			if n := p.width; width == 0 && n > 1 {
				width = n
			} else if width == 0 {
				return rows < 20
			}
			if rows++; p.width == width && err == nil {
				alike++
			}
			return rows < 20
		})
		if width < 2 || rows == 0 {
			continue
		}
		if share := float64(alike)/float64(rows) + float64(min(width, 100))/10000; share > most {
			best, most = comma, share
		}
	}
	return best
}

// A parser reads the rows of a text file.
type parser struct {
	r     *bufio.Reader
	comma byte
	line  int  // of the next byte, from 1
	row   int  // the last row, from 1
	width int  // how many cells the last row has, empty ones too
	over  bool // nothing more can be read
}

// errLongRow says that a row has more than maxCell bytes.
var errLongRow = errors.New("row too long")

// skipLine reads the first line, which is no row but counts as one.
func (p *parser) skipLine() {
	comma := p.comma
	p.comma = '\n' // the line is read as one cell
	_, _, _ = p.plain(nil)
	p.comma, p.line, p.row = comma, 2, 1
}

// rows yields all rows that have something in them.
func (p *parser) rows(yield func(Row, error) bool) {
	for {
		row, err := p.next()
		switch {
		case err == io.EOF:
			return
		case err == nil && len(row.Cells) == 0:
			continue
		case !yield(row, err):
			return
		}
		if _, ok := errors.AsType[*Problem](err); err != nil && !ok {
			return
		}
	}
}

// next reads a row. The error is io.EOF after the last one.
func (p *parser) next() (Row, error) {
	if p.over {
		return Row{}, io.EOF
	}
	if _, err := p.r.Peek(1); err != nil {
		return Row{}, err
	}
	p.row++
	row := Row{Number: p.row, Line: p.line}
	size, last := 0, false
	var wrong *Problem
	p.width = 0
	for !last {
		begins := p.line
		cell, end, err := p.cell()
		if err != nil && err != errLongRow {
			if p, ok := errors.AsType[*Problem](err); !ok {
				return row, err
			} else if wrong == nil {
				p.Line, p.Row, p.Column = begins, row.Number, len(row.Cells)
				wrong = p
			}
		}
		last = end
		p.over = p.over || err == errLongRow
		if size += len(cell); (err == errLongRow || size > maxCell || p.width >= maxColumns) && wrong == nil {
			wrong = &Problem{
				Row:    row.Number,
				Line:   begins,
				Column: min(p.width, maxColumns),
				Msg: fmt.Sprintf(
					"the row is longer than %d MiB or has more than %d columns; check that each quotation mark at the beginning of a cell is closed",
					maxCell>>20, maxColumns,
				),
			}
		}
		if wrong == nil && !utf8.Valid(cell) {
			wrong = &Problem{
				Row:    row.Number,
				Line:   begins,
				Column: p.width,
				Msg:    "not UTF-8, so letters would be lost; save the table as “CSV UTF-8”, as Unicode text, or as .xlsx",
			}
		}
		if wrong == nil && bytes.IndexByte(cell, 0) >= 0 {
			wrong = &Problem{Row: row.Number, Line: begins, Column: p.width, Msg: "the cell has the character U+0000; remove it"}
		}
		p.width++
		if wrong == nil {
			c := Cell{Text: string(cell)}
			if c.Text != "" {
				c.Kind = Text
			}
			if errorTexts[c.Text] {
				c.Kind = Failed
			}
			row.Cells = append(row.Cells, c)
		}
	}
	for len(row.Cells) > 0 && row.Cells[len(row.Cells)-1].Kind == Empty {
		row.Cells = row.Cells[:len(row.Cells)-1]
	}
	if wrong != nil {
		return row, wrong
	}
	return row, nil
}

// cell reads a cell and what ends it. last is true at the end of a row.
func (p *parser) cell() (text []byte, last bool, err error) {
	first, err := p.r.ReadByte()
	if err == io.EOF {
		return nil, true, nil
	}
	if err != nil {
		return nil, true, err
	}
	if first != '"' {
		_ = p.r.UnreadByte()
		return p.plain(nil)
	}
	for {
		c, err := p.r.ReadByte()
		if err == io.EOF {
			return text, true, &Problem{
				Msg: "the quotation mark at the beginning of the cell is not closed; close it, or double each quotation mark of the text and put the text between two more",
			}
		}
		if err != nil {
			return text, true, err
		}
		if c == '"' {
			if next, err := p.r.ReadByte(); err == nil && next != '"' {
				_ = p.r.UnreadByte()
				break
			} else if err == io.EOF {
				return text, true, nil
			} else if err != nil {
				return text, true, err
			}
		}
		if c == '\n' {
			p.line++
		}
		if len(text) > maxCell {
			return nil, true, errLongRow
		}
		text = append(text, c)
	}
	rest, last, err := p.plain(nil)
	if err == nil && len(rest) > 0 {
		err = &Problem{Msg: "there is text after the closing quotation mark of the cell; double each quotation mark inside a cell that begins with one"}
	}
	return text, last, err
}

// plain appends what stands before the end of a cell without quotation marks, and reads that end.
func (p *parser) plain(text []byte) ([]byte, bool, error) {
	for {
		c, err := p.r.ReadByte()
		switch {
		case err == io.EOF:
			return text, true, nil
		case err != nil:
			return text, true, err
		case c == p.comma:
			return text, false, nil
		case c == '\r':
			if next, err := p.r.Peek(1); err == nil && next[0] == '\n' {
				_, _ = p.r.ReadByte()
			}
			p.line++
			return text, true, nil
		case c == '\n':
			p.line++
			return text, true, nil
		case len(text) > maxCell:
			return nil, true, errLongRow
		}
		text = append(text, c)
	}
}
