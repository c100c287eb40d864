// Package spreadsheet reads tables as spreadsheet programs write them: CSV and TSV in their many forms,
// and XLSX workbooks. It names each cell as these programs do, and never guesses what a cell
// showed: a cell whose spelling depends on the program has a [Kind] that says so.
//
// Start at [Open]. [Escape] writes a text as a cell of a CSV file that no such program runs as a
// formula.
//
// Text is kept exactly, with its line breaks. Memory does not grow with the
// number of rows, but with the different texts of a workbook, which the file keeps apart from its
// rows.
//
// The package reads XLSX with its own code, since the library excelize (v2.11.1) reads row by row
// only texts: it drops the types of cells and reports no error where a sheet is cut short. Its
// functions that do return types cannot tell a formula without a result from one with an empty
// result, and they load the whole sheet, with each row filled up to its last cell, so that a
// workbook of 9 kB takes more than 3 GB.
package spreadsheet

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
)

// A Book is a file with tables: an XLSX workbook, or a text file with one table.
type Book struct {
	// Sheets are the tables in the order of the file. A text file has one, without a name.
	Sheets []Sheet
	open   func(sheet int) (table, error)
}

// A Sheet is one table of a [Book].
type Sheet struct {
	Name   string
	Hidden bool
}

// A table is a sheet that is being read.
type table struct {
	rows   iter.Seq2[Row, error]
	layout Layout
}

// A Layout says which cells of a sheet are merged, and what of it is hidden. A text file has
// nothing of both.
type Layout struct {
	Merged        []Range
	hiddenColumns []columnSpan
	hiddenRows    []int // the numbers of hidden rows that have something in them
}

// A columnSpan is some columns beside each other, from 0, ends included.
type columnSpan struct{ first, last int }

// HiddenColumn reports whether a column, from 0, is hidden.
func (l Layout) HiddenColumn(column int) bool {
	return slices.ContainsFunc(l.hiddenColumns, func(c columnSpan) bool { return c.first <= column && column <= c.last })
}

// HiddenRows counts the rows below a row that are hidden and have something in them. Rows that a
// filter leaves out are hidden.
func (l Layout) HiddenRows(below int) (n int) {
	for _, row := range l.hiddenRows {
		if row > below {
			n++
		}
	}
	return n
}

// A Row is a row of a sheet that has something in it.
type Row struct {
	Number int // from 1, as a spreadsheet program counts
	Line   int // of a text file, on which the row begins; 0 in a workbook
	Hidden bool
	// Cells are the cells by column, from 0. Cells after the last that has something in it are
	// left out.
	Cells []Cell
}

// A Cell is what a cell holds.
type Cell struct {
	Text string
	Kind Kind
	// Formula says that the text is the result of a formula, as the file keeps it.
	Formula bool
}

// A Kind says what a cell holds.
type Kind int

// The kinds of values in cells. Cells of text files are Empty or Text.
const (
	Empty   Kind = iota
	Text         // the text as it was written
	Whole        // a whole number, shown as its digits
	Number       // another number, or one with a format: its spelling depends on the program
	Date         // a date or a time: its spelling depends on the program
	Boolean      // TRUE or FALSE: its spelling depends on the program
	Failed       // a formula without a result, or with an error such as #REF!
)

// A Range is a block of cells that are merged into one.
type Range struct{ FirstRow, LastRow, FirstColumn, LastColumn int } // rows from 1, columns from 0, ends included

// A Problem says what is wrong with a file, a sheet or a cell.
type Problem struct {
	Sheet string // empty in a text file
	Row   int    // from 1; 0 if the problem is about the whole file or sheet
	Line  int    // of a text file; 0 if it has none
	// Column is the column of the cell, from 0, or -1.
	Column int
	Msg    string // what is wrong and what to do
}

// Error is the place and the message.
func (p *Problem) Error() string {
	if place := Place(p.Sheet, p.Column, p.Row); place != "" {
		return place + ": " + p.Msg
	}
	return p.Msg
}

