package monitoring

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

func smallOverview(t *testing.T, role string) OverviewView {
	t.Helper()
	return OverviewView{
		Page: pagetest.LeadPage(role), Clock: templates.Clock{Now: pagetest.Noon}, Settings: campaign.DefaultSettings(pagetest.Sqm(t)), IdleDays: 3,
		Standing: readmodel.Standing{Ratings: 30, OpenProblems: 2, Segments: readmodel.Counts{campaign.Agreed: 6, campaign.Reannotate: 1, campaign.Pending: 3}},
		Annotators: []AnnotatorRow{
			{Login: "ben", Today: 100, Second: 1, LastSeen: pagetest.Noon.Add(-time.Hour)},
			{Login: "mara", Name: "Mara", LastSeen: pagetest.Noon.AddDate(0, 0, -4)},
			{Login: "gone", Removed: true, LastSeen: pagetest.Noon.AddDate(0, 0, -9)},
		},
	}
}

func TestOverviewDecisions(t *testing.T) {
	doc, _ := pagetest.Written(t, Overview(smallOverview(t, "lead")))
	got := doc.Find(".decision").Map(func(_ int, s *goquery.Selection) string {
		return strings.Join(strings.Fields(s.Find("p").Text()), " ") + " > " + s.Find("a").AttrOr("href", "")
	})
	want := []string{
		"2 problems wait for an answer; their segments are set aside until then. > /campaigns/ment/messages?show=problems",
		"1 second look waits in annotators' work; it comes before new segments. > /campaigns/ment/queue",
		"1 annotator did nothing for 3 days or more: Mara. > /campaigns/ment/annotators?show=idle",
		"Quota reached today by ben (100 ratings). > /campaigns/ment/annotators?show=quota",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := doc.Find(".desk-panel .bar").AttrOr("aria-label", ""); got != "Segments by status: 6 agreed, 1 second look, 3 pending" {
		t.Errorf("the bar says %q", got)
	}
	if got := doc.Find(`.legend a[href="/campaigns/ment/segments?status=agreed"]`).Text(); got != "6 agreed" {
		t.Errorf("the legend says %q", got)
	}
	if n := doc.Find(`form[action="/campaigns/ment/state"]`).Length(); n != 2 {
		t.Errorf("%d forms change the state, want pause and close", n)
	}
}

// The list of campaigns names what the overview names.
func TestListNamesDecisions(t *testing.T) {
	v := smallOverview(t, "lead")
	v.Annotators[0].Flags = []campaign.Flag{{Kind: campaign.FlagFast}}
	doc, _ := pagetest.Written(t, Campaigns(CampaignsView{Page: pagetest.LeadPage("lead"), Campaigns: []OverviewView{v}}))
	got := doc.Find("tbody .names li").Map(func(_ int, s *goquery.Selection) string {
		return strings.TrimSpace(s.Text()) + " > " + s.Find("a").AttrOr("href", "")
	})
	want := []string{
		"2 problems open > /campaigns/ment/messages?show=problems",
		"1 second look to come > /campaigns/ment/queue",
		"ben: much faster than everybody > /campaigns/ment/annotators/ben#last-title",
		"1 annotator idle > /campaigns/ment/annotators?show=idle",
		"quota reached by 1 annotator > /campaigns/ment/annotators?show=quota",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// If every segment is settled but a segment waits for an adjudicator or a question for an answer, the
// page does not call the campaign settled.
func TestOverviewOfSettledCampaign(t *testing.T) {
	settled := func(change func(*OverviewView)) bool {
		v := smallOverview(t, "lead")
		v.OpenProblems, v.Segments = 0, readmodel.Counts{campaign.Agreed: 6, campaign.Discarded: 1}
		change(&v)
		doc, _ := pagetest.Written(t, Overview(v))
		return strings.Contains(doc.Find(".decision").Text(), "Close the campaign")
	}
	if !settled(func(*OverviewView) {}) {
		t.Error("a settled campaign is not called so")
	}
	if settled(func(v *OverviewView) { v.ToAdjudicate = 1 }) || settled(func(v *OverviewView) { v.OpenProblems = 1 }) {
		t.Error("a campaign is called settled while somebody is waited for")
	}
}

// A name that ends with a full stop ends a sentence with one.
func TestOverviewNamesEndSentences(t *testing.T) {
	v := smallOverview(t, "lead")
	v.Annotators[1].Name = "Carl C."
	doc, _ := pagetest.Written(t, Overview(v))
	if got := doc.Find(".decision").Text(); !strings.Contains(got, "or more: Carl C.") || strings.Contains(got, "C..") {
		t.Errorf("got %q", got)
	}
}

// While a campaign is closed or paused, the overview does not say that second looks come before new
// segments or that a lead should remind somebody, because nobody works.
func TestOverviewOfClosedCampaign(t *testing.T) {
	for state, want := range map[campaign.State]string{
		campaign.Open:   "1 second look waits in annotators' work; it comes before new segments.|1 second look untouched for more than 24 h. Remind the annotators, or let somebody else take over.|1 annotator did nothing for 3 days or more: Mara.|Quota reached today by ben (100 ratings).",
		campaign.Paused: "1 second look is not complete, and cannot be while the campaign is paused.|Quota reached today by ben (100 ratings).",
		campaign.Closed: "1 second look is not complete, and cannot be while the campaign is closed.",
	} {
		v := smallOverview(t, "lead")
		v.OpenProblems, v.Late, v.Campaign.State = 0, 1, string(state)
		var got []string
		for _, d := range v.decisions() {
			got = append(got, d.What+" "+d.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q", state, strings.Join(got, "|"), want)
		}
	}
}

// Second looks that a reported problem holds back are told apart from those that come next.
func TestOverviewOfHeldSecondLooks(t *testing.T) {
	for looks, want := range map[int]string{
		1: "waits in annotators' work; it comes before new segments. A problem that an annotator reported holds it back.",
		3: "wait in annotators' work; they come before new segments. A problem that an annotator reported holds 1 of them back.",
	} {
		v := smallOverview(t, "lead")
		v.Segments[campaign.Reannotate], v.OpenProblems, v.Held = looks, 0, 1
		if got := v.decisions()[0].Text; got != want {
			t.Errorf("%d: got %q, want %q", looks, got, want)
		}
	}
}

func TestOverviewResearcher(t *testing.T) {
	doc, _ := pagetest.Written(t, Overview(smallOverview(t, "researcher")))
	if doc.Find("main form").Length() != 0 {
		t.Error("a researcher can change the campaign")
	}
	if doc.Find(`main a[href*="/messages"]`).Length() != 0 {
		t.Error("a researcher is led to a page they may not see")
	}
}

func TestOverviewFirstSteps(t *testing.T) {
	v := OverviewView{Page: pagetest.LeadPage("lead"), Settings: campaign.DefaultSettings(pagetest.Sqm(t))}
	doc, _ := pagetest.Written(t, Overview(v))
	if got := doc.Find(".step").Length(); got != 3 {
		t.Errorf("%d steps, want 3", got)
	}
	if doc.Find(".step-done").Length() != 0 {
		t.Error("a step of an empty campaign is done")
	}
	if doc.Find(`.step a[href="/campaigns/ment/import"]`).Length() != 1 {
		t.Error("no link to the import")
	}
	v.Segments = readmodel.Counts{campaign.Pending: 4}
	doc, _ = pagetest.Written(t, Overview(v))
	if got := doc.Find(".step-done strong").Text(); got != "Import segments" {
		t.Errorf("done: %q", got)
	}
}
