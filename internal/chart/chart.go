// Package chart draws. It has the figures of the report, which are whole drawings in SVG
// ([Drawing]), and the shapes of the charts on pages ([Histograms], [Days]), which the
// templates put into elements. Both take their colours from one palette, of which [CSS]
// makes the custom properties of the style sheets, and both share the steps of heatmaps
// ([HeatScale]).
package chart

//go:generate go test -run TestPalette -write .

// An Axis is what is measured along a side of a figure.
type Axis struct {
	Label string
	// Min and Max are the range; both 0: that of the data.
	Min, Max float64
	Decimals int
}

// A Heatmap is a matrix of coefficients in [-1, 1].
type Heatmap struct {
	Rows, Columns []string
	// Values are by row and column; NaN where undefined or where nothing is
	// shared, which Shared tells apart.
	Values [][]float64
	Shared [][]int // units that the value is formed from; 0: the cell stays blank
}

// A Panel is one histogram of several.
type Panel struct {
	Title string
	N     int // what is counted in all
	Mean  float64
	Bins  []Bin // in order, without gaps, the same in all panels of a figure
}

// A Bin counts the values in [Low, High), in the last one [Low, High]. Bins of
// whole numbers reach half a point to both sides.
type Bin struct {
	Low, High float64
	Label     string // of the values, such as "3" or "70 to 79"
	Count     int
}

// A Line is a series of points from left to right; NaN in Y is a gap.
type Line struct {
	Name  string
	Group string // lines of a group share a colour; may be empty
	Dash  bool
	X, Y  []float64
}

// Bars are groups of bars, one group for each label.
type Bars struct {
	Labels  []string
	Series  []BarSeries
	Stacked bool // the series stand on one another; else side by side
}

// A BarSeries has a value for each label of [Bars]; NaN where undefined.
type BarSeries struct {
	Name      string
	Values    []float64
	Low, High []float64 // of an interval around the values; nil: none
}
