package setup

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web/templates/pagetest"
)

func TestImportResults(t *testing.T) {
	ps := &campaign.Problems{More: 7, List: []*campaign.Problem{{File: "a.jsonl", Line: 3, Column: 9, Field: "source", Msg: "must not be empty"}}}
	doc, _ := pagetest.Written(t, Import(ImportView{Page: pagetest.LeadPage("lead"), Problems: ps, Form: ImportForm{Format: "ment", LanguagePair: "zh-en", Check: true}}))
	if got := doc.Find(".result .notice").Text(); !strings.Contains(got, "8 problems. Nothing was stored.") {
		t.Errorf("notice = %q", got)
	}
	cells := doc.Find(".result tbody td").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
	if got := strings.Join(cells, "|"); got != "a.jsonl|3|9|source|must not be empty" {
		t.Errorf("row = %s", got)
	}
	form := doc.Find("main form")
	if form.AttrOr("enctype", "") != "multipart/form-data" || form.Find("[name=format][checked]").AttrOr("value", "") != "ment" || form.Find("[name=check][checked]").Length() != 1 || form.Find("#language_pair").AttrOr("value", "") != "zh-en" {
		t.Error("the form has lost what was chosen")
	}
	// The format was wrong, so none is proposed: the next try has to choose one.
	ps = &campaign.Problems{List: []*campaign.Problem{{File: "a.jsonl", Line: 1, Field: "format", Msg: "this looks like jsonl"}}}
	doc, _ = pagetest.Written(t, Import(ImportView{Page: pagetest.LeadPage("lead"), Problems: ps, Form: ImportForm{Format: "ment"}}))
	if n := doc.Find("main form [name=format][checked]").Length(); n != 0 {
		t.Errorf("%d formats chosen after a file in another one", n)
	}
	doc, _ = pagetest.Written(t, Import(ImportView{Page: pagetest.LeadPage("lead"), Form: ImportForm{Check: true}, Report: &readmodel.ImportReport{Segments: 1200}}))
	if got := doc.Find(".result").Text(); !strings.Contains(got, "nothing was stored") || !strings.Contains(got, "1,200") {
		t.Errorf("result = %q", got)
	}
}

func TestImportFormats(t *testing.T) {
	all := []string{"jsonl", "table", "ment", "ratings", "mqm-tsv", "scores", "references", "suggestions", "judgements"}
	for _, p := range pagetest.EveryProtocol() {
		doc, _ := pagetest.Written(t, Import(ImportView{Page: pagetest.LeadPage("lead"), Protocol: p}))
		var got []string
		doc.Find("[name=format]").Each(func(_ int, s *goquery.Selection) { got = append(got, s.AttrOr("value", "")) })
		want := strings.Join(all, " ")
		if p.ID != "mqm" {
			want = strings.Replace(want, " mqm-tsv", "", 1)
		}
		if p.Spans == nil {
			want = strings.Replace(want, " suggestions", "", 1)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: formats %s, want %s", p.ID, strings.Join(got, " "), want)
		}
		if got := doc.Find("[name=format][checked]").AttrOr("value", ""); got != "jsonl" {
			t.Errorf("%s: %q is chosen", p.ID, got)
		}
		doc.Find(".format").Each(func(_ int, s *goquery.Selection) {
			if id := s.Find("input").AttrOr("value", ""); pagetest.Words(s.Find("small")) == "" || s.Find("details:not([open]) .example").Text() == "" {
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

func TestImportReportNames(t *testing.T) {
	r := readmodel.ImportReport{Ratings: 3, Known: 2, MetricScores: 1200, Replaced: 7, Metrics: []string{"BLEU-refA"}, OwnSeverities: []string{"grim"}, OwnCategories: []string{"Odd/<b>x</b>", "Mood"}, Notes: []string{"a note", "<i>another</i>"}, NewAnnotators: []string{"rater1"}}
	doc, _ := pagetest.Written(t, Import(ImportView{Page: pagetest.LeadPage("lead"), Report: &r}))
	facts := map[string]string{}
	doc.Find(".result .facts > div").Each(func(_ int, s *goquery.Selection) {
		facts[pagetest.Words(s.Find("dt"))] = pagetest.Words(s.Find("dd > ul"))
	})
	for term, want := range map[string]string{"New severities (1)": "grim", "New categories (2)": "Odd/<b>x</b> Mood", "Metrics (1)": "BLEU-refA", "Notes": "a note <i>another</i>", "New annotators (1)": "rater1"} {
		if facts[term] != want {
			t.Errorf("%s: %q, want %q", term, facts[term], want)
		}
	}
	if got := pagetest.Words(doc.Find(".tiles")); got != "Segments added to 2 Ratings 3 Metric scores 1,200 7 in the place of earlier ones" {
		t.Errorf("tiles: %s", got)
	}
	doc, _ = pagetest.Written(t, Import(ImportView{Page: pagetest.LeadPage("lead"), Report: &readmodel.ImportReport{Ratings: 3}}))
	if got := pagetest.Words(doc.Find(".result .facts")); got != "" {
		t.Errorf("with nothing new the report names %q", got)
	}
}
