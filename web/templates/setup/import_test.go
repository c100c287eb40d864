package setup

import (
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/web/templates/pagetest"
)

func TestImportFormats(t *testing.T) {
	always := "  jsonl table text ment ratings [rate] [esa] [mqm-tsv] pearmut [appraise] mtme scores references [suggestions] judgements"
	only := map[string][]string{"sqm": nil, "esa": {"esa", "appraise", "suggestions"}, "mqm": {"mqm-tsv", "appraise", "suggestions"}, "rate": {"rate", "suggestions"}}
	for _, p := range pagetest.EveryProtocol() {
		doc, _ := pagetest.Written(t, Import(ImportView{Page: pagetest.LeadPage("lead"), Protocol: p}))
		var got []string
		doc.Find("[name=format]").Each(func(_ int, s *goquery.Selection) { got = append(got, s.AttrOr("value", "")) })
		want := always
		for _, id := range []string{"rate", "esa", "mqm-tsv", "appraise", "suggestions"} {
			if slices.Contains(only[p.ID], id) {
				want = strings.Replace(want, "["+id+"]", id, 1)
			} else {
				want = strings.Replace(want, "["+id+"] ", "", 1)
			}
		}
		want = want[1:]
		if p.OfSegments() { // other programs have no ratings of segments
			want = " jsonl table ratings scores references judgements"
		}
		if p.ID == "culture" { // its terms are given, and Pearmut asks no questions
			want = " jsonl table text ment ratings mtme scores references terms judgements"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: formats %s, want %s", p.ID, strings.Join(got, " "), want)
		}
		if got := doc.Find("[name=format][checked]").AttrOr("value", ""); got != "" {
			t.Errorf("%s: %q is chosen", p.ID, got)
		}
		doc.Find(".format").Each(func(_ int, s *goquery.Selection) {
			if id := s.Find("input").AttrOr("value", ""); pagetest.Words(s.Find("small")) == "" || id != "" && s.Find("details:not([open]) .example").Text() == "" {
				t.Errorf("%s: nothing is said of the format %s", p.ID, id)
			}
		})
		example := doc.Find(".format:has([value=ratings]) .example").Text()
		for _, s := range p.Scores {
			if !strings.Contains(example, `"`+s.Name+`": `) {
				t.Errorf("%s: the example of a rating has no %s: %s", p.ID, s.Name, example)
			}
		}
		if strings.Contains(example, `"spans"`) != (p.Spans != nil) {
			t.Errorf("%s: the example of a rating is %s", p.ID, example)
		}
	}
}

// TestFirstSegments: a check shows the first segments as they were read, cut where they are long.
func TestFirstSegments(t *testing.T) {
	long := strings.Repeat("x", 2*shownText)
	s := campaign.Segment{DocID: "d", SegmentID: "7", SourceLang: "ar", Source: "مرحبا", TargetLang: "en"}
	for _, system := range []string{"A", "B", "C", "D", "E", "F"} {
		s.Translations = append(s.Translations, campaign.Translation{System: system, Text: long})
	}
	s.Translations[1].Text = ""
	doc, _ := pagetest.Written(t, firstSegments([]campaign.Segment{s}))
	if got := pagetest.Words(doc.Find("li")); !strings.HasPrefix(got, "d · 7 مرحبا A xxx") || !strings.Contains(got, "B (no translation)") || !strings.HasSuffix(got, "and 2 further translations") || strings.Contains(got, long) {
		t.Errorf("the page says %s", got)
	}
	if lang := doc.Find("[lang=ar]").Length(); lang != 1 {
		t.Errorf("%d texts are in the source language", lang)
	}
	itself := campaign.Segment{DocID: "d", SegmentID: "8", Source: "One.", Translations: []campaign.Translation{{}}, Candidates: []campaign.CandidateText{{Name: "c1", Text: "Eins."}}}
	doc, _ = pagetest.Written(t, firstSegments([]campaign.Segment{itself}))
	if got := pagetest.Words(doc.Find("li")); got != "d · 8 One. c1 Eins." {
		t.Errorf("of candidates the page says %q", got)
	}
}
