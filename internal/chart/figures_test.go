package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/wording"
)

var nan = math.NaN()

// figures are all kinds, with what is hard in each: nothing, one, very many, what is
// undefined, and names that would break a file.
func figures() map[string]func(*Drawing) {
	awkward := []string{`a<b>&"c"`, "مقياس طويل جدا لا يتسع له المكان أبدا أبدا أبدا", "指标" + strings.Repeat("长", 40), "x\x01\xff", "]]>--", ""}
	n := len(awkward)
	heat := Heatmap{Rows: awkward, Columns: awkward}
	big := Heatmap{}
	for i := range 60 {
		big.Rows = append(big.Rows, fmt.Sprint("annotator", i))
	}
	big.Columns = big.Rows
	for _, h := range []*Heatmap{&heat, &big} {
		for i := range h.Rows {
			h.Values, h.Shared = append(h.Values, make([]float64, len(h.Rows))), append(h.Shared, make([]int, len(h.Rows)))
			for j := range h.Columns {
				h.Values[i][j], h.Shared[i][j] = math.Sin(float64(i+j)), (i+j)%3
				if (i+j)%4 == 0 {
					h.Values[i][j] = nan
				}
			}
		}
	}
	bins := []Bin{{Low: -.5, High: .5, Label: "0", Count: 3}, {Low: .5, High: 1.5, Label: "1"}}
	panels := []Panel{{Title: awkward[0], N: 3, Mean: .5, Bins: bins}, {Title: "none", Mean: nan, Bins: bins[1:]}}
	for range 40 {
		panels = append(panels, panels[0])
	}
	values := []float64{1, nan, -3, 0, 1e9, nan}
	heatmap := func(h Heatmap) func(*Drawing) { return func(d *Drawing) { d.Heatmap(h) } }
	histograms := func(p []Panel) func(*Drawing) { return func(d *Drawing) { d.Histograms(p) } }
	bars := func(b Bars) func(*Drawing) { return func(d *Drawing) { d.Bars(b, Axis{}) } }
	lines := func(across, up Axis, l ...Line) func(*Drawing) { return func(d *Drawing) { d.Lines(l, across, up) } }
	return map[string]func(*Drawing){
		"heatmap": heatmap(heat), "heatmap-big": heatmap(big), "heatmap-none": heatmap(Heatmap{}),
		"histograms": histograms(panels), "histograms-none": histograms(nil),
		"lines": lines(Axis{Label: awkward[0]}, Axis{Label: "y", Min: 0, Max: 1},
			Line{Name: awkward[0], X: []float64{0, .5, 1}, Y: []float64{.1, nan, .7}}, Line{Name: awkward[1], Dash: true, X: []float64{0, 1}, Y: []float64{nan, nan}}, Line{Name: "empty"}),
		"lines-none": lines(Axis{}, Axis{}),
		"lines-one":  lines(Axis{}, Axis{}, Line{Name: "x", X: []float64{5}, Y: []float64{5}}),
		"bars":       bars(Bars{Labels: awkward, Series: []BarSeries{{Name: awkward[0], Values: values, Low: values, High: values}, {Name: "b", Values: values}}}),
		"bars-one":   bars(Bars{Labels: awkward[:1], Series: []BarSeries{{Name: "a", Values: []float64{nan}, Low: []float64{nan}, High: []float64{nan}}}}),
		"stacked":    bars(Bars{Stacked: true, Labels: awkward, Series: []BarSeries{{Name: "a", Values: make([]float64, n)}, {Name: "b", Values: []float64{1, nan, 2, 3, 4, 5}}}}),
		"bars-none":  bars(Bars{}),
		"nothing":    func(*Drawing) {},
	}
}

