package spreadsheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

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
			return Layout{}, s.at(beyond(s.part, "the sheet has more than %d rows, %d cells or %d blocks of merged cells", maxRows, maxCells,
				maxMerged), row)
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
			return row, &Problem{
				Sheet:  s.name,
				Row:    row.Number,
				Column: min(next, maxColumns),
				Msg:    fmt.Sprintf("the row is longer than %d MiB or has more than %d columns", maxCell>>20, maxColumns),
			}
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
