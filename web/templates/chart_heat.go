package templates

import (
	"math"
	"slices"
	"strconv"

	"annotate/internal/chart"
	"annotate/internal/wording"
)

// A Heatmap is how far each two annotators agree: a square table whose cells
// print r and the number of shared segments. Agreement is symmetrical, and so
// is the table; its diagonal is empty. The rows and columns of judges are behind
// a gap and under a heading.
type Heatmap struct {
	ID    string // unique on the page
	Title string
	What  string // what a cell says, in a line
	Names []HeatName
	Cells [][]HeatCell // [row][column], as long and as wide as Names

	Judges     []HeatName
	JudgeCells [][]HeatCell // [judge][column]: Names, then Judges
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

// WithoutLinks is the heatmap whose cells lead nowhere.
func (h Heatmap) WithoutLinks() Heatmap {
	cells := make([][]HeatCell, len(h.Cells))
	for i, row := range h.Cells {
		cells[i] = slices.Clone(row)
		for j := range row {
			cells[i][j].Href = ""
		}
	}
	h.Cells = cells
	return h
}

func (c HeatCell) Class() string {
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
	s := Isolated(a) + " and " + Isolated(b) + ": "
	if math.IsNaN(c.R) {
		s += "r undefined"
	} else {
		s += chart.HeatStepOf(c.R).Word + ", r " + wording.Decimal(c.R, 2)
	}
	return s + ", " + wording.Counted(c.Shared, "shared segment")
}

func (h Heatmap) caption() string {
	s := h.Title + ": r and the number of shared segments of each two annotators"
	if len(h.Judges) > 0 {
		s += ", and of judges with annotators and with each other"
	}
	return s + "; blank where they share none"
}

// many reports whether the table has so many columns that they are narrow.
func (h Heatmap) many() bool { return len(h.Names)+len(h.Judges) > 8 }

// Pairs returns the number of pairs of annotators and judges that share segments.
func (h Heatmap) Pairs() int {
	n := 0
	for i, row := range h.JudgeCells {
		for _, c := range row[:len(h.Names)+i] {
			if c.Shared > 0 {
				n++
			}
		}
	}
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
