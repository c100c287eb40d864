package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/wording"
)

// A HeatStep is one step of the scale of r in heatmaps. Each has a colour of the palette,
// which is darker (on dark pages lighter) for a higher r.
type HeatStep struct {
	Number int     // from 0 for the lowest
	From   float64 // r is at least this
	Range  string
	Word   string
}

// HeatScale lists the steps from the highest to the lowest. The gate's usual threshold,
// 0.7, begins a step.
var HeatScale = []HeatStep{
	{5, 0.9, "0.90 to 1", "very strong"},
	{4, 0.7, "0.70 to 0.89", "strong"},
	{3, 0.5, "0.50 to 0.69", "moderate"},
	{2, 0.3, "0.30 to 0.49", "weak"},
	{1, 0, "0 to 0.29", "hardly any"},
	{0, -1, "below 0", "opposed"},
}

// HeatStepOf returns the step of r in [-1, 1], rounded to two decimals: 0.698 is in the
// step from 0.7.
func HeatStepOf(r float64) HeatStep {
	r = math.Round(r*100) / 100
	for _, s := range HeatScale {
		if r >= s.From {
			return s
		}
	}
	return HeatScale[len(HeatScale)-1]
}

// heat holds the colours of the steps of [HeatScale], by number. Their order can be told
// from lightness alone, except that step 0 is warm.
var heat = []Colour{
	{"#f3c9b4", "#6e3a25"}, {"#f4f2ec", "#222628"}, {"#d0e5e6", "#1c3a40"},
	{"#a9d0d3", "#1f5660"}, {"#24808c", "#58aab4"}, {"#094a53", "#a4dfe5"},
}

// heatInk holds the colours of text on them. A text of a figure has a class for each that is not ink, which
// css/figure.css and [styles] define.
var heatInk = []Colour{ink, ink, ink, ink, onDeep, onDeep}

// Heatmap draws a matrix, with r and the number of shared units in every cell that has
// any.
func (d *Drawing) Heatmap(h Heatmap) {
	n := max(len(h.Columns), 1)
	label := widest(h.Rows, 20, 150)
	top := widest(h.Columns, 20, 110) + 8
	cell := min(56, max(16, (figureWidth-label-16)/float64(n)))
	high := min(cell, 40)
	d.width, d.height = max(label+12+cell*float64(n)+4, 240), top+high*float64(len(h.Rows))+32
	left := label + 12
	for j, name := range h.Columns {
		d.turned(left+cell*(float64(j)+.5)+4, top-6, top-8, "fig-soft", name)
	}
	for i, row := range h.Rows {
		y := top + high*float64(i)
		d.text(left-8, y+high/2+4, label, "fig-end", row)
		for j, column := range h.Columns {
			d.heatCell(h, i, j, left+cell*float64(j), y, cell, high, row+" and "+column)
		}
	}
	y := d.height - 8
	x := 0.0
	for _, step := range slices.Backward(HeatScale) {
		word := step.Range
		if _, to, ok := strings.Cut(word, " to "); ok {
			word = "to " + to
		}
		d.rect(x, y-9, 12, 10, "fig-h"+strconv.Itoa(step.Number), "")
		d.text(x+16, y, 0, "fig-soft", word)
		x += 20 + textWidth(word) + 8
	}
	d.width = max(d.width, x)
}

func (d *Drawing) heatCell(h Heatmap, i, j int, x, y, w, high float64, who string) {
	shared, v := h.Shared[i][j], h.Values[i][j]
	switch {
	case shared == 0:
		d.rect(x+1, y+1, w-2, high-2, "fig-self", "")
		return
	case math.IsNaN(v):
		d.rect(x+1, y+1, w-2, high-2, "fig-self", fmt.Sprintf("%s: undefined, %d shared", who, shared))
	default:
		d.rect(x+1, y+1, w-2, high-2, "fig-h"+strconv.Itoa(HeatStepOf(v).Number),
			fmt.Sprintf("%s: %s, %d shared", who, wording.Decimal(v, 2), shared))
	}
	if w < 30 {
		return // the numbers are in the titles and in the table
	}
	class := ""
	if step := HeatStepOf(v).Number; !math.IsNaN(v) && heatInk[step] != ink {
		class = " fig-on" + strconv.Itoa(step)
	}
	d.text(x+w/2, y+high/2-1, 0, "fig-mid fig-bold"+class, wording.Decimal(v, 2))
	d.text(x+w/2, y+high/2+12, 0, "fig-mid fig-tiny"+class, strconv.Itoa(shared))
}
