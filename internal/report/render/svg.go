package render

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"annotate/internal/report"
)

// SVG writes a figure as a file of its own: it has its title, its description in
// words and its styles with it, in light colours, so that it is legible alone and on
// paper. Nothing in it runs or is fetched.
func SVG(w io.Writer, f report.Figure) error {
	d := draw(f)
	b := bufio.NewWriter(w)
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	d.write(b, f, figureStyle)
	return b.Flush()
}

// InlineSVG is a figure as an element of a page, whose style sheet knows the classes
// of css/figure.css; ids begin with "figure-" and the figure's id.
func InlineSVG(f report.Figure) string {
	var s strings.Builder
	b := bufio.NewWriter(&s)
	draw(f).write(b, f, "")
	_ = b.Flush() // a strings.Builder takes everything
	return s.String()
}

func draw(f report.Figure) *drawing {
	d := &drawing{width: figureWidth}
	switch f.Kind {
	case report.HeatmapFigure:
		d.heatmap(f)
	case report.HistogramsFigure:
		d.histograms(f)
	case report.LinesFigure:
		d.lines(f)
	case report.BarsFigure:
		d.bars(f)
	}
	return d
}

// figureWidth is how wide figures are in pixels, of which a page may show fewer.
const figureWidth = 680

// figureStyle is what css/figure.css says of light pages, in plain colours: programs
// that turn SVG into PDF know no variables.
const figureStyle = `
svg{background:#fff}
text{font:12px system-ui,"Segoe UI",Roboto,"Noto Sans",Arial,"Noto Sans CJK SC",sans-serif;fill:#1d1f21}
.fig-soft{fill:#585b5f;font-size:11px}.fig-bold{font-weight:600}.fig-tiny{font-size:10px}
.fig-mid{text-anchor:middle}.fig-end{text-anchor:end}
.fig-grid{stroke:#dfdcd5;stroke-width:1}.fig-axis{stroke:#81848a;stroke-width:1}
.fig-whisker{stroke:#1d1f21;stroke-width:1.25;fill:none}
.fig-line{fill:none;stroke-width:2;stroke-linejoin:round}.fig-dash{stroke-dasharray:6 4}.fig-dot{stroke-dasharray:2 3}
.fig-self{fill:none;stroke:#dfdcd5;stroke-width:1}
.fig-c0{fill:#0a6570;stroke:#0a6570}.fig-c1{fill:#b3541e;stroke:#b3541e}.fig-c2{fill:#5b4a9e;stroke:#5b4a9e}.fig-c3{fill:#3f7d20;stroke:#3f7d20}
.fig-c4{fill:#a1286a;stroke:#a1286a}.fig-c5{fill:#7a6200;stroke:#7a6200}.fig-c6{fill:#2a6fb0;stroke:#2a6fb0}.fig-c7{fill:#6b6b6b;stroke:#6b6b6b}
.fig-line{fill:none!important}.fig-bar{stroke:none}
.fig-r0{fill:#d0e5e6}.fig-r1{fill:#a9d0d3}.fig-r2{fill:#5fa9b1}.fig-r3{fill:#24808c}.fig-r4{fill:#094a53}.fig-part{stroke:#fff;stroke-width:1}
.fig-h0{fill:#f3c9b4}.fig-h1{fill:#f4f2ec}.fig-h2{fill:#d0e5e6}.fig-h3{fill:#a9d0d3}.fig-h4{fill:#24808c}.fig-h5{fill:#094a53}
.fig-on4,.fig-on5{fill:#fff}
`

// A drawing is the inside of an SVG in the making.
type drawing struct {
	b             strings.Builder
	width, height float64
}

func (d *drawing) write(b *bufio.Writer, f report.Figure, style string) {
	id := "figure-" + f.ID
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="%s-title" aria-describedby="%s-words"><title id="%s-title">%s</title><desc id="%s-words">%s</desc>`,
		px(d.width), px(d.height), px(d.width), px(d.height), id, id, id, escapeXML(f.Title), id, escapeXML(f.Words))
	if style != "" {
		b.WriteString("<style>" + style + "</style>")
	}
	b.WriteString(d.b.String())
	b.WriteString("</svg>")
	if style != "" {
		b.WriteString("\n")
	}
}

func (d *drawing) rect(x, y, w, h float64, class, title string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" class="%s"`, px(x), px(y), px(max(w, 0)), px(max(h, 0)), class)
	if title == "" {
		d.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&d.b, "><title>%s</title></rect>", escapeXML(title))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, px(x1), px(y1), px(x2), px(y2), class)
}

