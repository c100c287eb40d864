package annotating

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
	"annotate/web/templates/pagetest"
)

// TestGuideBands: a level that stands for a range of scores is shown with it.
func TestGuideBands(t *testing.T) {
	for id, want := range map[string]string{
		"rate": "0–29 30–49 50–69 70–89 90–100 0–29 30–49 50–69 70–89 90–100", "esa": "0 33 66 100", "sqm": "0 1 2 3 4", "mqm": "", "inspect": "1 2 3 4 5", "culture": "", "terms": "",
	} {
		p, _ := protocol.Lookup(id)
		doc, _ := pagetest.Written(t, guideBody(p, ""))
		got := doc.Find(".levels-value").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", id, strings.Join(got, " "), want)
		}
		if len(doc.Find("h3").FilterFunction(func(_ int, s *goquery.Selection) bool { return s.Next().Is("dl:empty") }).Nodes) > 0 {
			t.Errorf("%s: a heading has nothing below it", id)
		}
		if id == "inspect" && doc.Find("h3").First().Text() != "Keep the sentence?" {
			t.Errorf("the first question of the guide is %q", doc.Find("h3").First().Text())
		}
		if id == "culture" && !strings.Contains(pagetest.Words(doc.Find("dl")), "translated word by word, and its usual sense is lost") {
			t.Error("the guide does not say what the errors of terms are")
		}
		if p.Spans != nil && len(p.Spans.Severities) > 0 && !strings.Contains(pagetest.Words(doc.Find("dl")), p.Spans.Severities[0].Text) {
			t.Errorf("%s: the guide does not say what %s is for", id, p.Spans.Severities[0].Name)
		}
	}
	p, _ := protocol.Lookup("terms")
	doc, _ := pagetest.Written(t, guideBody(p, ""))
	first := doc.Find(".guide-example").First()
	if got := first.Find(".example-given").Text(); !strings.Contains(got, "Schultüte: Material, in the source") || !strings.Contains(got, "paper cone: Material, in the reference") {
		t.Errorf("the marks of an example read %q", got)
	}
	if got := first.Find(".text .sv-term").Length(); got != 2 {
		t.Errorf("%d marks are drawn in the texts of an example, want the term and its counterpart", got)
	}
	s := protocol.Score{Min: 0, Max: 100, Levels: []protocol.Level{{Value: 0, To: 29, Name: "poor"}, {Value: 30, Name: "just so"}}}
	for value, want := range map[string]string{"0": "poor", "29": "poor", "30": "just so", "31": "", "": "", "x": ""} {
		if got := levelName(s, value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}