// Place returns the name of a cell as spreadsheet programs write it, such as "Texts!B7", or
// "B7" without a sheet. Without a row it is the sheet; without a column, -1, it is
// "Texts!row 7".
func Place(sheet string, column, row int) string {
	switch {
	case row == 0:
		return sheet
	case sheet != "":
		sheet += "!"
	}
	if column < 0 {
		return fmt.Sprintf("%srow %d", sheet, row)
	}
	return fmt.Sprintf("%s%s%d", sheet, Letters(column), row)
}

// Letters returns the name of a column, from 0: A, B, …, Z, AA.
func Letters(column int) string {
	var b []byte
	for column++; column > 0; column = (column - 1) / 26 {
		b = append([]byte{byte('A' + (column-1)%26)}, b...)
	}
	return string(b)
}

// Open reads which tables a file has. Its name decides nothing but what a text file's columns
// are divided by, if that is not clear. The error is a *[Problem] if the file has no tables.
func Open(r io.ReaderAt, size int64, name string) (*Book, error) {
	head := make([]byte, min(size, 8))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return openXLSX(r, size)
	}
	if bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")) {
		return nil, &Problem{Column: -1,
			Msg: "the file is an old Excel workbook (.xls) or is locked with a password; save it as .xlsx without a password"}
	}
	return openText(r, size, strings.ToLower(filepath.Ext(name)))
}

// Rows reads the rows of a sheet that have something in them. A cell that is merged with cells
// below it is repeated in them. An error of type *[Problem] is about one cell or row; reading
// goes on after it, unless it is about the whole sheet. Any other error is the last value.
func (b *Book) Rows(sheet int) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		t, err := b.open(sheet)
		if err != nil {
			yield(Row{}, err)
			return
		}
		down := &filling{blocks: slices.DeleteFunc(slices.Clone(t.layout.Merged), func(m Range) bool { return m.FirstColumn != m.LastColumn })}
		slices.SortStableFunc(down.blocks, func(a, b Range) int { return cmp.Compare(a.FirstRow, b.FirstRow) })
		for row, err := range t.rows {
			if err == nil {
				err = down.fill(&row, b.Sheets[sheet].Name)
			}
			if err == nil && len(row.Cells) == 0 {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// Layout says which cells of a sheet are merged, and what of it is hidden.
func (b *Book) Layout(sheet int) (Layout, error) {
	t, err := b.open(sheet)
	return t.layout, err
}

// A filling repeats cells that are merged with cells below them, row after row.
type filling struct {
	blocks []Range // of one column each, by their first row; those that no row has reached
	open   []block // those that the last row has reached
}

// A block is a block of merged cells with the cell that it shows.
type block struct {
	Range
	cell Cell
}

func (f *filling) fill(row *Row, sheet string) error {
	for len(f.blocks) > 0 && f.blocks[0].FirstRow <= row.Number {
		b := block{Range: f.blocks[0]}
		if b.FirstRow == row.Number && b.FirstColumn < len(row.Cells) {
			b.cell = row.Cells[b.FirstColumn]
		}
		f.open, f.blocks = append(f.open, b), f.blocks[1:]
	}
	f.open = slices.DeleteFunc(f.open, func(b block) bool { return b.LastRow < row.Number })
	if len(f.open) > maxBeside {
		return &Problem{
			Sheet:  sheet,
			Row:    row.Number,
			Column: -1,
			Msg:    fmt.Sprintf("cells of more than %d columns are merged with cells of other rows; unmerge them", maxBeside),
		}
	}
	for _, b := range f.open {
		if b.FirstRow == row.Number || b.cell.Kind == Empty || len(row.Cells) == 0 {
			continue
		}
		for len(row.Cells) <= b.FirstColumn {
			row.Cells = append(row.Cells, Cell{})
		}
		row.Cells[b.FirstColumn] = b.cell
	}
	return nil
}
