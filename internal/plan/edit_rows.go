package plan

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/wording"
)

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
			if !x.allows(d, r.Annotator) {
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
