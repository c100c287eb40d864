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
		Page: pagetest.LeadPage(role), Settings: campaign.DefaultSettings(pagetest.Sqm(t)), IdleDays: 3,
		Standing: readmodel.Standing{Ratings: 30, OpenProblems: 2, Segments: readmodel.Counts{campaign.Agreed: 6, campaign.Reannotate: 1, campaign.Pending: 3}},
		Annotators: []AnnotatorRow{
			{Login: "ben", Today: 100, Second: 1, LastSeen: pagetest.Noon.Add(-time.Hour)},
			{Login: "mara", Name: "Mara", LastSeen: pagetest.Noon.AddDate(0, 0, -4)},
			{Login: "gone", Removed: true, LastSeen: pagetest.Noon.AddDate(0, 0, -9)},
		},
	}
}

// TestOverviewWithoutGate: no page says that a protocol without a gate has one.
func TestOverviewWithoutGate(t *testing.T) {
	terms := campaign.DefaultSettings(pagetest.Lookup(t, "terms"))
	if got := (OverviewView{Settings: terms}).lead(); !strings.Contains(got, "no gate") || strings.Contains(got, "0.7") {
		t.Errorf("the overview says %q", got)
	}
	if got := (GateSummary{Settings: terms}).gateLine(); !strings.Contains(got, "no gate") {
		t.Errorf("the agreement says %q", got)
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

// TestOverviewBeforeRatings: before the first rating, the overview says why segments are not handed out, beside what to do first.
func TestOverviewBeforeRatings(t *testing.T) {
	v := smallOverview(t, "lead")
	v.Standing, v.Waiting, v.Annotators = readmodel.Standing{Segments: readmodel.Counts{campaign.Pending: 9}}, readmodel.Waiting{LeftOut: 9, NotReady: 2, Unreferenced: 1}, nil
	v.OfSegments, v.Settings.Filter = true, "dificulty>=60"
	doc, _ := pagetest.Written(t, Overview(v))
	for _, want := range []string{
		"9 segments are not handed out: the filter dificulty>=60 leaves them out.",
		"2 segments are not handed out, because they have no candidates yet.",
		"1 segment has no reference, and annotators are asked about it.",
	} {
		if got := strings.Join(strings.Fields(doc.Find(".decisions").Text()), " "); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if doc.Find("#start-title").Length() != 1 {
		t.Error("what to do first is gone")
	}
}

// TestGateOfAnswers: where the gate compares answers, the overview and the heatmaps do not speak of r alone.
func TestGateOfAnswers(t *testing.T) {
	v := smallOverview(t, "lead")
	if got := v.lead(); !strings.Contains(got, "gate on at r ≥ 0.7") {
		t.Errorf("with scores: %s", got)
	}
	v.Settings.Nominal = true
	if got := v.lead(); !strings.Contains(got, "gate on: answers must be equal") || strings.Contains(got, "r ≥") {
		t.Errorf("with answers: %s", got)
	}
	system, segment := templates.Heatmap{ID: "system-level"}, templates.Heatmap{ID: "segment-level"}
	doc, _ := pagetest.Written(t, heatmaps(MatricesView{System: system, Segment: segment, Nominal: true}))
	if doc.Find("#system-level-title").Length() != 0 || doc.Find("#segment-level-title").Length() != 1 {
		t.Error("answers have a table of systems, whose cells are all undefined")
	}
	for _, nominal := range []bool{false, true} {
		gate := GateSummary{Nominal: nominal, Settings: campaign.Settings{Nominal: nominal}}
		page, _ := pagetest.Written(t, templates.Definitions(AgreementView{Gate: gate}.ofAnnotators()))
		with, _ := pagetest.Written(t, agreementWith(AnnotatorView{Page: pagetest.LeadPage("lead"), With: []AgreementWithRow{{Login: "lin"}}, Nominal: nominal}))
		for what, got := range map[string]bool{"definitions": strings.Contains(page.Text(), "System level"), "an annotator": strings.Contains(with.Text(), "System level"), "a pair": len(PairView{Gate: gate}.tiles()) > 1} {
			if got == nominal {
				t.Errorf("nominal %t: the levels of %s are %t", nominal, what, got)
			}
		}
	}
	if got := pagetest.Words(doc.Find(".under-note")); !strings.HasPrefix(got, "Answers have no r") {
		t.Errorf("the heatmaps say %q", got)
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

// What is named depends on what waits. A settled campaign is called so only if nobody is waited for.
func TestDecisionsOf(t *testing.T) {
	for _, c := range []struct {
		change func(*OverviewView)
		has    string
		lacks  string
	}{
		{func(v *OverviewView) { v.Stuck = 2 }, "2 segments have nobody left to rate them now", ""},
		{func(v *OverviewView) { v.Stuck, v.Annotators = 2, nil }, "Too few annotators", "nobody left to rate"},
		{func(v *OverviewView) { v.Overtaken = 3 }, "3 segments were rated after a lead had decided them", ""},
		{func(v *OverviewView) { v.ToAdjudicate, v.Adjudicating = 5, 2 }, "5 segments wait for an adjudicator; 2 of them are begun", ""},
		{func(v *OverviewView) { v.Held = 1 }, "A problem that an annotator reported holds it back.", ""},
		{func(v *OverviewView) { v.Segments[campaign.Reannotate], v.Held = 3, 1 }, "A problem that an annotator reported holds 1 of them back.", ""},
		{func(v *OverviewView) { v.Annotators[1].Name = "Carl C." }, "or more: Carl C.", "C.."},
		{func(v *OverviewView) { v.Segments = readmodel.Counts{campaign.Agreed: 6, campaign.Discarded: 1} }, "", "All segments are settled"},
		{func(v *OverviewView) { v.Segments, v.OpenProblems = readmodel.Counts{campaign.Agreed: 6}, 0 }, "All segments are settled", ""},
		{func(v *OverviewView) {
			v.Segments, v.OpenProblems, v.ToAdjudicate = readmodel.Counts{campaign.Agreed: 6}, 0, 1
		}, "", "All segments are settled"},
	} {
		v := smallOverview(t, "lead")
		c.change(&v)
		text := ""
		for _, d := range v.decisions() {
			text += d.What + " " + d.Text + "\n"
		}
		if !strings.Contains(text, c.has) || c.lacks != "" && strings.Contains(text, c.lacks) {
			t.Errorf("want %q and not %q in\n%s", c.has, c.lacks, text)
		}
	}
}
