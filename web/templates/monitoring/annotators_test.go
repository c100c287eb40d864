package monitoring

import (
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

var drifts = []campaign.Flag{{Kind: campaign.FlagDrift, Label: "drifts", Text: "the difference went from +0.00 to +0.75"}}

func smallAnnotators() AnnotatorsView {
	return AnnotatorsView{
		Page: pagetest.LeadPage("lead"), Paging: templates.Paging{Number: 1, Size: 50, Total: 2}, All: 3, Text: "a b", Sort: "drift", Down: true, Quota: 100, IdleDays: 3, IdleSeconds: 60,
		Annotators: []AnnotatorRow{
			{Login: "mara", Name: "Mara", Ratings: 120, Segments: 40, Seconds: 3600, Today: 100, LastSeen: pagetest.Noon, Mean: 2.5, Deviation: 1, Compared: 60, Difference: 0.25, LeaveOneOut: 0.8, Drift: 0.75, Flags: drifts},
			{Login: "لينا", SetAside: true},
		},
		Sum: AnnotatorRow{Ratings: 120, Segments: 40, Seconds: 3600, Today: 100},
	}
}

func TestAnnotatorTable(t *testing.T) {
	v := smallAnnotators()
	doc, _ := pagetest.Written(t, Annotators(v))
	if got, want := pagetest.CellsOf(doc.Find("tbody tr").Eq(0)), "Maradriftsmara 120 40 30 s 120 1.0 h 2.50 1.00 +0.25 0.80 +0.75 100 of 100 quota reached 0 today 12:00 Set aside"; strings.Join(strings.Fields(got), " ") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := pagetest.CellsOf(doc.Find("tbody tr").Eq(1)), "ليناset aside 0 0 – – – – – – – – 0 of 100 0 never Restore"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := doc.Find("thead th[aria-sort]"); got.Length() != 1 || got.Text() != "Drift" || got.AttrOr("aria-sort", "") != "descending" {
		t.Errorf("sorted by %q, %s", got.Text(), got.AttrOr("aria-sort", ""))
	}
	if got := doc.Find(".lead").Text(); got != "2 of 3 annotators, sorted by “Drift”, the largest first." {
		t.Errorf("lead = %q", got)
	}
	query := func(label string) string {
		link := doc.Find("thead a").FilterFunction(func(_ int, s *goquery.Selection) bool { return s.Text() == label })
		u, err := url.Parse(link.AttrOr("href", ""))
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Encode()
	}
	if got := query("Drift"); got != "order=up&sort=drift&text=a+b" {
		t.Errorf("the column it is sorted by leads to %s", got)
	}
	if got := query("Mean"); got != "order=down&sort=mean&text=a+b" {
		t.Errorf("a column of numbers leads to %s", got)
	}
	if got := query("Annotator"); got != "order=up&sort=login&text=a+b" {
		t.Errorf("the names lead to %s", got)
	}
	if got := doc.Find(`a[href="/campaigns/ment/annotators/mara/set-aside"]`).Length(); got != 1 {
		t.Errorf("%d links to set Mara's work aside", got)
	}
	v.Campaign.Role = "researcher"
	doc, _ = pagetest.Written(t, Annotators(v))
	if doc.Find(`a[href$="/set-aside"], a[href$="/restore"]`).Length() != 0 {
		t.Error("a researcher is led to an act")
	}
}

func TestAnnotatorShows(t *testing.T) {
	clock := templates.Clock{Now: pagetest.Noon}
	rows := map[string]AnnotatorRow{
		"busy":    {Ratings: 100, Today: 90, Checked: 10, LastSeen: pagetest.Noon},
		"idle":    {Ratings: 5, LastSeen: pagetest.Noon.AddDate(0, 0, -4)},
		"new":     {},
		"drifts":  {Ratings: 60, LastSeen: pagetest.Noon, Flags: drifts},
		"aside":   {Ratings: 5, LastSeen: pagetest.Noon.AddDate(0, 0, -9), SetAside: true},
		"removed": {Removed: true},
		"second":  {Ratings: 5, LastSeen: pagetest.Noon, Second: 1},
	}
	for show, want := range map[string]string{
		"": "aside busy drifts idle new removed second", "working": "busy", "idle": "idle", "waiting": "new",
		"flagged": "drifts", "drift": "drifts", "bias": "", "quota": "busy", "second": "second", "aside": "aside", "removed": "removed",
	} {
		var got []string
		for _, name := range []string{"aside", "busy", "drifts", "idle", "new", "removed", "second"} {
			if rows[name].Shows(show, clock, 100, 3) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q shows %v, want %s", show, got, want)
		}
	}
	for _, o := range ShowOptions(3) {
		if n := len(o.Label); n == 0 {
			t.Errorf("%q has no name", o.Value)
		}
	}
}

func TestForecast(t *testing.T) {
	for _, tt := range []struct {
		f           readmodel.Standing
		value, note string
	}{
		{readmodel.Standing{Open: 1440, RatingsPerDay: 240}, "about 6 days", "at 240 a day; 1,440 ratings to go"},
		{readmodel.Standing{Open: 10, RatingsPerDay: 10}, "about 1 day", "at 10 a day; 10 ratings to go"},
		{readmodel.Standing{Open: 1, RatingsPerDay: 2.5}, "under a day", "at 2.5 a day; 1 rating to go"},
		{readmodel.Standing{Open: 7, RatingsPerDay: math.NaN()}, "–", "known after a day’s work in the last 7 days; 7 ratings to go"},
		{readmodel.Standing{RatingsPerDay: math.NaN()}, "done", "no rating is open"},
		{readmodel.Standing{Segments: readmodel.Counts{campaign.Agreed: 7, campaign.Discarded: 1}, RatingsPerDay: 240}, "done", "no rating is open"},
		{readmodel.Standing{Segments: readmodel.Counts{campaign.Agreed: 7, campaign.Reannotate: 2}, RatingsPerDay: 240}, "–", "nobody is asked for the 2 segments that are not settled"},
	} {
		if got := forecast(tt.f, OverviewView{Standing: tt.f}.unsettled(), ""); got.Value != tt.value || got.Note != tt.note {
			t.Errorf("%+v: %q, %q", tt.f, got.Value, got.Note)
		}
	}
}

func TestOverviewNamesFlags(t *testing.T) {
	v := smallOverview(t, "lead")
	low := campaign.Flag{Kind: campaign.FlagLowAgreement, Label: "agrees little", Text: "mean segment r with the others is −0.90 over 30 segments, below 0.3"}
	v.Annotators[0].Flags = []campaign.Flag{low}
	v.Annotators[1].Flags = append([]campaign.Flag{low}, drifts...)
	v.Annotators = append(v.Annotators, AnnotatorRow{Login: "aside", SetAside: true, Flags: drifts}, AnnotatorRow{Login: "new"})
	v.Segments[campaign.Discarded], v.Failed = 3, 1 // a lead has discarded two
	doc, _ := pagetest.Written(t, Overview(v))
	said := strings.Join(strings.Fields(doc.Find(".decisions").Text()), " ")
	for _, want := range []string{
		"2 annotators: low agreement with the others: ben and Mara.Compare",
		"Mara: drift away from how they scored before. The difference went from +0.00 to +0.75.Look at the differences",
		"1 segment failed the last round and is left out of gold, unless somebody decides otherwise.",
		"Not begun by new.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the desk does not say %q:\n%s", want, said)
		}
	}
	if got := doc.Find(`.decision a[href="/campaigns/ment/annotators/mara#difference-title"]`).Length(); got != 1 {
		t.Errorf("%d links to who drifts", got)
	}
}

