package report

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/wording"
)

// FormatCell formats a cell: rounded to the column's decimals, with "%" for shares, "–" if the
// value is undefined, and empty if the cell is blank. Negative numbers begin with a minus
// sign (U+2212).
func FormatCell(column Column, cell Cell) string {
	switch {
	case column.Kind == Text:
		return cell.Text
	case cell.Blank:
		return ""
	case math.IsNaN(cell.Value):
		return wording.Undefined
	}
	decimals := column.Decimals
	if column.Kind == Count {
		decimals = 0
	}
	s := wording.Decimal(cell.Value*column.Kind.Scale(), decimals)
	if smallest := math.Pow10(-decimals); column.Kind == PValue && cell.Value < smallest {
		s = "<" + wording.Decimal(smallest, decimals)
	}
	if column.Kind == Share {
		s += "%"
	}
	if cell.Significant {
		s += "*"
	}
	return s
}

// ColumnName returns the heading of a column, with an arrow in the direction of better values.
func ColumnName(column Column) string {
	switch column.Better {
	case Higher:
		return strings.TrimSpace(column.Name + " ↑")
	case Lower:
		return strings.TrimSpace(column.Name + " ↓")
	}
	return column.Name
}

// A Heading is a cell in the rows of headings above the names of columns.
type Heading struct {
	Text    string // empty above columns without a group
	Columns int    // the number of columns that it spans
}

// Headings returns the rows of headings above the names of a table's columns, outermost
// first. It returns nil if no column has a group. Neighbours with the same groups share a
// heading.
func Headings(columns []Column) [][]Heading {
	depth := 0
	for _, c := range columns {
		depth = max(depth, len(c.Group))
	}
	rows := make([][]Heading, depth)
	for level := range rows {
		for i, c := range columns {
			if i > 0 && slices.Equal(upTo(c.Group, level), upTo(columns[i-1].Group, level)) {
				rows[level][len(rows[level])-1].Columns++
				continue
			}
			h := Heading{Columns: 1}
			if level < len(c.Group) {
				h.Text = c.Group[level]
			}
			rows[level] = append(rows[level], h)
		}
	}
	if depth == 0 {
		return nil
	}
	return rows
}

// joinedHeading returns the heading of a column in a table with one row of headings: its groups and then its name. Empty
// groups are left out.
func joinedHeading(c Column, name string) string {
	return strings.Join(append(slices.DeleteFunc(slices.Clone(c.Group), func(group string) bool { return group == "" }), name), " ")
}

func upTo(group []string, level int) []string { return group[:min(level+1, len(group))] }

// legend explains the marks of a table. It is empty if there are none.
func legend(t Table, best, second, third string) string {
	var used [Third + 1]bool
	var ofP, ofValue bool // a p-value or another value is significant
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			used[c.Mark] = true
			ofP = ofP || c.Significant && t.Columns[i].Kind == PValue
			ofValue = ofValue || c.Significant && t.Columns[i].Kind != PValue
		}
	}
	var parts []string
	for mark, word := range map[Mark]string{Best: best, Second: second, Third: third} {
		if used[mark] {
			parts = append(parts, strconv.Itoa(int(mark))+word)
		}
	}
	slices.Sort(parts)
	for i, p := range parts {
		parts[i] = p[1:]
	}
	if ofP {
		parts = append(parts, "*: significant")
	}
	if ofValue {
		parts = append(parts, "*: differs significantly from zero")
	}
	return strings.Join(parts, ", ")
}

// notes joins the note of a table and its legend.
func notes(t Table, legend string) string {
	out := strings.TrimSpace(t.Note)
	if legend != "" {
		if out != "" {
			out += " "
		}
		out += strings.ToUpper(legend[:1]) + legend[1:] + "."
	}
	return out
}

// Notes returns the text below a table on a page: its note and the legend of its marks. On
// pages the best value is bold, the second underlined and the third italic.
func Notes(t Table) string {
	return notes(t, legend(t, "bold: best", "underlined: second", "italic: third"))
}

// Writer returns the function that writes tables to files with the extension ext ("tex",
// "md" or "csv"), and their content type. write is nil for any other extension.
func Writer(ext string) (write func(io.Writer, Table) error, contentType string) {
	switch ext {
	case "tex":
		return LaTeX, "text/x-tex; charset=utf-8"
	case "md":
		return Markdown, "text/markdown; charset=utf-8"
	case "csv":
		return CSV, "text/csv; charset=utf-8"
	}
	return nil, ""
}
