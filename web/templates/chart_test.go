package templates

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/wording"
)

// cellsOf is the text of a row of a table, cell by cell.
func cellsOf(row *goquery.Selection) string {
	return strings.Join(row.Find("th, td").Map(func(_ int, s *goquery.Selection) string {
		return strings.Join(strings.Fields(s.Text()), " ")
	}), " ")
}

// smallHeatmap is of three annotators: one pair agrees, one is undefined, one
// shares nothing.
func smallHeatmap() Heatmap {
	none := HeatCell{R: math.NaN()}
	ab := HeatCell{R: 0.698, Shared: 24, Href: "/pairs/a/b"}
	ac := HeatCell{R: math.NaN(), Shared: 2, Href: "/pairs/a/c"}
	return Heatmap{
		ID: "heat", Title: "Segment level", Names: []HeatName{{"Mara", "/mara"}, {"لينا", ""}, {"jonas", "/jonas"}},
		Cells: [][]HeatCell{{none, ab, ac}, {ab, none, none}, {ac, none, none}},
	}
}

func TestHeatTable(t *testing.T) {
	doc, _ := written(t, HeatTable(smallHeatmap()))
	cell := func(row, column int) *goquery.Selection {
		return doc.Find("tbody tr").Eq(row).Find("td").Eq(column)
	}
	for _, tt := range []struct {
		row, column                int
		class, text, label, target string
	}{
		{0, 1, "heat-4", "0.70 24", "Mara and \u2068لينا\u2069: strong, r 0.70, 24 shared segments", "/pairs/a/b"},
		{1, 0, "heat-4", "0.70 24", "\u2068لينا\u2069 and Mara: strong, r 0.70, 24 shared segments", "/pairs/a/b"},
		{0, 2, "heat-undefined", "– 2", "Mara and jonas: r undefined, 2 shared segments", "/pairs/a/c"},
		{1, 2, "heat-blank", "", "", ""},
		{1, 1, "heat-self", "", "", ""},
	} {
		c := cell(tt.row, tt.column)
		text := strings.Join(strings.Fields(c.Text()), " ")
		label, target := c.Find("a").AttrOr("aria-label", ""), c.Find("a").AttrOr("href", "")
		if !c.HasClass(tt.class) || text != tt.text || label != tt.label || target != tt.target {
			t.Errorf("row %d, column %d: class %q, text %q, label %q, link %q", tt.row, tt.column, c.AttrOr("class", ""), text, label, target)
		}
	}
	if n := doc.Find("tbody th[scope=row]").Length(); n != 3 {
		t.Errorf("%d row heads, want 3", n)
	}
	if n := doc.Find("thead th[scope=col]").Length(); n != 3 {
		t.Errorf("%d column heads, want 3", n)
	}
}

