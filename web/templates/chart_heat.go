package templates

import (
	"math"
	"strconv"

	"annotate/internal/chart"
	"annotate/internal/wording"
)

// A Heatmap is how far each two annotators agree: a square table whose cells
// print r and the number of shared segments. Agreement is symmetrical, and so
// is the table; its diagonal is empty.
type Heatmap struct {
	ID    string // unique on the page
	Title string
	What  string // what a cell says, in a line
	Names []HeatName
	Cells [][]HeatCell // [row][column], as long and as wide as Names
}

// A HeatName is the head of a row and of a column.
type HeatName struct {
	Name string
	Href string // may be empty
}

// A HeatCell is what two annotators share.
type HeatCell struct {
	R      float64 // NaN: undefined
	Shared int     // segments; 0: the cell is blank
	Href   string  // leads to the segments behind it; may be empty
}

func (c HeatCell) class() string {
	switch {
	case c.Shared == 0:
		return "heat-blank"
	case math.IsNaN(c.R):
		return "heat-undefined"
	}
	return heatClass(chart.HeatStepOf(c.R))
}

// words tells a cell of two annotators to those who can't see it. The numbers stand
// side by side, as they are seen: who speaks to the computer names a link by them.
func (c HeatCell) words(a, b string) string {
	s := isolated(a) + " and " + isolated(b) + ": "
	if math.IsNaN(c.R) {
		s += "r undefined"
	} else {
		s += chart.HeatStepOf(c.R).Word + ", r " + wording.Decimal(c.R, 2)
	}
	return s + ", " + wording.Counted(c.Shared, "shared segment")
}

// pairs is the number of pairs that share segments.
func (h Heatmap) pairs() int {
	n := 0
	for i := range h.Cells {
		for j := range i {
			if h.Cells[i][j].Shared > 0 {
				n++
			}
		}
	}
	return n
}

// heatClass is the class of css/charts.css with the colour of a step.
func heatClass(s chart.HeatStep) string { return "heat-" + strconv.Itoa(s.Number) }
