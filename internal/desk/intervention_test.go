package desk_test

import (
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// An annotator who is set aside must be paid and may ask for the reason. Their hours stay, and
// their page has the reason, the date and the numbers that justified the act.
func TestSetAsideKeepsHoursAndNumbers(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(6), storetest.PerDocument(6), storetest.Set("gate=report"))
	for range 6 {
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 4, 2, 1)
	}
	before := storetest.Must(db.Desk.AnnotatorDetail(t.Context(), s.Campaign, "ann1"))(t)
	hours := storetest.Must(db.Desk.WorkDays(t.Context(), s.Campaign))(t)
	if len(before.Flags) != 1 || before.Flags[0].Kind != campaign.FlagLowAgreement || len(hours) != 2 {
		t.Fatalf("before: %+v, %+v", before.Flags, hours)
	}
	db.Clock.Advance(time.Hour)
	at := db.Clock.Now()
	storetest.SetAside(t, s, 0)
	if got := storetest.Must(db.Desk.WorkDays(t.Context(), s.Campaign))(t); !slices.Equal(got, hours) {
		t.Errorf("hours are %+v, were %+v", got, hours)
	}
	d := storetest.Must(db.Desk.AnnotatorDetail(t.Context(), s.Campaign, "ann1"))(t)
	if d.Ratings != 0 || d.Aside == nil || !d.Aside.Known {
		t.Fatalf("aside: %+v", d)
	}
	a := d.Aside
	if a.Reason != "misread the guide" || !a.At.Equal(at) || a.By != "lead" || a.Ratings != before.Ratings || a.Figures.Ratings != before.Ratings ||
		a.Figures.Difference != before.Difference || a.Figures.LeaveOneOut != before.LeaveOneOut || !slices.Equal(a.Figures.Flags, before.Flags) {
		t.Errorf("kept %+v", a)
	}
	if len(d.Last) != 6 || d.Last[0].SegmentID != before.Last[0].SegmentID || d.Last[0].Ratings != 3 || !d.Last[0].SubmittedAt.Equal(before.Last[0].SubmittedAt) {
		t.Errorf("latest submissions %+v, were %+v", d.Last, before.Last)
	}
	if len(d.Days) != 1 || d.Days[0].Ratings != before.Days[0].Ratings {
		t.Errorf("days %+v", d.Days)
	}
	db.Clock.Advance(time.Hour)
	storetest.Restore(t, s, 0)
	if d = storetest.Must(db.Desk.AnnotatorDetail(t.Context(), s.Campaign, "ann1"))(t); d.Aside != nil || d.Ratings != before.Ratings {
		t.Errorf("restored: %+v", d.Aside)
	}
	if got := storetest.Must(db.Desk.WorkDays(t.Context(), s.Campaign))(t); !slices.Equal(got, hours) {
		t.Errorf("restored, hours are %+v", got)
	}
	done := storetest.Must(db.Desk.Interventions(t.Context(), s.Campaign.ID))(t)
	if len(done.SetAside) != 1 || len(done.AsideNow()) != 0 || !done.SetAside[0].RestoredAt.Equal(db.Clock.Now()) || done.SetAside[0].Ratings != before.Ratings {
		t.Errorf("interventions %+v", done)
	}
}

// Settings as they changed, and values that a lead entered.
func TestInterventions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2))
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 4, 2, 0)
		s.Change(t, "threshold=0.5")
		db.Clock.Advance(time.Minute)
		title := "Another title"
		storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, "", records.CampaignChange{Title: &title, Settings: []string{"quota=9", "threshold=0.5"}}))
		storetest.Check(t, db.Rounds.Adjudicate(t.Context(), s.Campaign.ID, s.RowID(t, "d1", "s1"), map[string]float64{"sys-001": 1, "sys-003": 2}, "seen", s.Lead.ID))
		done := storetest.Must(db.Desk.Interventions(t.Context(), s.Campaign.ID))(t)
		want := []campaign.SettingChange{
			{Key: "threshold", From: "0.7", To: "0.5", At: done.Settings[0].At, By: "lead"},
			{Key: "quota", From: "0", To: "9", At: db.Clock.Now()},
		}
		if !slices.Equal(done.Settings, want) || done.Entered != 2 || done.EnteredSegments != 1 || len(done.SetAside) != 0 {
			t.Errorf("got %+v", done)
		}
	})
}
