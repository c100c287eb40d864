package templates

import (
	"strings"

	"annotate/internal/wording"
)

// Histograms are the distributions of several people's scores, drawn alike so
// that their shapes can be compared: small multiples.
type Histograms struct {
	ID     string   // unique on the page
	Label  string   // what is counted, e.g. "Scores by annotator"
	Whose  string   // head of the first column of the table, e.g. "Annotator"
	Bins   []string // the name of each bin, in order
	Panels []Histogram
	// Beside is drawn as an outline behind each panel, e.g. everyone's scores; nil: none.
	Beside []int
	Said   string // what the outline is, e.g. "all annotators"
}

// A Histogram is one panel of [Histograms].
type Histogram struct {
	Name   string // whose
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

func totalOf(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// top is the largest share of a bin in any panel, which fills the height of all.
func (h Histograms) top() float64 {
	top := 0.0
	for _, counts := range append([][]int{h.Beside}, h.counts()...) {
		all := totalOf(counts)
		for _, n := range counts {
			top = max(top, share(n, all))
		}
	}
	return max(top, 1e-9)
}

func (h Histograms) counts() [][]int {
	out := make([][]int, len(h.Panels))
	for i, p := range h.Panels {
		out[i] = p.Counts
	}
	return out
}

// A chartBar is one bar of a drawing, with the words of its tooltip.
type chartBar struct{ X, Y, Width, Height, Words string }

// columns are the bars of a panel, of which a bin's share of the panel is the height.
func (h Histograms) columns(counts []int) []chartBar {
	all, top := totalOf(counts), h.top()
	wide := histogramWidth / float64(max(len(h.Bins), 1))
	gap := min(2, wide/5)
	var out []chartBar
	for i, n := range counts {
		if n == 0 || i >= len(h.Bins) {
			continue
		}
		high := max(histogramHeight*share(n, all)/top, 1)
		out = append(out, chartBar{
			X: coordinate(wide*float64(i) + gap/2), Y: coordinate(histogramHeight - high),
			Width: coordinate(wide - gap), Height: coordinate(high), Words: h.Bins[i] + ": " + wording.Count(n) + ", " + percent(n, all),
		})
	}
	return out
}

// outline is the path of the distribution that a panel is set beside.
func (h Histograms) outline() string {
	all, top := totalOf(h.Beside), h.top()
	if all == 0 {
		return ""
	}
	wide := histogramWidth / float64(max(len(h.Bins), 1))
	var b strings.Builder
	b.WriteString("M0 " + coordinate(histogramHeight))
	for i, n := range h.Beside {
		y := coordinate(histogramHeight * (1 - share(n, all)/top))
		b.WriteString(" V" + y + " H" + coordinate(wide*float64(i+1)))
	}
	b.WriteString(" V" + coordinate(histogramHeight))
	return b.String()
}

// words tells a panel to those who can't see it.
func (h Histograms) words(p Histogram) string {
	all := totalOf(p.Counts)
	if all == 0 {
		return p.Name + ": none"
	}
	var parts []string
	for i, n := range p.Counts {
		if n > 0 && i < len(h.Bins) {
			parts = append(parts, h.Bins[i]+" "+percent(n, all))
		}
	}
	return p.Name + ": " + strings.Join(parts, ", ")
}

// ticks are the names below a panel: all where they fit, else the first and the last.
func (h Histograms) ticks() []string {
	letters := 0
	for _, b := range h.Bins {
		letters += len(b) + 2
	}
	if len(h.Bins) <= 2 || letters <= 32 && len(h.Bins) <= 10 {
		return h.Bins
	}
	return []string{h.Bins[0], h.Bins[len(h.Bins)-1]}
}
