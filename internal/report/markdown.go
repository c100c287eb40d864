package report

import (
	"bufio"
	"io"
	"strings"

	"annotate/internal/wording"
)

// Markdown writes a table in GitHub's Markdown: a bold caption, the table and its notes.
// Markdown has one row of headings, so the groups of a column are written before its name. It has no
// lines between rows, so [Row.RuleAfter] has no effect; a table with clusters has a column for them.
func Markdown(w io.Writer, t Table) error {
	b := bufio.NewWriter(w)
	b.WriteString("**" + wording.Markdown(strings.TrimSuffix(t.Title, ".")) + ".** " + wording.Markdown(t.aloneCaption()) + "\n\n")
	b.WriteString("|")
	for _, c := range t.Columns {
		b.WriteString(" " + wording.Markdown(joinedHeading(c, ColumnName(c))) + " |")
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		if c.Kind.Numeric() {
			b.WriteString(" ---: |")
		} else {
			b.WriteString(" --- |")
		}
	}
	b.WriteString("\n")
	for _, row := range t.Rows {
		b.WriteString("|")
		for i, cell := range row.Cells {
			s := wording.Markdown(FormatCell(t.Columns[i], cell))
			switch {
			case s == "":
			case cell.Mark == Best:
				s = "**" + s + "**"
			case cell.Mark == Second:
				s = "***" + s + "***"
			case cell.Mark == Third:
				s = "*" + s + "*"
			}
			b.WriteString(" " + s + " |")
		}
		b.WriteString("\n")
	}
	if n := notes(t, legend(t, "bold: best", "bold italic: second", "italic: third")); n != "" {
		b.WriteString("\n" + wording.Markdown(n) + "\n")
	}
	return b.Flush()
}
