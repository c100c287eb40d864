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
			return nil, refuse(
				wrong.Line, fmt.Sprint("character ", wrong.Column),
				"the quotation marks are not closed or stand within a cell; save the file as CSV again",
			)
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
					return nil, refuse(
						line, fmt.Sprint("cell ", i+1),
						"%s is not a column of a plan; the first line names the columns document, annotator and batch", wording.Quote(c),
					)
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

// A Row is a line of a plan's file: an annotator of a document, and the batch of the document. A row
// without an annotator only names the batch.
type Row struct {
	File      string
	Line      int // from 1
	Document  string
	Annotator string
	Batch     string
	HasBatch  bool // the file has a column for batches
}

// A RowError is a row that a plan cannot take.
type RowError struct {
	File   string
	Line   int
	Column string // document, annotator or batch
	Msg    string
}

func (e *RowError) Error() string {
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, e.Column, e.Msg)
}

// A RowsError lists the rows of a file that a plan cannot take, at most [MaxErrors].
type RowsError struct {
	Errors []*RowError
	More   int // further errors
}

// MaxErrors is the largest number of errors of one file that are listed.
const MaxErrors = 50

func (e *RowsError) Error() string {
	lines := make([]string, len(e.Errors))
	for i, x := range e.Errors {
		lines[i] = x.Error()
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// takeRows replaces the annotators and batches of the documents that the rows name. Places of people who are
// not active are in no file, and stay until others have them.
func (x *editing) takeRows() error {
	var wrong RowsError
	refuse := func(r Row, column, format string, args ...any) {
		if len(wrong.Errors) == MaxErrors {
			wrong.More++
			return
		}
		wrong.Errors = append(wrong.Errors, &RowError{File: r.File, Line: r.Line, Column: column, Msg: fmt.Sprintf(format, args...)})
	}
	place := make(map[string]int, len(x.Documents))
	for i, d := range x.Documents {
		place[d.DocID] = i
	}
	first := map[int]Row{}              // of each document
	seen := map[[2]string]int{}         // lines by document and annotator
	wanted := map[int]map[string]bool{} // annotators of each document
	for _, r := range x.edit.Rows {
		i, ok := place[r.Document]
		if !ok {
			refuse(r, "document", "the campaign has no document %s", wording.Quote(r.Document))
			continue
		}
		d := x.Documents[i]
		if f, ok := first[i]; !ok {
			first[i], wanted[i] = r, map[string]bool{}
		} else if f.Batch != r.Batch {
			refuse(r, "batch", "line %d puts the document into the batch %s, not %s; a document has one batch", f.Line, wording.Quote(f.Batch), wording.Quote(r.Batch))
		}
		if r.HasBatch && r.Batch != "" && x.BatchOf(r.Batch).Name == "" {
			refuse(r, "batch", "there is no batch %s; make it first", wording.Quote(r.Batch))
		}
		if r.Annotator == "" {
			continue
		}
		if line, twice := seen[[2]string{r.Document, r.Annotator}]; twice {
			refuse(r, "annotator", "line %d says the same", line)
		}
		seen[[2]string{r.Document, r.Annotator}] = r.Line
		if !d.Has(r.Annotator) { // those who are planned may stay, whatever has become of them
			if err := x.annotator("", r.Annotator); err != nil {
				refuse(r, "annotator", "%s", err)
				continue
			}
			switch {
			case slices.Contains(d.Apart, r.Annotator):
				refuse(r, "annotator", "%s had segments of the document in an earlier campaign, from which the setting apart keeps people", wording.Quote(r.Annotator))
			case !x.allows(d, r.Annotator):
				refuse(r, "annotator", "%s is not in the pool %s of the document", wording.Quote(r.Annotator), wording.Quote(d.Pool))
			}
		}
		wanted[i][r.Annotator] = true
	}
	if len(wrong.Errors) > 0 {
		return &wrong
	}
	kept := 0
	for i := range x.Documents {
		f, named := first[i]
		if !named {
			continue
		}
		d := &x.Documents[i]
		d.Turns = slices.DeleteFunc(d.Turns, func(t Turn) bool {
			if t.Begun && !wanted[i][t.Login] && x.Keeps(t) {
				kept++
			}
			return !t.Begun && !wanted[i][t.Login] && x.Keeps(t)
		})
		for login := range wanted[i] {
			x.add(i, login)
		}
		if f.HasBatch {
			d.Batch = f.Batch
		}
	}
	if kept > 0 {
		x.note("%s with the annotator who has begun the document, although the file does not name them.", stay(kept, "place"))
	}
	return nil
}
