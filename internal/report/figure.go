package report

import (
	"io"

	"annotate/internal/chart"
)

// A FigureKind says how a figure is drawn, and which of its data are set.
type FigureKind string

// The kinds of figures.
const (
	HeatmapFigure    FigureKind = "heatmap"    // Figure.Heatmap
	HistogramsFigure FigureKind = "histograms" // Figure.Panels, as small multiples with the same axes
	LinesFigure      FigureKind = "lines"      // Figure.Lines
	BarsFigure       FigureKind = "bars"       // Figure.Bars
)

// A Figure is a figure as plain values.
type Figure struct {
	ID      string // unique among the figures of the report, fit for a file name
	Title   string
	Caption string
	Words   string // a description in whole sentences, for readers who cannot see the figure
	Kind    FigureKind
	X, Y    chart.Axis
	Heatmap chart.Heatmap
	Panels  []chart.Panel
	Lines   []chart.Line
	Bars    chart.Bars
	Table   Table // the numbers of the figure
}

// SVG writes a figure to a file by [chart.Drawing.WriteFile].
func SVG(w io.Writer, f Figure) error { return drawing(f).WriteFile(w) }

// FigureWriter returns the function that writes figures to files with the extension ext ("svg", "pdf" or "png"), and their content
// type. write is nil for any other extension.
func FigureWriter(ext string) (write func(io.Writer, Figure) error, contentType string) {
	switch ext {
	case "svg":
		return SVG, "image/svg+xml"
	case "pdf":
		return func(w io.Writer, f Figure) error { return drawing(f).WritePDF(w) }, "application/pdf"
	case "png":
		return func(w io.Writer, f Figure) error { return drawing(f).WritePNG(w) }, "image/png"
	}
	return nil, ""
}

// FigureTypes lists the extensions of files of figures.
var FigureTypes = []string{"svg", "pdf", "png"}

// InlineSVG returns a figure as an element of a page by [chart.Drawing.Inline]. Its ids
// begin with "figure-" and the figure's id.
func InlineSVG(f Figure) string { return drawing(f).Inline() }

func drawing(f Figure) *chart.Drawing {
	d := chart.New("figure-"+f.ID, f.Title, f.Words)
	switch f.Kind {
	case HeatmapFigure:
		d.Heatmap(f.Heatmap)
	case HistogramsFigure:
		d.Histograms(f.Panels)
	case LinesFigure:
		d.Lines(f.Lines, f.X, f.Y)
	case BarsFigure:
		d.Bars(f.Bars, f.Y)
	}
	return d
}
