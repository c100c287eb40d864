package ingest

import (
	"bytes"
	"fmt"
	"strings"

	"annotate/internal/wording"
)

// An mqmColumn is a column of the WMT MQM table.
type mqmColumn int

const (
	colSystem mqmColumn = iota
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

// mqmColumnNames are the names of columns in messages. They are those of older tables.
var mqmColumnNames = [columnCount]string{
	"system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity", "comment", "metadata",
}

// mqmColumnOf maps the names in headers of older and newer tables to columns. Names are in
// lower case, without "_" and "-".
var mqmColumnOf = map[string]mqmColumn{
	"system": colSystem, "doc": colDoc, "docid": colDocSeg, "docsegid": colDocSeg, "segid": colSeg, "globalsegid": colSeg,
	"rater": colRater, "source": colSource, "target": colTarget, "category": colCategory, "severity": colSeverity,
	"comment": colComment, "note": colComment, "metadata": colMetadata,
}

// headlessColumns is the number of columns of a table without a header, which may have one more.
const headlessColumns = int(colSeverity) + 1

// An mqmColumns has the positions of the columns of a table.
type mqmColumns struct {
	place [columnCount]int // by column: its index in a row, or none
	count int              // the number of names in the header; 0 if there is no header
	// unnamed is set if the header names neither a comment nor metadata. A row may then
	// have one of them in an additional column.
	unnamed bool
	cells   []jsonValue // the cells of the last row
}

// at returns the offset of a cell.
func (c *mqmColumns) at(col mqmColumn) int {
	if i := c.place[col]; i >= 0 && i < len(c.cells) {
		return c.cells[i].Start
	}
	return nowhere
}

// split splits a line at its tabs.
func (c *mqmColumns) split(text []byte) {
	c.cells = c.cells[:0]
	start := 0
	for {
		i := bytes.IndexByte(text[start:], '\t')
		if i < 0 {
			c.cells = append(c.cells, jsonValue{Start: start, End: len(text)})
			return
		}
		c.cells = append(c.cells, jsonValue{Start: start, End: start + i})
		start += i + 1
	}
}

// headerNames returns the names of the columns, as [columnName] does, if the row is a
// header: a row with at least five known names.
func (m *mqmReader) headerNames(text []byte, first bool) ([]string, bool) {
	cells := m.columns.cells
	begin := func(v jsonValue) string { return string(text[v.Start:min(v.End, v.Start+maxColumnName)]) }
	if !first && mqmColumnName(begin(cells[0])) != m.headerFirst {
		return nil, false // the quick result for most rows
	}
	names := make([]string, len(cells))
	known := 0
	for i, v := range cells {
		names[i] = mqmColumnName(begin(v))
		if _, ok := mqmColumnOf[names[i]]; ok {
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

// mqmColumnName returns a name of a column in lower case, without "_", "-", quotation marks and
// a leading "#".
func mqmColumnName(s string) string {
	s = strings.ToLower(strings.TrimSpace(strings.TrimLeft(s, "# ")))
	return withoutDashes.Replace(s)
}

var withoutDashes = strings.NewReplacer("_", "", "-", "", `"`, "")

func (m *mqmReader) nameColumns(r *record, names []string) {
	c := &m.columns
	c.count = len(names)
	for col := range columnCount {
		c.place[col] = noRow
	}
	for i, name := range names {
		col, ok := mqmColumnOf[name]
		if !ok {
			cell := r.Text[c.cells[i].Start:c.cells[i].End]
			m.notes.Add(fmt.Sprintf(noteColumn, wording.Quote(string(cell[:min(len(cell), maxColumnName)]))), r.File, r.Line)
			continue
		}
		if c.place[col] != noRow {
			r.Refuse(c.cells[i].Start, mqmColumnNames[col], "a second column of this name; keep one")
			continue
		}
		c.place[col] = i
	}
	if c.unnamed = c.place[colComment] == noRow && c.place[colMetadata] == noRow; c.unnamed {
		c.place[colMetadata] = c.count
	}
	for col := range headlessColumns {
		if mqmColumn(col) != colDocSeg && c.place[col] == noRow {
			r.Refuse(
				nowhere, mqmColumnNames[col],
				"the header has no such column; the table needs system, doc, seg_id (or globalSegId), rater, source, target, category and severity",
			)
		}
	}
}