// TestHeatStepTellsWhatIsPrinted: the colour is that of the two digits in the
// cell, for every r.
func TestHeatStepTellsWhatIsPrinted(t *testing.T) {
	for r := -1.0; r <= 1; r += 0.0005 {
		printed, err := strconv.ParseFloat(strings.Replace(wording.Decimal(r, 2), "−", "-", 1), 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := heatStepOf(r).Class, heatStepOf(printed).Class; got != want {
			t.Fatalf("r %v prints %v, whose colour is %s and not %s", r, printed, want, got)
		}
	}
	for r, want := range map[float64]string{1: "very strong", 0.9: "very strong", 0.89: "strong", 0.7: "strong", 0.69: "moderate", 0.3: "weak", 0: "hardly any", -0.001: "hardly any", -0.01: "opposed", -1: "opposed"} {
		if got := heatStepOf(r).Word; got != want {
			t.Errorf("r %v is %q, want %q", r, got, want)
		}
	}
}

func TestSmallMultiples(t *testing.T) {
	h := Histograms{ID: "scores", Label: "Scores by annotator", Whose: "Annotator", Bins: []string{"0", "1", "2", "3", "4"}, Beside: []int{1, 1, 2, 4, 2}, Said: "all",
		Panels: []Histogram{{Name: "Mara", Href: "/mara", Counts: []int{0, 0, 5, 5, 0}}, {Name: "new", Counts: []int{0, 0, 0, 0, 0}}}}
	doc, _ := written(t, SmallMultiples(h))
	if got := doc.Find("svg").Eq(0).AttrOr("aria-label", ""); got != "Mara: 2 50%, 3 50%" {
		t.Errorf("the first panel says %q", got)
	}
	if got := doc.Find("svg").Eq(1).AttrOr("aria-label", ""); got != "new: none" {
		t.Errorf("the second panel says %q", got)
	}
	bars := doc.Find("svg").Eq(0).Find("rect")
	if bars.Length() != 2 || bars.Eq(0).Find("title").Text() != "2: 5, 50%" {
		t.Errorf("%d bars, the first says %q", bars.Length(), bars.Eq(0).Find("title").Text())
	}
	// Half of all is the largest share of a bin anywhere, so these fill the height.
	if got := bars.Eq(0).AttrOr("height", ""); got != "64" {
		t.Errorf("the highest bar is %s high", got)
	}
	if got := cellsOf(doc.Find("tbody tr").Eq(0)); got != "Mara 0 0 5 5 0 10" {
		t.Errorf("the table says %q", got)
	}
	if got := cellsOf(doc.Find("tfoot tr")); got != "all 1 1 2 4 2 10" {
		t.Errorf("the last line says %q", got)
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
	inside := func(what string, c chartBar, width, height float64) {
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
			for _, c := range h.columns(p.Counts) {
				inside("histogram", c, histogramWidth, histogramHeight)
			}
		}
		c := DayChart{Bars: rng.IntN(2) == 0, Band: rng.Float64()}
		for i := range rng.IntN(200) {
			v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(6)-3))
			if c.Bars {
				v = math.Abs(v)
			} else if rng.IntN(5) == 0 {
				v = math.NaN()
			}
			c.Days = append(c.Days, DayValue{Day: noon.AddDate(0, 0, i-300).Format("2006-01-02"), Value: v})
		}
		for _, b := range c.columns() {
			inside("days", b, chartWidth, chartHeight)
		}
		for _, d := range c.dots() {
			var x, y float64
			if _, err := fmt.Sscanf(d.D, "M%f %fh0", &x, &y); err != nil || x < 0 || x > chartWidth || y < -0.01 || y > chartHeight+0.01 {
				t.Fatalf("dot %q is outside: %v", d.D, err)
			}
		}
		if len(c.drawn()) > daysDrawn {
			t.Fatalf("%d days are drawn", len(c.drawn()))
		}
	}
}

func TestDays(t *testing.T) {
	c := DayChart{ID: "drift", Label: "Difference to the others", Digits: 2, Band: 0.5,
		Days: []DayValue{{"2026-11-16", 0.25, 10}, {"2026-11-17", math.NaN(), 0}, {"2026-11-20", -0.75, 20}}}
	doc, _ := written(t, Days(c))
	if got := doc.Find("svg").AttrOr("aria-label", ""); got != "Difference to the others from 2026-11-16 to 2026-11-20: between −0.75 and +0.25" {
		t.Errorf("the chart says %q", got)
	}
	if doc.Find(".days-dot").Length() != 2 || doc.Find(".days-far title").Text() != "2026-11-20: −0.75" {
		t.Errorf("%d points, far: %q", doc.Find(".days-dot").Length(), doc.Find(".days-far title").Text())
	}
	var rows []string
	doc.Find("tbody tr").Each(func(_ int, s *goquery.Selection) { rows = append(rows, cellsOf(s)) })
	if got := strings.Join(rows, "; "); got != "2026-11-16 +0.25 10; 2026-11-17 – 0; 2026-11-20 −0.75 20" {
		t.Errorf("table: %s", got)
	}
	doc, _ = written(t, Days(DayChart{}))
	if got := doc.Find("p").Text(); got != "No day yet." {
		t.Errorf("without days: %q", got)
	}
}

func TestNiceCeil(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, -1: 1, 0.3: 0.5, 1: 1, 1.01: 2, 2.2: 2.5, 7: 10, 240: 250, 0.0021: 0.0025} {
		if got := niceCeil(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("niceCeil(%v) = %v, want %v", x, got, want)
		}
	}
}
