package render

import (
	"io"

	"annotate/internal/report"
)

// Notes is what stands below a table on a page: its note, and what its marks mean.
// On pages the best value is bold, the second underlined and the third italic.
func Notes(t report.Table) string {
	return notes(t, legend(t, "bold: best", "underlined: second", "italic: third"))
}

// Writer is what writes tables into files that end in ext ("tex", "md", "csv"), with
// their content type; nil for any other.
func Writer(ext string) (write func(io.Writer, report.Table) error, contentType string) {
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
