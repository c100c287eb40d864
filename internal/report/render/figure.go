package render

import (
	"io"

	"annotate/internal/chart"
	"annotate/internal/report"
)

// SVG writes a figure as a file of its own, as [chart.Drawing.WriteFile] does.
func SVG(w io.Writer, f report.Figure) error { return drawing(f).WriteFile(w) }

// InlineSVG returns a figure as an element of a page, as [chart.Drawing.Inline] does. Its
// ids begin with "figure-" and the figure's id.
func InlineSVG(f report.Figure) string { return drawing(f).Inline() }

func drawing(f report.Figure) *chart.Drawing {
	d := chart.New("figure-"+f.ID, f.Title, f.Words)
	switch f.Kind {
	case report.HeatmapFigure:
		d.Heatmap(f.Heatmap)
	case report.HistogramsFigure:
		d.Histograms(f.Panels)
	case report.LinesFigure:
		d.Lines(f.Lines, f.X, f.Y)
	case report.BarsFigure:
		d.Bars(f.Bars, f.Y)
	}
	return d
}
