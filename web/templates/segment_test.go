package templates

import (
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
)

func TestSegmentsLinks(t *testing.T) {
	v := SegmentsView{Page: leadPage("lead"), Paging: Paging{2, 1, 3}, All: 9, Status: campaign.Pending, Domain: "a&b", Source: Lang{"ar", "rtl"},
		Segments: []readmodel.Segment{{ID: "r/1", DocID: "d", SegmentID: "s", Source: "نص", Status: campaign.Pending}}}
	doc, _ := written(t, Segments(v))
	// The link has the place in the list, so that the segment's page can lead to the next one.
	if doc.Find(`a[href="/campaigns/ment/segments/r%2F1?at=1&domain=a%26b&in=segments&status=pending"]`).Text() != "s" {
		t.Error("no link to the segment")
	}
	next, err := url.Parse(doc.Find(".pages a[rel=next]").AttrOr("href", ""))
	if err != nil || next.Query().Encode() != "domain=a%26b&page=3&status=pending" {
		t.Errorf("the next page is %q", next)
	}
	if got := doc.Find(".two-lines"); got.AttrOr("dir", "") != "rtl" || got.AttrOr("lang", "") != "ar" {
		t.Error("the source has lost its language")
	}
	if got := doc.Find(".lead").Text(); got != "3 of 9 segments match, in the order of import." {
		t.Errorf("lead = %q", got)
	}
	if doc.Find("#status option[selected]").AttrOr("value", "") != "pending" {
		t.Error("the form has lost the status")
	}
	v.Segments = nil
	doc, _ = written(t, Segments(v))
	if got := doc.Find(".empty h2").Text(); got != "There is no such page" {
		t.Errorf("beyond the end = %q", got)
	}
	v.Paging.Total = 0
	doc, _ = written(t, Segments(v))
	if got := doc.Find(".empty h2").Text(); got != "No segment matches" {
		t.Errorf("empty state = %q", got)
	}
	doc, _ = written(t, Segments(SegmentsView{Page: leadPage("researcher")}))
	if got := doc.Find(".empty h2").Text(); got != "No segments yet" || doc.Find(".empty a").Length() != 0 {
		t.Errorf("empty state = %q, with %d links", got, doc.Find(".empty a").Length())
	}
}

func segmentView(t *testing.T, status campaign.Status) SegmentView {
	t.Helper()
	v := SegmentView{Page: leadPage("lead"), ID: "r1", Protocol: sqm(t), Settings: campaign.DefaultSettings(sqm(t))}
	v.Segment = campaign.Segment{DocID: "d", SegmentID: "s", Source: "源", Status: status, Translations: []campaign.Translation{
		{System: "A", Text: "a", Gold: &campaign.Gold{Score: 10.0 / 3}, Ratings: []campaign.Rating{
			{Annotator: "mara", Round: 2, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 4}}},
			{Annotator: "mara", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 2}, Comment: "odd"}},
			{Annotator: "ben", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 3}}}}},
		{System: "B", Gold: &campaign.Gold{Score: 1, Adjudicated: true}},
	}}
	return v
}

func TestSegmentTable(t *testing.T) {
	doc, _ := written(t, Segment(segmentView(t, campaign.Agreed)))
	heads := doc.Find(".given-head").Map(func(_ int, s *goquery.Selection) string { return strings.TrimSpace(s.Text()) })
	if got := strings.Join(heads, "; "); got != "ben, round 1; mara, round 1; mara, round 2" {
		t.Errorf("columns: %s", got)
	}
	first := doc.Find(".ratings tbody tr").First()
	cells := first.Find(".given").Map(func(_ int, s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") })
	if got := strings.Join(cells, "; "); got != "3; 2 odd; 4" {
		t.Errorf("scores: %s", got)
	}
	gold := doc.Find(".gold").Map(func(_ int, s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") })
	if got := strings.Join(gold, "; "); got != "3.33; 1.00 mean accepted" {
		t.Errorf("gold: %s", got)
	}
	if !strings.Contains(doc.Find(".ratings").Text(), "(no translation)") {
		t.Error("an empty translation is not named")
	}
}

func TestSegmentWithdraw(t *testing.T) {
	const form = `form[action="/campaigns/ment/segments/r1/withdraw"]`
	for status, want := range map[campaign.Status]int{campaign.Pending: 1, campaign.Reannotate: 1, campaign.Agreed: 0, campaign.Withdrawn: 0} {
		doc, _ := written(t, Segment(segmentView(t, status)))
		if got := doc.Find(form).Length(); got != want {
			t.Errorf("%s: %d forms to withdraw, want %d", status, got, want)
		}
	}
	v := segmentView(t, campaign.Pending)
	v.Act, v.Errors, v.Typed = ActWithdraw, map[string]string{"reason": "say why"}, map[string]string{"reason": " x"}
	doc, _ := written(t, Segment(v))
	if got := doc.Find(form + " #withdraw-reason-error").Text(); got != "say why" || doc.Find(".field-error").Length() != 1 {
		t.Errorf("error = %q", got)
	}
	if typed := doc.Find("details[open] [name=reason]").AttrOr("value", ""); typed != " x" || doc.Find("details[open]").Length() != 1 {
		t.Errorf("the form is not shown as it was sent: %q", typed)
	}
	v.Campaign.Role = "researcher"
	doc, _ = written(t, Segment(v))
	if doc.Find("main form").Length() != 0 {
		t.Error("a researcher can withdraw a segment")
	}
}

func TestRText(t *testing.T) {
	for _, tt := range []struct {
		r, threshold float64
		passed       bool
		want         string
	}{
		{0.912, 0.7, true, "r = 0.91"},
		{0.6987, 0.7, false, "r = 0.699"}, // 0.70 would read as passed
		{0.7, 0.7, true, "r = 0.70"},
		{-0.121, 0.7, false, "r = −0.12"},
		{0.65, 0.6, false, "r = 0.65"},       // the threshold was another one then
		{0.7 - 1e-13, 0.7, true, "r = 0.70"}, // within the gate's slack
	} {
		if got := rText(campaign.Pair{R: &tt.r, Passed: tt.passed}, tt.threshold); got != tt.want {
			t.Errorf("r %v at %v: got %q, want %q", tt.r, tt.threshold, got, tt.want)
		}
	}
}
