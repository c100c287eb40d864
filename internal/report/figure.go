package report

import "annotate/internal/chart"

// A FigureKind says how a figure is drawn, and which of its data are set.
type FigureKind string

// The kinds of figures.
const (
	HeatmapFigure    FigureKind = "heatmap"    // Figure.Heatmap
	HistogramsFigure FigureKind = "histograms" // Figure.Panels, as small multiples with the same axes
	LinesFigure      FigureKind = "lines"      // Figure.Lines
	BarsFigure       FigureKind = "bars"       // Figure.Bars
)

// A Figure is one figure as plain values.
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
