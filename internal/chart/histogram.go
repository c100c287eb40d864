package chart

import (
	"slices"
	"strings"

	"annotate/internal/wording"
)

// Histograms are the distributions of several people's scores, drawn as small multiples
// with the same axes.
type Histograms struct {
	ID     string   // unique on the page
	Label  string   // what is counted, e.g. "Scores by annotator"
	Whose  string   // head of the first column of the table, e.g. "Annotator"
	Bins   []string // the name of each bin, in order
	Panels []Histogram
	// Beside is a distribution that each panel shows as an outline, such as everyone's
	// scores. Nil: none.
	Beside []int
	Said   string // what the outline is, e.g. "all annotators"
}

// A Histogram is one panel of [Histograms].
type Histogram struct {
	Name   string // such as the annotator's name
	Href   string // may be empty
	Note   string // e.g. [MeanNote]
	Counts []int  // by bin
}

// The size of a panel in the units of its drawing.
const (
	histogramWidth  = 200.0
	histogramHeight = 64.0
)

// MeanNote is the note of a panel of scores: "mean 2.31 ± 1.02".
func MeanNote(mean, spread float64) string {
	return "mean " + wording.Decimal(mean, 2) + " ± " + wording.Decimal(spread, 2)
}

// Total returns the sum of counts.
func Total(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// tallest returns the largest share of a bin in its distribution, 0 where nothing is
// counted.
func tallest(distributions ...[]int) float64 {
	top := 0.0
	for _, counts := range distributions {
		if all := Total(counts); all > 0 {
			top = max(top, float64(slices.Max(counts))/float64(all))
		}
	}
	return top
}

// A column is the bar of one bin of a histogram, in the units of its drawing.
type column struct {
	bin                 int
	x, y, width, height float64
}

// columns lays a distribution out in a frame, with gaps between the bins. A bin with the
// share top fills the height. Empty bins have no column, and all others can be seen.
func columns(counts []int, top, width, height, gap float64) (out []column) {
	all, wide := Total(counts), width/float64(max(len(counts), 1))
	for i, n := range counts {
		if n > 0 {
			h := max(height*(float64(n)/float64(all))/top, 1)
			out = append(out, column{i, wide*float64(i) + gap/2, height - h, wide - gap, h})
		}
	}
	return out
}

// A Bar is one bar of a chart on a page. Words are its tooltip, and the other fields
// are values of SVG attributes.
type Bar struct{ X, Y, Width, Height, Words string }

// top is the share of a bin that fills the height of a panel, the same in all panels.
func (h Histograms) top() float64 {
	all := [][]int{h.Beside}
	for _, p := range h.Panels {
		all = append(all, p.Counts)
	}
	return max(tallest(all...), 1e-9)
}

// wide is the width of a bin.
func (h Histograms) wide() float64 { return histogramWidth / float64(max(len(h.Bins), 1)) }

// Columns returns the bars of a panel. Counts has a number for each bin.
func (h Histograms) Columns(counts []int) []Bar {
	var out []Bar
	for _, c := range columns(counts, h.top(), histogramWidth, histogramHeight, min(2, h.wide()/5)) {
		n := counts[c.bin]
		out = append(out, Bar{Coordinate(c.x), Coordinate(c.y), Coordinate(c.width), Coordinate(c.height),
			h.Bins[c.bin] + ": " + wording.Count(n) + ", " + wording.Percent(n, Total(counts))})
	}
	return out
}

// Outline returns the path of [Histograms.Beside]; empty without it.
func (h Histograms) Outline() string {
	all, top := Total(h.Beside), h.top()
	if all == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("M0 " + Coordinate(histogramHeight))
	for i, n := range h.Beside {
		y := Coordinate(histogramHeight * (1 - float64(n)/float64(all)/top))
		b.WriteString(" V" + y + " H" + Coordinate(h.wide()*float64(i+1)))
	}
	b.WriteString(" V" + Coordinate(histogramHeight))
	return b.String()
}

// Words describes a panel for people who cannot see it.
func (h Histograms) Words(p Histogram) string {
	all := Total(p.Counts)
	if all == 0 {
		return p.Name + ": none"
	}
	var parts []string
	for i, n := range p.Counts {
		if n > 0 && i < len(h.Bins) {
			parts = append(parts, h.Bins[i]+" "+wording.Percent(n, all))
		}
	}
	return p.Name + ": " + strings.Join(parts, ", ")
}

// Ticks returns the names below a panel: all if they fit, otherwise the first and the
// last.
func (h Histograms) Ticks() []string {
	letters := 0
	for _, b := range h.Bins {
		letters += len(b) + 2
	}
	if len(h.Bins) <= 2 || letters <= 32 && len(h.Bins) <= 10 {
		return h.Bins
	}
	return []string{h.Bins[0], h.Bins[len(h.Bins)-1]}
}
