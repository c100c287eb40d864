package mqm

import (
	"annotate/internal/ingest/input"
	"bytes"
	"strings"
)

// A column is a column of the WMT MQM table.
type column int

const (
	colSystem column = iota
	colDoc
	colDocSeg // the position of the segment in its document
	colSeg
	colRater
	colSource
	colTarget
	colCategory
	colSeverity
	colComment
	colMetadata
	columnCount
)

// columnNames are the names of columns in messages. They are those of older tables.
var columnNames = [columnCount]string{
	"system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity", "comment", "metadata",
}

// columnOf maps the names in headers of older and newer tables to columns. Names are in
// lower case, without "_" and "-".
var columnOf = map[string]column{
	"system": colSystem, "doc": colDoc, "docid": colDocSeg, "docsegid": colDocSeg, "segid": colSeg, "globalsegid": colSeg,
	"rater": colRater, "source": colSource, "target": colTarget, "category": colCategory, "severity": colSeverity,
	"comment": colComment, "note": colComment, "metadata": colMetadata,
}

// headless is the number of columns of a table without a header, which may have one more.
const headless = int(colSeverity) + 1

// columns has the positions of the columns of a table.
type columns struct {
	place [columnCount]int // by column: its index in a row, or none
	count int              // the number of names in the header; 0 if there is no header
	// unnamed is set if the header names neither a comment nor metadata. A row may then
	// have one of them in an additional column.
	unnamed bool
	cells   []input.Value // the cells of the last row
}

// at returns the offset of a cell.
func (c *columns) at(col column) int {
	if i := c.place[col]; i >= 0 && i < len(c.cells) {
		return c.cells[i].Start
	}
	return input.Nowhere
}

// split splits a line at its tabs.
func (c *columns) split(text []byte) {
	c.cells = c.cells[:0]
	start := 0
	for {
		i := bytes.IndexByte(text[start:], '\t')
		if i < 0 {
			c.cells = append(c.cells, input.Value{Start: start, End: len(text)})
			return
		}
		c.cells = append(c.cells, input.Value{Start: start, End: start + i})
		start += i + 1
	}
}

// headerNames returns the names of the columns, as [columnName] does, if the row is a
// header: a row with at least five known names.
func (m *rowReader) headerNames(text []byte, first bool) ([]string, bool) {
	cells := m.columns.cells
	begin := func(v input.Value) string { return string(text[v.Start:min(v.End, v.Start+maxColumnName)]) }
	if !first && columnName(begin(cells[0])) != m.headerFirst {
		return nil, false // the quick result for most rows
	}
	names := make([]string, len(cells))
	known := 0
	for i, v := range cells {
		names[i] = columnName(begin(v))
		if _, ok := columnOf[names[i]]; ok {
			known++
		}
	}
	if known < 5 {
		return nil, false
	}
	m.headerFirst = names[0]
	return names, true
}

// maxColumnName is how many bytes of a name are compared.
const maxColumnName = 40

// columnName returns a name of a column in lower case, without "_", "-", quotation marks and
// a leading "#".
func columnName(s string) string {
	s = strings.ToLower(strings.TrimSpace(strings.TrimLeft(s, "# ")))
	return withoutDashes.Replace(s)
}

var withoutDashes = strings.NewReplacer("_", "", "-", "", `"`, "")

func (m *rowReader) nameColumns(r *input.Record, names []string) {
	c := &m.columns
	c.count = len(names)
	for col := range columnCount {
		c.place[col] = none
	}
	for i, name := range names {
		col, ok := columnOf[name]
		if !ok {
			continue
		}
		if c.place[col] != none {
			r.Refuse(c.cells[i].Start, columnNames[col], "a second column of this name; keep one")
			continue
		}
		c.place[col] = i
	}
	if c.unnamed = c.place[colComment] == none && c.place[colMetadata] == none; c.unnamed {
		c.place[colMetadata] = c.count
	}
	for col := range headless {
		if column(col) != colDocSeg && c.place[col] == none {
			r.Refuse(input.Nowhere, columnNames[col], "the header has no such column; the table needs system, doc, seg_id (or globalSegId), rater, source, target, category and severity")
		}
	}
}
