package setup

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

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
	if got := strings.Join(hrefs, " "); got != "jsonl ratings rate mqm-tsv pearmut csv gold gold-jsonl mtme - - - -" {
		t.Errorf("downloads: %s", got)
	}
}

// TestExportOfSegments: where segments are rated themselves, no card counts the system without a name that they hang on.
func TestExportOfSegments(t *testing.T) {
	inspect, _ := protocol.Lookup("inspect")
	doc, _ := pagetest.Written(t, Export(ExportView{Page: pagetest.LeadPage("researcher"), Segments: 3, Systems: 1, InGold: 1, Ratings: 8, Protocol: inspect}))
	if text := pagetest.Words(doc.Find(".export")); !strings.Contains(text, "3 segments") || strings.Contains(text, "1 system") {
		t.Errorf("the cards say %q", text)
	}
}

// TestExportChoices: choices stand in the addresses of files that leave one, and letters come with their key.
func TestExportChoices(t *testing.T) {
	rate, _ := protocol.Lookup("rate")
	v := ExportView{Page: pagetest.LeadPage("researcher"), Segments: 3, Systems: 2, InGold: 1, Ratings: 8, Metrics: 1, Protocol: rate, Choices: []templates.Choice{
		{Name: "systems", Label: "Systems", Value: "letters", Options: []templates.Option{{Value: "names", Label: "have their names"}, {Value: "letters", Label: "are letters"}}},
	}}
	doc, _ := pagetest.Written(t, Export(v))
	for href, want := range map[string]int{"export/ratings?systems=letters": 1, "export/scores": 1, "export/systems.json": 1, "export/ratings": 0} {
		if n := doc.Find(`a[href="/campaigns/ment/` + href + `"]`).Length(); n != want {
			t.Errorf("%d links lead to %s, want %d", n, href, want)
		}
	}
	if said := pagetest.Words(doc.Find("details summary")); said != "Choices: Systems are letters" {
		t.Errorf("the page says %q", said)
	}
}
