package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// A Colour is a colour on light and on dark pages, as #rrggbb.
type Colour struct{ Light, Dark string }

// heat holds the colours of the steps of [HeatScale], by number. Their order can be told
// from lightness alone, except that step 0 is warm.
var heat = []Colour{
	{"#f3c9b4", "#6e3a25"}, {"#f4f2ec", "#222628"}, {"#d0e5e6", "#1c3a40"},
	{"#a9d0d3", "#1f5660"}, {"#24808c", "#58aab4"}, {"#094a53", "#a4dfe5"},
}

// heatInk holds the colour of text on each of heat.
var heatInk = []Colour{ink, ink, ink, ink, onDeep, onDeep}

// ramp holds the colours of the parts of stacked bars, from light to dark.
var ramp = []Colour{heat[2], heat[3], {"#5fa9b1", "#35808b"}, heat[4], heat[5]}

// series holds the colours of lines and bars of different things.
var series = []Colour{
	{"#0a6570", "#64c4cd"}, {"#b3541e", "#f0a070"}, {"#5b4a9e", "#b3a5ee"}, {"#3f7d20", "#94cf72"},
	{"#a1286a", "#ee8fc0"}, {"#7a6200", "#dcc04c"}, {"#2a6fb0", "#8cc0f0"}, {"#6b6b6b", "#bdbdbd"},
}

// The colours of pages that drawings have too, as css/base.css defines them.
var (
	ink    = Colour{"#1d1f21", "#e7e5e1"}
	soft   = Colour{"#585b5f", "#a7abae"}
	line   = Colour{"#dfdcd5", "#31363a"}
	edge   = Colour{"#81848a", "#767c82"}
	onDeep = Colour{"#ffffff", "#05252a"}
)

// css returns the style sheet that defines the colours as custom properties: --heat-0,
// --heat-ink-0, --ramp-0 and --series-0 and so on. It is css/palette.css.
func css() string {
	var b strings.Builder
	b.WriteString("/* The colours of charts. Made of internal/chart by go generate. */\n\n:root {\n")
	for _, set := range []struct {
		name    string
		colours []Colour
	}{{"heat", heat}, {"heat-ink", heatInk}, {"ramp", ramp}, {"series", series}} {
		for i, c := range set.colours {
			fmt.Fprintf(&b, "  --%s-%d: light-dark(%s, %s);\n", set.name, i, c.Light, c.Dark)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// fileStyle returns the styles of a drawing in a file. They are those of css/figure.css
// in the light colours, since programs that turn SVG into PDF know no custom properties.
func fileStyle() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
svg{background:#fff}
text{font:12px system-ui,"Segoe UI",Roboto,"Noto Sans",Arial,"Noto Sans CJK SC",sans-serif;fill:%[1]s}
.fig-soft{fill:%[2]s;font-size:11px}.fig-bold{font-weight:600}.fig-tiny{font-size:10px}
.fig-mid{text-anchor:middle}.fig-end{text-anchor:end}
.fig-grid{stroke:%[3]s;stroke-width:1}.fig-axis{stroke:%[4]s;stroke-width:1}
.fig-whisker{stroke:%[1]s;stroke-width:1.25;fill:none}
.fig-line{fill:none;stroke-width:2;stroke-linejoin:round}.fig-dash{stroke-dasharray:6 4}.fig-dot{stroke-dasharray:2 3}
.fig-self{fill:none;stroke:%[3]s;stroke-width:1}
`, ink.Light, soft.Light, line.Light, edge.Light)
	for i, c := range series {
		fmt.Fprintf(&b, ".fig-c%d{fill:%s;stroke:%s}", i, c.Light, c.Light)
		if i%4 == 3 {
			b.WriteString("\n")
		}
	}
	b.WriteString(".fig-line{fill:none!important}.fig-bar{stroke:none}\n")
	for i, c := range ramp {
		fmt.Fprintf(&b, ".fig-r%d{fill:%s}", i, c.Light)
	}
	b.WriteString(".fig-part{stroke:#fff;stroke-width:1}\n")
	for i, c := range heat {
		fmt.Fprintf(&b, ".fig-h%d{fill:%s}", i, c.Light)
	}
	b.WriteString("\n.fig-on4,.fig-on5{fill:#fff}\n")
	return b.String()
}

// seriesClass is the class of the i-th of several things. After the last colour they
// begin again, and lines then differ in their dashes.
func seriesClass(i int) string { return "fig-c" + strconv.Itoa(i%len(series)) }

// rampClass is the class of the i-th of n steps from light to dark.
func rampClass(i, n int) string {
	if n < 2 {
		return "fig-r3"
	}
	return "fig-r" + strconv.Itoa(i*(len(ramp)-1)/(n-1))
}
