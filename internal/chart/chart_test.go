package chart

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"annotate/internal/wording"
)

// TestHeatStepTellsWhatIsPrinted: the colour is that of the two digits in the
// cell, for every r.
func TestHeatStepTellsWhatIsPrinted(t *testing.T) {
	for r := -1.0; r <= 1; r += 0.0005 {
		printed, err := strconv.ParseFloat(strings.Replace(wording.Decimal(r, 2), "−", "-", 1), 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := HeatStepOf(r).Number, HeatStepOf(printed).Number; got != want {
			t.Fatalf("r %v prints %v, whose step is %d and not %d", r, printed, want, got)
		}
	}
	for r, want := range map[float64]string{1: "very strong", 0.9: "very strong", 0.89: "strong", 0.7: "strong", 0.69: "moderate", 0.3: "weak", 0: "hardly any", -0.001: "hardly any", -0.01: "opposed", -1: "opposed"} {
		if got := HeatStepOf(r).Word; got != want {
			t.Errorf("r %v is %q, want %q", r, got, want)
		}
	}
}

// TestChartsStayInTheirFrame draws random data of every size: nothing lies
// outside of the drawing, and no coordinate is undefined.
func TestChartsStayInTheirFrame(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("coordinate %q", s)
		}
		return x
	}
	inside := func(what string, c Bar, width, height float64) {
		x, y, w, h := number(c.X), number(c.Y), number(c.Width), number(c.Height)
		if x < -1e-6 || y < -0.01 || x+w > width+0.02 || y+h > height+0.02 || w <= 0 || h <= 0 {
			t.Fatalf("%s: bar %+v is outside", what, c)
		}
	}
	for range 300 {
		h := Histograms{Panels: make([]Histogram, rng.IntN(21))}
		for i := range 1 + rng.IntN(30) {
			h.Bins = append(h.Bins, fmt.Sprint(i))
		}
		for i := range h.Panels {
			h.Panels[i].Counts = make([]int, len(h.Bins))
			for range rng.IntN(50) {
				h.Panels[i].Counts[rng.IntN(len(h.Bins))] += rng.IntN(1000)
			}
		}
		for _, p := range h.Panels {
			for _, c := range h.Columns(p.Counts) {
				inside("histogram", c, histogramWidth, histogramHeight)
			}
		}
		c := Days{Bars: rng.IntN(2) == 0, Band: rng.Float64()}
		for i := range rng.IntN(200) {
			v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(6)-3))
			if c.Bars {
				v = math.Abs(v)
			} else if rng.IntN(5) == 0 {
				v = math.NaN()
			}
			c.Values = append(c.Values, Day{Day: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).AddDate(0, 0, i-300).Format("2006-01-02"), Value: v})
		}
		for _, b := range c.Columns() {
			inside("days", b, daysWidth, daysHeight)
		}
		for _, d := range c.Dots() {
			var x, y float64
			if _, err := fmt.Sscanf(d.D, "M%f %fh0", &x, &y); err != nil || x < 0 || x > daysWidth || y < -0.01 || y > daysHeight+0.01 {
				t.Fatalf("dot %q is outside: %v", d.D, err)
			}
		}
		if len(c.Drawn()) > daysDrawn {
			t.Fatalf("%d days are drawn", len(c.Drawn()))
		}
	}
}

func TestNice(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, -1: 1, 0.3: 0.5, 1: 1, 1.01: 2, 2.2: 2.5, 7: 10, 240: 250, 0.0021: 0.0025} {
		if got := nice(x, 1, 2, 2.5, 5); math.Abs(got-want) > 1e-12 {
			t.Errorf("nice(%v) = %v, want %v", x, got, want)
		}
	}
}

// write has TestPalette write css/palette.css, as go generate does.
var write = flag.Bool("write", false, "write css/palette.css")

// TestPalette checks that the style sheets have the colours of the palette and the classes of
// figures, and that the palette has the colours of css/base.css.
func TestPalette(t *testing.T) {
	if *write {
		if err := os.WriteFile("../../web/static/css/palette.css", []byte(css()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("../../web/static/css/palette.css")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != css() {
		t.Error("css/palette.css is not what package chart says: run go generate ./internal/chart")
	}
	base, err := os.ReadFile("../../web/static/css/base.css")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Colour{"ink": ink, "soft": soft, "line": line, "edge": edge, "on-accent": onDeep} {
		if want := fmt.Sprintf("--%s: light-dark(%s, %s);", name, c.Light, c.Dark); !strings.Contains(string(base), want) {
			t.Errorf("css/base.css does not have %q", want)
		}
	}
	for _, file := range []string{"charts", "figure"} {
		text, err := os.ReadFile("../../web/static/css/" + file + ".css")
		if err != nil {
			t.Fatal(err)
		}
		if own := regexp.MustCompile(`#[0-9a-f]{3,6}\b`).Find(text); own != nil {
			t.Errorf("css/%s.css has the colour %s of its own", file, own)
		}
		for _, s := range styles {
			if file == "figure" && !strings.Contains(string(text), "."+s.class+" {") {
				t.Errorf("css/figure.css has no style for %s, which files have", s.class)
			}
		}
	}
}

// The bin with the largest share of all panels fills the height of its panel, 64, and all other bins have their part of it.
func TestHistogramHeights(t *testing.T) {
	h := Histograms{Bins: []string{"0", "1", "2"}, Panels: []Histogram{{Counts: []int{3, 1, 0}}, {Counts: []int{1, 1, 2}}}, Beside: []int{1, 1, 1}}
	for i, want := range []map[string]string{{"0": "64", "1": "21.33"}, {"0": "21.33", "1": "21.33", "2": "42.67"}} {
		got := map[string]string{}
		for _, bar := range h.Columns(h.Panels[i].Counts) {
			bin, _, _ := strings.Cut(bar.Words, ":")
			got[bin] = bar.Height
		}
		if !maps.Equal(got, want) {
			t.Errorf("the columns of panel %d have the heights %v, want %v", i+1, got, want)
		}
	}
}
