package setup

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
	"annotate/web/templates/pagetest"
)

// The ratings of the export page are those of the campaign, not of the segments in gold.
func TestExportCountsRatings(t *testing.T) {
	v := ExportView{Segments: 12, InGold: 8, Ratings: 64}
	if got := v.lead(); got != "8 of 12 segments (67%) are in gold. Annotators gave 64 ratings in all rounds." {
		t.Errorf("got %q", got)
	}
}

func TestExportLinks(t *testing.T) {
	sqm, _ := protocol.Lookup("sqm")
	doc, _ := pagetest.Written(t, Export(ExportView{Page: pagetest.LeadPage("researcher"), Segments: 3, Systems: 2}))
	var hrefs []string
	doc.Find(".exports a").Each(func(_ int, s *goquery.Selection) { hrefs = append(hrefs, s.AttrOr("href", "")) })
	if got := strings.Join(hrefs, " "); got != "/campaigns/ment/export/jsonl /campaigns/ment/export/mtme /campaigns/ment/export/mtme/left-out" {
		t.Errorf("before the first rating: %s", got)
	}
	doc, _ = pagetest.Written(t, Export(ExportView{Page: pagetest.LeadPage("researcher"), Segments: 3, InGold: 2, Ratings: 8, Protocol: sqm}))
	if doc.Find(`a[href="/campaigns/ment/export/ment.systems.json"]`).Length() != 1 {
		t.Error("no link to the names of the systems")
	}
	if got := doc.Find(".export:contains('Gold, MENT') .export-holds").Text(); strings.TrimSpace(got) != "2 of 3 segments in gold" {
		t.Errorf("holds %q", got)
	}
}

func TestExportCards(t *testing.T) {
	rate, _ := protocol.Lookup("rate")
	doc, _ := pagetest.Written(t, Export(ExportView{Page: pagetest.LeadPage("researcher"), Segments: 3, Systems: 2, InGold: 1, Ratings: 8, Protocol: rate}))
	var hrefs []string
	doc.Find(".export").Each(func(_ int, s *goquery.Selection) {
		if name := pagetest.Words(s.Find("h2")); pagetest.Words(s.Find("p.muted")) == "" {
			t.Errorf("nothing is said of %s", name)
		}
		hrefs = append(hrefs, strings.TrimPrefix(s.Find("a").AttrOr("href", "-"), "/campaigns/ment/export/"))
	})
	if got := strings.Join(hrefs, " "); got != "jsonl ratings rate mqm-tsv csv gold gold-jsonl mtme - - - -" {
		t.Errorf("downloads: %s", got)
	}
}
