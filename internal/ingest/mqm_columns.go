package ingest

import (
	"bytes"
	"strings"
)

// A column is one of those of the WMT MQM table.
type column int

const (
	colSystem column = iota
	colDoc
	colDocSeg // place of the segment in its document
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

// columnNames are the names in messages; the older generation's where both have
// one.
var columnNames = [columnCount]string{
	"system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity", "comment", "metadata",
}

// columnOf finds a column by its name in a header, of either generation, without
// regard to case, "_" and "-".
var columnOf = map[string]column{
	"system": colSystem, "doc": colDoc, "docid": colDocSeg, "docsegid": colDocSeg, "segid": colSeg, "globalsegid": colSeg,
	"rater": colRater, "source": colSource, "target": colTarget, "category": colCategory, "severity": colSeverity,
	"comment": colComment, "note": colComment, "metadata": colMetadata,
}

// Rows without a header have the columns in this order, and maybe a tenth.
const headless = int(colSeverity) + 1

// mqmColumns says where the columns of a table are.
type mqmColumns struct {
	place [columnCount]int // in a row, or none
	count int              // of columns in a row; 0: 9 or 10, as there is no header
	// unnamed is set where the header names neither a comment nor metadata, so that
	// a row may have one of them in a column more.
	unnamed bool
	cells   []value // of the row read last
}

// at is where a cell begins.
func (c *mqmColumns) at(col column) int {
	if i := c.place[col]; i >= 0 && i < len(c.cells) {
		return c.cells[i].start
	}
	return nowhere
}

// split cuts a line at its tabs.
func (c *mqmColumns) split(text []byte) {
	c.cells = c.cells[:0]
	start := 0
	for {
		i := bytes.IndexByte(text[start:], '\t')
		if i < 0 {
			c.cells = append(c.cells, value{start, len(text)})
			return
		}
		c.cells = append(c.cells, value{start, start + i})
		start += i + 1
	}
}

// headerNames are the names of the columns if the row is a header: spelt without
// "_" and "-", in lower case. Five names that we know make a header.
func (m *mqmReader) headerNames(text []byte, first bool) ([]string, bool) {
	cells := m.columns.cells
	begin := func(v value) string { return string(text[v.start:min(v.end, v.start+maxColumnName)]) }
	if !first && columnName(begin(cells[0])) != m.headerFirst {
		return nil, false // most rows, at once
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

const maxColumnName = 40 // bytes that are looked at

// columnName is the name of a column without what its spellings differ in.
func columnName(s string) string {
	s = strings.ToLower(strings.TrimSpace(strings.TrimLeft(s, "# ")))
	return withoutDashes.Replace(s)
}

var withoutDashes = strings.NewReplacer("_", "", "-", "", `"`, "")

func (m *mqmReader) nameColumns(r *record, names []string) {
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
			r.refuse(c.cells[i].start, columnNames[col], "a second column of this name; keep one")
			continue
		}
		c.place[col] = i
	}
	if c.unnamed = c.place[colComment] == none && c.place[colMetadata] == none; c.unnamed {
		c.place[colMetadata] = c.count
	}
	for col := range headless {
		if column(col) != colDocSeg && c.place[col] == none {
			r.refuse(nowhere, columnNames[col], "there is no such column in the header; the table needs system, doc, seg_id (or globalSegId), rater, source, target, category and severity")
		}
	}
}
