package templates

import (
	"math"

	"annotate/internal/wording"
)

// A Heatmap is how far each two annotators agree: a square table whose cells
// print r and the number of shared segments. Agreement is symmetrical, and so
// is the table; its diagonal is empty.
type Heatmap struct {
	ID    string // unique on the page
	Title string
	What  string // what a cell says, in a line
	Small bool   // beside another one
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

// A heatStep is one colour of the scale. The colours grow darker (in the dark:
// lighter) with r, so that they can be told apart without seeing hues.
type heatStep struct {
	Class string
	From  float64 // r is at least this
	Range string
	Word  string
}

// heatScale is the scale from strong to opposed. The gate's usual threshold, 0.7,
// is a border of it.
var heatScale = []heatStep{
	{"heat-5", 0.9, "0.90 to 1", "very strong"},
	{"heat-4", 0.7, "0.70 to 0.89", "strong"},
	{"heat-3", 0.5, "0.50 to 0.69", "moderate"},
	{"heat-2", 0.3, "0.30 to 0.49", "weak"},
	{"heat-1", 0, "0 to 0.29", "hardly any"},
	{"heat-0", -1, "below 0", "opposed"},
}

// step is the colour of r, as r is printed: 0.698 prints 0.70 and is strong.
func heatStepOf(r float64) heatStep {
	rounded := math.Round(r*100) / 100
	for _, s := range heatScale {
		if rounded >= s.From {
			return s
		}
	}
	return heatScale[len(heatScale)-1]
}

func (c HeatCell) class() string {
	switch {
	case c.Shared == 0:
		return "heat-blank"
	case math.IsNaN(c.R):
		return "heat-undefined"
	}
	return heatStepOf(c.R).Class
}

// words tells a cell of two annotators to those who can't see it. The numbers stand
// side by side, as they are seen: who speaks to the computer names a link by them.
func (c HeatCell) words(a, b string) string {
	s := isolated(a) + " and " + isolated(b) + ": "
	if math.IsNaN(c.R) {
		s += "r undefined"
	} else {
		s += heatStepOf(c.R).Word + ", r " + wording.Decimal(c.R, 2)
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
