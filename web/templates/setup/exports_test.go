package setup

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
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
	if got := strings.Join(hrefs, " "); got != "jsonl ratings rate mqm-tsv csv gold gold-jsonl mtme - - - -" {
		t.Errorf("downloads: %s", got)
	}
}
