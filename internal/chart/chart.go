// Package chart draws the figures of the report as SVG ([Drawing]) and computes the
// shapes of the charts on pages ([Histograms], [Days]), which templates put into
// elements. Both use one palette, which go generate writes to css/palette.css, and one
// scale of heatmaps ([HeatScale]).
package chart

//go:generate go test -run TestPalette -write .

// An Axis says what a side of a figure measures.
type Axis struct {
	Label string
	// Min and Max are the range, or 0 for that of the data.
	Min, Max float64
	Decimals int
}

// A Heatmap is a matrix of coefficients in [-1, 1].
type Heatmap struct {
	Rows, Columns []string
	// Values are by row and column. A value that is undefined is NaN.
	Values [][]float64
	Shared [][]int // units that each value is computed from; if 0, the cell is blank
}

// A Panel is one histogram of several.
type Panel struct {
	Title string
	N     int // the number of values
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
	Stacked bool // the series are stacked, not side by side
}

// A BarSeries has a value for each label of [Bars]; NaN where undefined.
type BarSeries struct {
	Name      string
	Values    []float64
	Low, High []float64 // an interval around each value; nil: none
}
