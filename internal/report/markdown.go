package report

import (
	"bufio"
	"io"
	"strings"

	"annotate/internal/wording"
)

// Markdown writes a table in GitHub's Markdown: a bold caption, the table and its notes.
// Markdown has only one row of headings and no lines between rows. So groups of columns
// become part of the names of columns, and lines are left out; tables with clusters also
// have a column for them.
func Markdown(w io.Writer, t Table) error {
	b := bufio.NewWriter(w)
	b.WriteString("**" + wording.Markdown(strings.TrimSuffix(t.Title, ".")) + ".** " + wording.Markdown(t.aloneCaption()) + "\n\n")
	b.WriteString("|")
	for _, c := range t.Columns {
		b.WriteString(" " + wording.Markdown(heading(c, ColumnName(c))) + " |")
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