func TestAnnotatorDetail(t *testing.T) {
	v := AnnotatorView{Page: pagetest.LeadPage("lead"), Border: 0.5, Quota: 100,
		Annotator: AnnotatorRow{Login: "mara", Name: "Mara", Ratings: 60, Segments: 20, Seconds: 1800, LastSeen: pagetest.Noon, Mean: 2, Deviation: 1, Compared: 60, Difference: -0.25, LeaveOneOut: 0.8, Drift: -0.75, Flags: drifts},
		Days:      []readmodel.AnnotatorDay{{Ratings: 3, Segments: 1}, {Day: "2026-11-19", Ratings: 57, Segments: 19, Seconds: 1800, Compared: 57, Difference: -0.75}},
		With:      []AgreementWithRow{{Login: "lin", Shared: 20, Segment: 0.65, System: math.NaN()}, {Login: "new"}},
		Last:      []readmodel.AnnotatorTurn{{ID: "r1", DocID: "d", SegmentID: "s", Status: campaign.Agreed, Round: 1, SubmittedAt: pagetest.Noon, Ratings: 3, Seconds: 90, Mean: 2, Compared: 3, Difference: -0.5}}}
	doc, _ := pagetest.Written(t, Annotator(v))
	if doc.Find("#fates-title").Length() != 0 {
		t.Error("a campaign without suggestions speaks of them")
	}
	v.Fates = []readmodel.Fates{{Rejected: 2}, {Origin: "xcomet", Accepted: 5, Changed: 1, Rejected: 2}}
	doc, _ = pagetest.Written(t, Annotator(v))
	fates := doc.Find("#fates-title").Parent().Find("tbody tr")
	if got := pagetest.CellsOf(fates.Eq(0)); got != "not known 2 0 0 2 0%" {
		t.Errorf("suggestions without an origin: %s", got)
	}
	if got := pagetest.CellsOf(fates.Eq(1)); got != "xcomet 8 5 1 2 75%" {
		t.Errorf("suggestions of xcomet: %s", got)
	}
	if got := doc.Find("#difference-title").Parent().Find(".lead").Text(); got != "Over all, 0.25 stricter than the others on the same translations. A steady difference is flagged beyond ±0.50." {
		t.Errorf("the chart is said to be %q", got)
	}
	if doc.Find(".days-far").Length() != 1 {
		t.Error("the day beyond the border is not marked")
	}
	with := doc.Find("#with-title").Parent().Find("tbody tr")
	if got := pagetest.CellsOf(with.Eq(0)); got != "lin 20 moderate 0.65 undefined –" {
		t.Errorf("with lin: %s", got)
	}
	if got := with.Eq(0).Find("td a").AttrOr("href", ""); got != "/campaigns/ment/agreement/pairs/mara/lin" {
		t.Errorf("the shared segments are at %q", got)
	}
	if got := pagetest.CellsOf(with.Eq(1)); got != "new 0  " {
		t.Errorf("with new: %q", got)
	}
	days := doc.Find("#days-title").Parent().Find("tbody tr")
	if got := pagetest.CellsOf(days.Eq(0)); got != "imported, no time known 1 3 – – –" {
		t.Errorf("imported work: %s", got)
	}
	if got := pagetest.CellsOf(days.Eq(1)); got != "2026-11-19 19 57 0.5 h 32 s −0.75" {
		t.Errorf("a day: %s", got)
	}
	if got := pagetest.CellsOf(doc.Find("#last-title").Parent().Find("tbody tr")); got != "s d today 12:00 1 3 30 s 2.00 −0.50 agreed" {
		t.Errorf("last: %s", got)
	}
}