// TestDrawings checks that every drawing is well-formed, has its title and description,
// has numbers for places, and holds nothing that runs or is fetched.
func TestDrawings(t *testing.T) {
	for name, draw := range figures() {
		const title = `Title <&> "x"`
		d := New(name, title, "What there is to see \x02.")
		draw(d)
		var b bytes.Buffer
		if err := d.WriteFile(&b); err != nil {
			t.Fatal(err)
		}
		checkSVG(t, name, b.Bytes(), title)
		if !strings.Contains(b.String(), "<style>") {
			t.Errorf("%s: a file without styles", name)
		}
		inline := d.Inline()
		checkSVG(t, name, []byte(inline), title)
		if strings.Contains(inline, "<style") || strings.Contains(inline, "style=") {
			t.Errorf("%s: styles on the page, which its policy refuses", name)
		}
	}
}

func checkSVG(t *testing.T, name string, text []byte, title string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	var path []string
	said := map[string]string{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v\n%s", name, err, text)
		}
		switch x := token.(type) {
		case xml.StartElement:
			path = append(path, x.Name.Local)
			switch x.Name.Local {
			case "svg", "title", "desc", "style", "rect", "line", "path", "circle", "text":
			default:
				t.Errorf("%s has <%s>", name, x.Name.Local)
			}
			for _, a := range x.Attr {
				checkAttribute(t, name, a)
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			said[strings.Join(path, "/")] += string(x)
		}
	}
	if said["svg/title"] != title || said["svg/desc"] == "" {
		t.Errorf("%s is called %q and described as %q", name, said["svg/title"], said["svg/desc"])
	}
}

var numbers = regexp.MustCompile(`-?[0-9.]+|[A-Za-z]+`)

func checkAttribute(t *testing.T, name string, a xml.Attr) {
	t.Helper()
	switch a.Name.Local {
	case "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "viewBox", "d", "transform":
		for _, part := range numbers.FindAllString(a.Value, -1) {
			if strings.ContainsAny(part[:1], "-0123456789.") {
				if v, err := strconv.ParseFloat(part, 64); err != nil || math.Abs(v) > 20000 {
					t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
				}
			} else if !strings.Contains("M L translate rotate", part) {
				t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
			}
		}
		if (a.Name.Local == "width" || a.Name.Local == "height") && strings.HasPrefix(a.Value, "-") {
			t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
		}
	case "class", "role", "xmlns", "aria-labelledby", "aria-describedby", "id":
	default:
		t.Errorf("%s has the attribute %s", name, a.Name.Local)
	}
}

// TestScale: axes have few ticks at round values that cover what is drawn.
func TestScale(t *testing.T) {
	for _, test := range []struct{ low, high float64 }{{0, 1}, {0, 94.7}, {-13, 0}, {0, .0037}, {-0.2, 0.3}, {5, 5}, {0, 1e9}, {math.Inf(1), math.Inf(-1)}} {
		s := newScale(Axis{}, test.low, test.high, 0, 100)
		ticks := s.ticks()
		if len(ticks) < 2 || len(ticks) > 12 {
			t.Errorf("%v: ticks %v", test, ticks)
		}
		for _, v := range []float64{test.low, test.high} {
			if at := s.at(v); !math.IsInf(v, 0) && (at < -1e-6 || at > 100+1e-6) {
				t.Errorf("%v: %v is at %v", test, v, at)
			}
		}
		seen := map[string]bool{}
		for _, v := range ticks {
			if label := wording.Decimal(v, s.decimals); seen[label] {
				t.Errorf("%v: two ticks are %s", test, label)
			} else {
				seen[label] = true
			}
		}
	}
}

func TestFit(t *testing.T) {
	for _, s := range []string{"", "short", "a rather long name of a system", strings.Repeat("指", 50), strings.Repeat("م", 80)} {
		for _, room := range []float64{10, 60, 300} {
			if got := fit(s, room); textWidth(got) > room+12.5 || got != s && !strings.HasSuffix(got, "…") {
				t.Errorf("%q in %v: %q", s, room, got)
			}
		}
	}
}
