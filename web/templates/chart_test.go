package templates_test

import (
	"math"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/chart"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

func TestHeatTable(t *testing.T) {
	doc, _ := pagetest.Written(t, templates.HeatTable(pagetest.SmallHeatmap()))
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

func TestSmallMultiples(t *testing.T) {
	h := chart.Histograms{ID: "scores", Label: "Scores by annotator", Whose: "Annotator", Bins: []string{"0", "1", "2", "3", "4"}, Beside: []int{1, 1, 2, 4, 2}, Said: "all",
		Panels: []chart.Histogram{{Name: "Mara", Href: "/mara", Counts: []int{0, 0, 5, 5, 0}}, {Name: "new", Counts: []int{0, 0, 0, 0, 0}}}}
	doc, _ := pagetest.Written(t, templates.SmallMultiples(h))
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
	if got := pagetest.CellsOf(doc.Find("tbody tr").Eq(0)); got != "Mara 0 0 5 5 0 10" {
		t.Errorf("the table says %q", got)
	}
	if got := pagetest.CellsOf(doc.Find("tfoot tr")); got != "all 1 1 2 4 2 10" {
		t.Errorf("the last line says %q", got)
	}
}

func TestDays(t *testing.T) {
	c := chart.Days{ID: "drift", Label: "Difference to the others", Digits: 2, Band: 0.5,
		Values: []chart.Day{{Day: "2026-11-16", Value: 0.25, N: 10}, {Day: "2026-11-17", Value: math.NaN(), N: 0}, {Day: "2026-11-20", Value: -0.75, N: 20}}}
	doc, _ := pagetest.Written(t, templates.Days(c))
	if got := doc.Find("svg").AttrOr("aria-label", ""); got != "Difference to the others from 2026-11-16 to 2026-11-20: between −0.75 and +0.25" {
		t.Errorf("the chart says %q", got)
	}
	if doc.Find(".days-dot").Length() != 2 || doc.Find(".days-far title").Text() != "2026-11-20: −0.75" {
		t.Errorf("%d points, far: %q", doc.Find(".days-dot").Length(), doc.Find(".days-far title").Text())
	}
	var rows []string
	doc.Find("tbody tr").Each(func(_ int, s *goquery.Selection) { rows = append(rows, pagetest.CellsOf(s)) })
	if got := strings.Join(rows, "; "); got != "2026-11-16 +0.25 10; 2026-11-17 – 0; 2026-11-20 −0.75 20" {
		t.Errorf("table: %s", got)
	}
	doc, _ = pagetest.Written(t, templates.Days(chart.Days{}))
	if got := doc.Find("p").Text(); got != "No day yet." {
		t.Errorf("without days: %q", got)
	}
}
