package plan

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"annotate/internal/spreadsheet"
	"annotate/internal/wording"
)

// FileColumns are the columns of a file. It has a row for each annotator of a document, and one row without
// an annotator for a document that has none.
var FileColumns = []string{"document", "annotator", "batch"}

// WriteRows writes a plan as CSV. Every document is named, in the order of import, with the annotators for whom a place is
// kept ([Plan.Keeps]). A text that a spreadsheet would
// run as a formula gets an apostrophe before it, which [ReadRows] takes away again.
func WriteRows(w io.Writer, p Plan) error {
	out := csv.NewWriter(w)
	rows := [][]string{FileColumns}
	for _, d := range p.Documents {
		if p.Kept(d) == 0 {
			rows = append(rows, []string{spreadsheet.Escape(d.DocID), "", spreadsheet.Escape(d.Batch)})
		}
		for _, t := range slices.DeleteFunc(slices.Clone(d.Turns), func(t Turn) bool { return !p.Keeps(t) }) {
			rows = append(rows, []string{spreadsheet.Escape(d.DocID), spreadsheet.Escape(t.Login), spreadsheet.Escape(d.Batch)})
		}
	}
	return out.WriteAll(rows)
}

// ReadRows reads the rows of a file called name. The file is UTF-8, with or without a byte order mark, and its
// columns are separated by commas, semicolons or tabs. Its first line names them: document and annotator,
// in any order and case, and batch, which may be left out. Other columns are refused. The error is a
// *[RowsError] if a row cannot be read.
func ReadRows(name string, r io.Reader) ([]Row, error) {
	b := bufio.NewReader(r)
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3)
	}
	refuse := func(line int, column, format string, args ...any) error {
		return &RowsError{Errors: []*RowError{{File: name, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}}}
	}
	in := csv.NewReader(b)
	in.Comma, in.FieldsPerRecord = separator(b), -1
	places := map[string]int{}
	var rows []Row
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, refuse(wrong.Line, fmt.Sprint("character ", wrong.Column), "the quotation marks are not closed or stand within a cell; save the file as CSV again")
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		for i, c := range cells {
			if !utf8.ValidString(c) {
				return nil, refuse(line, fmt.Sprint("cell ", i+1), "the text is not UTF-8; save the file as CSV in UTF-8")
			}
		}
		if len(places) == 0 {
			for i, c := range cells {
				column := strings.ToLower(strings.TrimSpace(c))
				if !slices.Contains(FileColumns, column) {
					return nil, refuse(line, fmt.Sprint("cell ", i+1), "%s is not a column of a plan; the first line names the columns document, annotator and batch", wording.Quote(c))
				}
				if _, twice := places[column]; twice {
					return nil, refuse(line, column, "the column stands there twice")
				}
				places[column] = i
			}
			for _, column := range FileColumns[:2] {
				if _, ok := places[column]; !ok {
					return nil, refuse(line, column, "the column is missing; the first line names the columns document, annotator and batch")
				}
			}
			continue
		}
		if len(cells) > len(places) {
			return nil, refuse(line, fmt.Sprint("cell ", len(places)+1), "the line has more cells than the first line")
		}
		cell := func(column string) string {
			if i, ok := places[column]; ok && i < len(cells) {
				return spreadsheet.Unescape(cells[i])
			}
			return ""
		}
		row := Row{File: name, Line: line, Document: cell("document"), Annotator: strings.TrimSpace(cell("annotator")), Batch: strings.TrimSpace(cell("batch"))}
		_, row.HasBatch = places["batch"]
		if row.Document == "" {
			if row.Annotator == "" && row.Batch == "" {
				continue // an empty line of a spreadsheet
			}
			return nil, refuse(line, "document", "the document is missing")
		}
		rows = append(rows, row)
	}
	if len(places) == 0 {
		return nil, refuse(1, "document", "the file is empty; its first line names the columns document, annotator and batch")
	}
	return rows, nil
}

// separator finds what separates the columns of the first line.
func separator(b *bufio.Reader) rune {
	start, _ := b.Peek(200)
	line, _, _ := bytes.Cut(start, []byte("\n"))
	for _, r := range []rune{'\t', ';'} {
		if bytes.ContainsRune(line, r) {
			return r
		}
	}
	return ','
}
