package templates

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
	"annotate/internal/readmodel"
)

func everyProtocol() []*protocol.Protocol {
	var out []*protocol.Protocol
	for _, id := range protocol.IDs() {
		p, _ := protocol.Lookup(id)
		out = append(out, p)
	}
	return out
}

func TestNewCampaignSaysWhatIsAsked(t *testing.T) {
	doc, _ := written(t, NewCampaign(NewCampaignView{Page: leadPage(""), Protocols: everyProtocol(), Form: EmptyCampaignForm(sqm(t))}))
	for id, want := range map[string]string{
		"sqm": "Score: 0–4. No errors are marked.", "esa": "Score: 0–100. Errors: Minor and Major.",
		"mqm":  "No score is entered: it follows from the errors. Errors: Neutral, Minor and Major, in 8 categories.",
		"rate": "Scores: Accuracy 0–100 and Fluency 0–100. Errors: 1 Negligible, 2 Slight, 3 Moderate, 4 Serious and 5 Critical, in 11 categories.",
	} {
		got := words(doc.Find("label.pick:has(input[value=" + id + "])"))
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", id, got, want)
		}
	}
	if got := words(doc.Find("#gate-help")); !strings.HasSuffix(got, "Usual: SQM: on; ESA, MQM and RATE: report.") {
		t.Errorf("the usual gate: %q", got)
	}
}

func TestImportFormats(t *testing.T) {
	all := []string{"jsonl", "table", "ment", "ratings", "mqm-tsv", "scores", "references", "suggestions", "judgements"}
	for _, p := range everyProtocol() {
		doc, _ := written(t, Import(ImportView{Page: leadPage("lead"), Protocol: p}))
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
			if id := s.Find("input").AttrOr("value", ""); words(s.Find("small")) == "" || s.Find(".example").Text() == "" {
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
	doc, _ := written(t, Import(ImportView{Page: leadPage("lead"), Report: &r}))
	facts := map[string]string{}
	doc.Find(".result .facts > div").Each(func(_ int, s *goquery.Selection) { facts[words(s.Find("dt"))] = words(s.Find("dd > ul")) })
	for term, want := range map[string]string{"New severities (1)": "grim", "New categories (2)": "Odd/<b>x</b> Mood", "Metrics (1)": "BLEU-refA", "Notes": "a note <i>another</i>", "New annotators (1)": "rater1"} {
		if facts[term] != want {
			t.Errorf("%s: %q, want %q", term, facts[term], want)
		}
	}
	if got := words(doc.Find(".tiles")); got != "Segments added to 2 Ratings 3 Metric scores 1,200 7 in the place of earlier ones" {
		t.Errorf("tiles: %s", got)
	}
	doc, _ = written(t, Import(ImportView{Page: leadPage("lead"), Report: &readmodel.ImportReport{Ratings: 3}}))
	if got := words(doc.Find(".result .facts")); got != "" {
		t.Errorf("with nothing new the report names %q", got)
	}
}

func TestExportCards(t *testing.T) {
	rate, _ := protocol.Lookup("rate")
	doc, _ := written(t, Export(ExportView{Page: leadPage("researcher"), Segments: 3, Systems: 2, InGold: 1, Ratings: 8, Protocol: rate}))
	var hrefs []string
	doc.Find(".export").Each(func(_ int, s *goquery.Selection) {
		if name := words(s.Find("h2")); words(s.Find("p.muted")) == "" {
			t.Errorf("nothing is said of %s", name)
		}
		hrefs = append(hrefs, strings.TrimPrefix(s.Find("a").AttrOr("href", "-"), "/campaigns/ment/export/"))
	})
	if got := strings.Join(hrefs, " "); got != "jsonl ratings rate mqm-tsv csv gold gold-jsonl mtme - - - -" {
		t.Errorf("downloads: %s", got)
	}
}

// TestGuideBands: a level that stands for a range of scores is shown with it.
func TestGuideBands(t *testing.T) {
	for id, want := range map[string]string{
		"rate": "0–29 30–49 50–69 70–89 90–100 0–29 30–49 50–69 70–89 90–100", "esa": "0 33 66 100", "sqm": "0 1 2 3 4", "mqm": "",
	} {
		p, _ := protocol.Lookup(id)
		doc, _ := written(t, guideBody(p, ""))
		got := doc.Find(".levels-value").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", id, strings.Join(got, " "), want)
		}
		if p.Spans != nil && !strings.Contains(words(doc.Find("dl")), p.Spans.Severities[0].Text) {
			t.Errorf("%s: the guide does not say what %s is for", id, p.Spans.Severities[0].Name)
		}
	}
	s := protocol.Score{Min: 0, Max: 100, Levels: []protocol.Level{{Value: 0, To: 29, Name: "poor"}, {Value: 30, Name: "just so"}}}
	for value, want := range map[string]string{"0": "poor", "29": "poor", "30": "just so", "31": "", "": "", "x": ""} {
		if got := levelName(s, value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}
