package render

import (
	"io"

	"annotate/internal/report"
)

// Notes returns the text below a table on a page: its note and the legend of its marks. On
// pages the best value is bold, the second underlined and the third italic.
func Notes(t report.Table) string {
	return notes(t, legend(t, "bold: best", "underlined: second", "italic: third"))
}

// Writer returns the function that writes tables to files with the extension ext ("tex",
// "md" or "csv"), and their content type. write is nil for any other extension.
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
