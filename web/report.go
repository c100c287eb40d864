package web

import (
	"context"
	"io"
	"io/fs"
	"strings"

	"annotate/internal/report"
	"annotate/web/templates/monitoring"
)

// WriteReport writes a report as a single HTML file. The file looks like the report page of
// the program, can be printed, and needs no other files. It contains no scripts.
func WriteReport(ctx context.Context, w io.Writer, r report.Report) error {
	var styles strings.Builder
	for _, name := range []string{"css/base.css", "css/palette.css", "css/figure.css", "css/report.css"} {
		text, err := fs.ReadFile(Files(), name)
		if err != nil {
			return err
		}
		styles.Write(text)
	}
	return monitoring.ReportFile(r, styles.String()).Render(ctx, w)
}
