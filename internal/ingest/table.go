package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/spreadsheet"
)

// Table reads the segments of a table in CSV, TSV or XLSX, in the order of its rows. The
// documentation of the package describes it. As in [Segments], an error is either a
// *[campaign.Problem], after which reading goes on, or the last value. The field of a problem is
// the name of the cell.
func Table(in io.Reader, opt Options, t TableOptions) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		file, size, remove, err := seekable(in)
		if err != nil {
			yield(campaign.SegmentLine{}, err)
			return
		}
		defer remove()
		look, err := LookAtTable(file, size, opt.File, t)
		if err != nil {
			yield(campaign.SegmentLine{}, err)
			return
		}
		if wrong := look.Problems(opt.Systems); len(wrong) > 0 {
			for _, p := range wrong {
				if !yield(campaign.SegmentLine{Line: p.Line}, p) {
					return
				}
			}
			return
		}
		r := &tableReader{TableLook: look, opt: opt, binding: newBinding(opt)}
		r.segments(yield)
	}
}

// seekable copies a stream to a temporary file, since a workbook is not read from its beginning to
// its end. remove removes the file.
func seekable(in io.Reader) (file io.ReaderAt, size int64, remove func(), err error) {
	f, err := os.CreateTemp("", "annotate-*")
	if err != nil {
		return nil, 0, nil, err
	}
	remove = func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	if size, err = io.Copy(f, in); err != nil {
		remove()
		return nil, 0, nil, err
	}
	return f, size, remove, nil
}

// A tableReader reads the segments of a table.
type tableReader struct {
	*TableLook
	opt     Options
	binding *binding
}

// segments yields the segments below the header.
func (t *tableReader) segments(yield func(campaign.SegmentLine, error) bool) {
	for _, c := range t.Columns {
		switch {
		case !c.Hidden:
		case c.Role == IgnoredColumn:
			t.opt.Notes.AddNamed("hidden {column|columns} left out", t.columnName(c), t.opt.File, t.Header)
		default:
			t.opt.Notes.AddNamed("hidden {column|columns} read", t.columnName(c), t.opt.File, t.Header)
		}
	}
	found := false
	for row, err := range t.book.Rows(t.Sheet) {
		if err == nil && row.Number <= t.Header {
			continue
		}
		if p, ok := errors.AsType[*spreadsheet.Problem](err); ok && p.Row > 0 && p.Row <= t.Header {
			continue
		}
		if err != nil {
			found = true
			if _, wrong := errors.AsType[*spreadsheet.Problem](err); !yield(campaign.SegmentLine{Line: row.Line}, sheetProblem(t.opt.File, err)) || !wrong {
				return
			}
			continue
		}
		r := &record{Place: campaign.Place{File: t.opt.File, Line: row.Number}, Notes: t.opt.Notes}
		if row.Line > 0 {
			r.Line = row.Line
		}
		s, ok := t.segment(r, row)
		for _, p := range r.Problems {
			found = true
			if !yield(campaign.SegmentLine{Line: r.Line}, p) {
				return
			}
		}
		if !ok || len(r.Problems) > 0 {
			continue
		}
		found = true
		if !yield(campaign.SegmentLine{File: r.File, Line: r.Line, Segment: s}, nil) {
			return
		}
	}
	if p := t.binding.Mixed(); p != nil {
		p.Column = 0
		found = true
		if !yield(campaign.SegmentLine{Line: p.Line}, p) {
			return
		}
	}
	if !found {
		yield(campaign.SegmentLine{}, &campaign.Problem{File: t.opt.File, Field: t.sheetName(), Msg: t.binding.None("segments")})
	}
}

