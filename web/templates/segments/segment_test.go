package segments

import (
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

func TestSegmentsLinks(t *testing.T) {
	v := SegmentsView{Page: pagetest.LeadPage("lead"), Paging: templates.Paging{Number: 2, Size: 1, Total: 3}, All: 9, Status: campaign.Pending, Domain: "a&b", Source: templates.Lang{Lang: "ar", Dir: "rtl"},
		Segments: []readmodel.Segment{{ID: "r/1", DocID: "d", SegmentID: "s", Source: "نص", Status: campaign.Pending}}}
	doc, _ := pagetest.Written(t, Segments(v))
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
	doc, _ = pagetest.Written(t, Segments(v))
	if got := doc.Find(".empty h2").Text(); got != "There is no such page" {
		t.Errorf("beyond the end = %q", got)
	}
	v.Paging.Total = 0
	doc, _ = pagetest.Written(t, Segments(v))
	if got := doc.Find(".empty h2").Text(); got != "No segment matches" {
		t.Errorf("empty state = %q", got)
	}
	doc, _ = pagetest.Written(t, Segments(SegmentsView{Page: pagetest.LeadPage("researcher")}))
	if got := doc.Find(".empty h2").Text(); got != "No segments yet" || doc.Find(".empty a").Length() != 0 {
		t.Errorf("empty state = %q, with %d links", got, doc.Find(".empty a").Length())
	}
}

func segmentView(t *testing.T, status campaign.Status) SegmentView {
	t.Helper()
	v := SegmentView{Page: pagetest.LeadPage("lead"), ID: "r1", Protocol: pagetest.Sqm(t), Settings: campaign.DefaultSettings(pagetest.Sqm(t))}
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
	doc, _ := pagetest.Written(t, Segment(segmentView(t, campaign.Agreed)))
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
		doc, _ := pagetest.Written(t, Segment(segmentView(t, status)))
		if got := doc.Find(form).Length(); got != want {
			t.Errorf("%s: %d forms to withdraw, want %d", status, got, want)
		}
	}
	v := segmentView(t, campaign.Pending)
	v.Act, v.Errors, v.Typed = ActWithdraw, map[string]string{"reason": "say why"}, map[string]string{"reason": " x"}
	doc, _ := pagetest.Written(t, Segment(v))
	if got := doc.Find(form + " #withdraw-reason-error").Text(); got != "say why" || doc.Find(".field-error").Length() != 1 {
		t.Errorf("error = %q", got)
	}
	if typed := doc.Find("details[open] [name=reason]").AttrOr("value", ""); typed != " x" || doc.Find("details[open]").Length() != 1 {
		t.Errorf("the form is not shown as it was sent: %q", typed)
	}
	v.Campaign.Role = "researcher"
	doc, _ = pagetest.Written(t, Segment(v))
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

// Whoever was replaced, set aside or gave up a place is not waited for, and not counted.
func TestHistoryCountsWhoIsWaitedFor(t *testing.T) {
	r := roundHistory{Round: 2, Wanted: true, Turns: []readmodel.Turn{
		{Login: "a", Round: 2, State: campaign.Submitted}, {Login: "b", Round: 2, State: campaign.Released, Replaced: true}, {Login: "c", Round: 2, State: campaign.InWork},
		{Login: "d", Round: 2, State: campaign.Released, SetAside: campaign.Submitted}, {Login: "e", Round: 2, State: campaign.Released},
	}}
	if got := r.title(); got != "Round 2: not complete, 1 of 3 submitted" {
		t.Errorf("got %q", got)
	}
	r = roundHistory{Round: 1, Wanted: true, Turns: []readmodel.Turn{{Login: "a", Round: 1, State: campaign.InWork}, {Login: "b", Round: 1, State: campaign.Released}}}
	if got := r.title(); got != "Round 1: not complete, 0 of 1 submitted" {
		t.Errorf("got %q", got)
	}
	// A place of round 1 that nobody has been given is still to be filled.
	v := SegmentView{Settings: campaign.Settings{Redundancy: 2}, Turns: []readmodel.Turn{{Login: "a", Round: 1, State: campaign.Submitted}}}
	v.Segment.Status, v.Segment.Round = campaign.Pending, 1
	if got := v.history()[0].title(); got != "Round 1: not complete, 1 of 2 submitted" {
		t.Errorf("got %q", got)
	}
}

// A round whose ratings count is never said to count nowhere: a mean of it may be gold.
func TestHistoryOfRoundThatCounts(t *testing.T) {
	v := SegmentView{Settings: campaign.Settings{Redundancy: 2}, Turns: []readmodel.Turn{
		{Login: "a", Round: 2, State: campaign.Submitted, Counts: true}, {Login: "b", Round: 2, State: campaign.Released, SetAside: campaign.Submitted},
	}}
	v.Segment.Status, v.Segment.Round = campaign.Adjudicated, 2
	if got := v.history()[1].title(); got != "Round 2: not complete, 1 of 1 submitted" {
		t.Errorf("got %q", got)
	}
	v.Turns[0].Counts = false
	if got := v.history()[1].title(); got != "Round 2: counts nowhere now" {
		t.Errorf("got %q", got)
	}
}

// A turn that is not submitted waits for nothing once a lead has decided the segment or its
// round is not wanted, and of a round without ratings none are said to be kept.
func TestHistoryOfRoundThatIsNotNeeded(t *testing.T) {
	v := SegmentView{Settings: campaign.Settings{Redundancy: 2}, Turns: []readmodel.Turn{
		{Login: "a", Round: 1, State: campaign.Submitted, Counts: true}, {Login: "b", Round: 1, State: campaign.Submitted, Counts: true},
		{Login: "a", Round: 2, State: campaign.InWork, Work: campaign.WorkKept, Begun: true}, {Login: "b", Round: 2, State: campaign.InWork, Work: campaign.WorkOver},
		{Login: "c", Round: 2, State: campaign.InWork, Work: campaign.WorkLate, Begun: true}, {Login: "d", Round: 2, State: campaign.InWork, Work: campaign.WorkAsked},
	}}
	v.Segment.Status, v.Segment.Round = campaign.Adjudicated, 1
	look := v.history()[1]
	if got, why := look.title(), v.unjudged(look); got != "Round 2: not needed now" || why != "The segment is decided without this round. Drafts are kept, and the annotators get it back if the round is wanted again." {
		t.Errorf("got %q, %q", got, why)
	}
	for i, want := range []string{"not needed now, drafts kept", "not needed now", "in work, not waited for", "waiting"} {
		if got := stateOf(look.Turns[i]); got != want {
			t.Errorf("the turn of %s is %q, want %q", look.Turns[i].Login, got, want)
		}
	}
	// Round 1 was complete once, and is asked for again.
	v.Segment.Status = campaign.Pending
	v.Turns[2].State = campaign.Submitted
	look = v.history()[1]
	if got, why := look.title(), v.unjudged(look); got != "Round 2: counts nowhere now" || why != "The segment does not need this round now. Its ratings are kept, and count again if the round is wanted again." {
		t.Errorf("got %q, %q", got, why)
	}
	v.Segment.Status, v.Segment.Round = campaign.Reannotate, 2
	if why := v.unjudged(v.history()[1]); why != "It is judged as soon as it is complete." {
		t.Errorf("under way: %q", why)
	}
	// Another look decides in its place.
	v.Segment.Round = 3
	v.Turns = append(v.Turns, readmodel.Turn{Login: "a", Round: 3, State: campaign.InWork, Work: campaign.WorkAsked})
	v.Turns[2].Counts = true
	if why := v.unjudged(v.history()[1]); why != "Another look decides without it." {
		t.Errorf("beside another look: %q", why)
	}
}

// An annotator is offered for the place of somebody else, and not for their own.
func TestNobodyIsOfferedTheirOwnPlace(t *testing.T) {
	v := SegmentView{Candidates: []Candidate{{Login: "a"}, {Login: "b"}},
		Turns: []readmodel.Turn{{Login: "a", Round: 2, State: campaign.Released}, {Login: "c", Round: 1, State: campaign.InWork}}}
	v.Segment.Status, v.Segment.Round = campaign.Reannotate, 2
	if got := v.successors(); len(got) != 1 || got[0].Login != "b" {
		t.Errorf("%v can take the place of a, want b", got)
	}
	v.Turns = append(v.Turns, readmodel.Turn{Login: "c", Round: 2, State: campaign.InWork})
	if got := v.successors(); len(got) != 2 {
		t.Errorf("%v can take the place of a or c, want a and b", got)
	}
}
