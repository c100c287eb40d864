package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Colour is a colour on light and on dark pages, as #rrggbb.
type Colour struct{ Light, Dark string }

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

// A style is how shapes of a class look in a file. An empty field leaves the value of other classes
// unchanged.
type style struct {
	class        string
	fill, stroke string // a colour, or none
	width        float64
	size         float64 // of text
	bold         bool
	anchor       string // middle or end
	dash         []float64
}

// styles lists the styles of a drawing in a file, in the light colours. Later styles override earlier ones.
// css/figure.css has the same styles for pages.
var styles = func() []style {
	list := []style{
		{class: "fig-soft", fill: soft.Light, size: 11}, {class: "fig-bold", bold: true}, {class: "fig-tiny", size: 10},
		{class: "fig-mid", anchor: "middle"}, {class: "fig-end", anchor: "end"},
		{class: "fig-grid", stroke: line.Light, width: 1}, {class: "fig-axis", stroke: edge.Light, width: 1},
		{class: "fig-whisker", stroke: ink.Light, width: 1.25, fill: "none"}, {class: "fig-self", fill: "none", stroke: line.Light, width: 1},
	}
	for i, c := range series {
		list = append(list, style{class: "fig-c" + strconv.Itoa(i), fill: c.Light, stroke: c.Light})
	}
	list = append(
		list, style{class: "fig-line", fill: "none", width: 2}, style{class: "fig-dash", dash: []float64{6, 4}},
		style{class: "fig-dot", dash: []float64{2, 3}}, style{class: "fig-bar", stroke: "none"},
	)
	for i, c := range ramp {
		list = append(list, style{class: "fig-r" + strconv.Itoa(i), fill: c.Light})
	}
	list = append(list, style{class: "fig-part", stroke: "#ffffff", width: 1})
	for i, c := range heat {
		list = append(list, style{class: "fig-h" + strconv.Itoa(i), fill: c.Light})
	}
	for i, c := range heatInk {
		if c != ink {
			list = append(list, style{class: "fig-on" + strconv.Itoa(i), fill: c.Light})
		}
	}
	return list
}()

// styleOf returns the style of a shape with some classes. Only stroke, dash and anchor may be empty.
func styleOf(class string) style {
	out := style{fill: ink.Light, width: 1, size: 12}
	for _, s := range styles {
		if !slices.Contains(strings.Fields(class), s.class) {
			continue
		}
		out.fill, out.stroke, out.anchor = cmp.Or(s.fill, out.fill), cmp.Or(s.stroke, out.stroke), cmp.Or(s.anchor, out.anchor)
		out.width, out.size, out.bold = cmp.Or(s.width, out.width), cmp.Or(s.size, out.size), out.bold || s.bold
		if s.dash != nil {
			out.dash = s.dash
		}
	}
	return out
}

// fileStyle returns the styles as a style sheet. Programs that turn SVG into PDF do not know custom
// properties.
func fileStyle() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
svg{background:#fff}
text{font:12px system-ui,"Segoe UI",Roboto,"Noto Sans",Arial,"Noto Sans CJK SC",sans-serif;fill:%s}
.fig-line{stroke-linejoin:round}
`, ink.Light)
	for _, s := range styles {
		var rules []string
		for _, r := range []struct{ name, value string }{{"fill", s.fill}, {"stroke", s.stroke}, {"text-anchor", s.anchor}} {
			if r.value != "" {
				rules = append(rules, r.name+":"+r.value)
			}
		}
		if s.width > 0 {
			rules = append(rules, "stroke-width:"+Coordinate(s.width))
		}
		if s.size > 0 {
			rules = append(rules, "font-size:"+Coordinate(s.size)+"px")
		}
		if s.bold {
			rules = append(rules, "font-weight:600")
		}
		if s.dash != nil {
			rules = append(rules, fmt.Sprintf("stroke-dasharray:%s %s", Coordinate(s.dash[0]), Coordinate(s.dash[1])))
		}
		fmt.Fprintf(&b, ".%s{%s}\n", s.class, strings.Join(rules, ";"))
	}
	return b.String()
}

// seriesClass is the class of series i. Series that share a colour differ in their
// dashes.
func seriesClass(i int) string { return "fig-c" + strconv.Itoa(i%len(series)) }

// rampClass is the class of the i-th of n steps from light to dark.
func rampClass(i, n int) string {
	if n < 2 {
		return "fig-r3"
	}
	return "fig-r" + strconv.Itoa(i*(len(ramp)-1)/(n-1))
}