// text writes a text whose baseline is at y, cut to room pixels; 0: it has all the
// room it wants.
func (d *drawing) text(x, y, room float64, class, s string) {
	short := s
	if room > 0 {
		short = fit(s, room)
	}
	fmt.Fprintf(&d.b, `<text x="%s" y="%s"`, px(x), px(y))
	if class != "" {
		fmt.Fprintf(&d.b, ` class="%s"`, class)
	}
	d.b.WriteString(">" + escapeXML(short))
	if short != s {
		d.b.WriteString("<title>" + escapeXML(s) + "</title>")
	}
	d.b.WriteString("</text>")
}

// turned is a text that is read from below, ending at (x, y).
func (d *drawing) turned(x, y, room float64, class, s string) {
	short := fit(s, room)
	fmt.Fprintf(&d.b, `<text transform="translate(%s %s) rotate(-90)" class="%s">%s`, px(x), px(y), class, escapeXML(short))
	if short != s {
		d.b.WriteString("<title>" + escapeXML(s) + "</title>")
	}
	d.b.WriteString("</text>")
}

// px writes a place with two digits at most.
func px(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

// textWidth guesses how wide a text is at 12 px. Faces differ, so that it is a little
// more than most need.
func textWidth(s string) (w float64) {
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe4f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300):
			w += 12.5
		case unicode.IsUpper(r) || r == 'm' || r == 'w' || r == '%':
			w += 8.6
		case strings.ContainsRune("iljft.,:;|' ", r):
			w += 4
		default:
			w += 7
		}
	}
	return w
}

// fit cuts a text to a width, with an ellipsis where something is missing.
func fit(s string, room float64) string {
	if textWidth(s) <= room {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && textWidth(string(runes))+12 > room {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// widest is the width of the widest of some texts, within limits.
func widest(texts []string, least, most float64) float64 {
	w := least
	for _, s := range texts {
		w = max(w, textWidth(s))
	}
	return min(w, most)
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escapeXML has a text mean itself; characters that XML has no place for are replaced.
func escapeXML(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff || r == 0x7f {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
	return xmlEscapes.Replace(s)
}

// shown writes a value as the axis has it.
func shown(v float64, decimals int) string {
	return Cell(report.Column{Kind: report.Number, Decimals: decimals}, report.Cell{Value: v})
}

// A scale maps values to places.
type scale struct {
	low, high float64
	from, to  float64 // in pixels
	step      float64
	decimals  int
}

// newScale covers values by whole steps; with fixed limits, those.
func newScale(axis report.Axis, low, high, from, to float64) scale {
	if axis.Min != 0 || axis.Max != 0 {
		low, high = axis.Min, axis.Max
	}
	if !(high > low) { // also where nothing is defined
		if math.IsInf(low, 0) || math.IsNaN(low) {
			low = 0
		}
		high = low + 1
	}
	step := niceStep((high - low) / 5)
	s := scale{low: low, high: high, from: from, to: to, step: step}
	if axis.Min == 0 && axis.Max == 0 {
		s.low, s.high = math.Floor(low/step+1e-9)*step, math.Ceil(high/step-1e-9)*step
	}
	for p := step; s.decimals < 6 && math.Abs(p-math.Round(p)) > 1e-9; p *= 10 {
		s.decimals++
	}
	return s
}

// niceStep is the least of 1, 2 and 5 times a power of ten that is at least x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

func (s scale) at(v float64) float64 {
	return s.from + (s.to-s.from)*(v-s.low)/(s.high-s.low)
}

func (s scale) ticks() (out []float64) {
	for i := math.Ceil(s.low/s.step - 1e-9); i*s.step <= s.high+s.step*1e-9; i++ {
		out = append(out, i*s.step)
	}
	return out
}

// limits are the least and the greatest of the defined values.
func limits(low, high float64, values ...float64) (float64, float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// colour is the class of the i-th of things told apart; those beyond the colours
// begin again, told apart by the dashes of their lines.
func colour(i int) string { return "fig-c" + strconv.Itoa(i%8) }

// shade is the class of the i-th of n steps from light to dark.
func shade(i, n int) string {
	if n < 2 {
		return "fig-r3"
	}
	return "fig-r" + strconv.Itoa(i*4/(n-1))
}