// segment reads the segment of a row. ok is false if the row is left out or has problems. The row
// is checked as a line of the format jsonl.
func (t *tableReader) segment(r *record, row spreadsheet.Row) (s campaign.Segment, ok bool) {
	values, systems := map[string]string{}, map[string]*string{}
	filled := false
	for _, c := range t.Columns {
		var cell spreadsheet.Cell
		if c.Index < len(row.Cells) {
			cell = row.Cells[c.Index]
		}
		if c.Role == IgnoredColumn {
			continue
		}
		if why := unreadable(cell); why != "" {
			t.refuse(r, row, c, why)
		}
		if cell.Formula && cell.Kind == spreadsheet.Text || cell.Formula && cell.Kind == spreadsheet.Whole {
			r.Notes.Add("{cell with a formula, of which the result was|cells with formulas, of which the results were} taken", r.File, r.Line)
		}
		filled = filled || strings.TrimSpace(cell.Text) != ""
		if c.Role == SystemColumn {
			systems[c.Name] = nil
			if cell.Kind != spreadsheet.Empty {
				systems[c.Name] = &cell.Text
			} else {
				r.Notes.Add("empty {cell of a system, which has|cells of systems, which have} no translation of the segment", r.File, r.Line)
			}
			continue
		}
		if cell.Kind != spreadsheet.Empty {
			values[string(c.Role)] = cell.Text
		} else if c.Role == "doc_id" || c.Role == "segment_id" {
			values[string(c.Role)] = ""
		}
	}
	t.unnamed(r, row)
	if !filled {
		r.Problems = nil
		return s, false
	}
	if row.Hidden {
		r.Notes.Add("hidden {row|rows} read", r.File, r.Line)
	}
	t.across(r, row)
	if len(r.Problems) > 0 {
		return s, false
	}
	if _, given := values["segment_id"]; !given {
		values["segment_id"] = strconv.Itoa(row.Number)
		r.Notes.Add("{segment without an id, which has the number of its row|segments without an id, which have the numbers of their rows}", r.File, r.Line)
	}
	all := map[string]any{"translations": systems}
	for key, value := range values {
		all[key] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.refuse(r, row, t.Columns[0], err.Error())
		return s, false
	}
	line := &record{Place: r.Place, Text: text, Notes: r.Notes}
	s, ok = jsonl.segment(line, fields{}, t.binding)
	for _, p := range line.Problems {
		t.refuse(r, row, t.column(p.Field), p.Msg)
	}
	return s, ok
}

// unreadable says why the text of a cell is not known; empty if it is.
func unreadable(c spreadsheet.Cell) string {
	const asText = "; format the column as text and write what it showed, or save the table as CSV"
	switch c.Kind {
	case spreadsheet.Number:
		return "the cell is the number " + c.Text + ", which each program writes in its own way" + asText
	case spreadsheet.Date:
		return "the cell is a date or a time, which each program writes in its own way" + asText
	case spreadsheet.Boolean:
		return "the cell is the value " + c.Text + ", which each program writes in its own language" + asText
	case spreadsheet.Failed:
		if c.Text == "" {
			return "the cell is a formula whose result is not in the file; open and save the file in a spreadsheet program, or replace formulas by their values"
		}
		return "the cell has no text but " + c.Text + "; correct its formula, or replace it by a text"
	}
	return ""
}

// refuse adds a problem of a cell, unless the row has too many, and returns it.
func (t *tableReader) refuse(r *record, row spreadsheet.Row, c TableColumn, msg string) *campaign.Problem {
	msg = t.columnName(c) + ": " + msg
	p := &campaign.Problem{File: r.File, Line: r.Line, Field: spreadsheet.Place(t.sheetName(), c.Index, row.Number), Msg: msg, Kind: msg}
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, p)
	}
	return p
}

// column is the column of a field of the format jsonl.
func (t *tableReader) column(field string) TableColumn {
	system, of := strings.CutPrefix(field, "translations")
	for _, c := range t.Columns {
		if string(c.Role) == field || of && c.Role == SystemColumn && (system == "" || system == "."+c.Name) {
			return c
		}
	}
	return t.Columns[0]
}

// unnamed refuses texts in a column without a name that nothing was said of. Columns that are
// empty in the first rows are not known before.
func (t *tableReader) unnamed(r *record, row spreadsheet.Row) {
	for i, cell := range row.Cells {
		if cell.Kind != spreadsheet.Empty && !t.layout.HiddenColumn(i) &&
			!slices.ContainsFunc(t.Columns, func(c TableColumn) bool { return c.Index == i }) {
			t.refuse(r, row, TableColumn{Index: i},
				"the column has no name; name it, or say that it is left out").Option = "--column ignore=" + spreadsheet.Letters(
				i,
			)
		}
	}
}

// across refuses cells that are merged with cells beside them.
func (t *tableReader) across(r *record, row spreadsheet.Row) {
	for _, m := range t.layout.Merged {
		if m.FirstColumn == m.LastColumn || row.Number < m.FirstRow || row.Number > m.LastRow {
			continue
		}
		for _, c := range t.Columns {
			if c.Role != IgnoredColumn && m.FirstColumn <= c.Index && c.Index <= m.LastColumn {
				t.refuse(
					r, row, c,
					fmt.Sprintf(
						"the cells %s to %s are merged, so it is not clear to which column their text belongs; unmerge them",
						spreadsheet.Place("", m.FirstColumn, m.FirstRow), spreadsheet.Place("", m.LastColumn, m.LastRow),
					),
				)
				break
			}
		}
	}
}
