package desk_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

func TestKeptReports(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		lead := storetest.AddUser(t, db, "lead")
		c := storetest.Must(db.CreateCampaign(t.Context(), storetest.NewCampaign(t, "news"), lead.ID))(t)
		other := storetest.Must(db.CreateCampaign(t.Context(), storetest.NewCampaign(t, "other"), lead.ID))(t)
		at := time.Date(2026, 11, 20, 12, 3, 0, 1000, time.UTC)
		_, err := db.KeptReport(t.Context(), c.ID, "")
		storetest.WantErr(t, err, campaign.ErrNotFound)
		for n, body := range [][]byte{{0, 0xff, 1}, bytes.Repeat([]byte{7, 0}, 1<<16)} { // the second takes the place of the first
			want := desk.KeptReport{Choices: "human=esa&with=天", State: fmt.Sprint(n), Program: "v1", ComputedAt: at.Add(time.Duration(n) * time.Hour), Body: body}
			if err := db.KeepReport(t.Context(), c.ID, want); err != nil {
				t.Fatal(err)
			}
			got := storetest.Must(db.KeptReport(t.Context(), c.ID, want.Choices))(t)
			if got.State != want.State || got.Program != want.Program || !got.ComputedAt.Equal(want.ComputedAt) || !bytes.Equal(got.Body, body) {
				t.Errorf("got %+v", got)
			}
		}
		_, err = db.KeptReport(t.Context(), other.ID, "human=esa&with=天")
		storetest.WantErr(t, err, campaign.ErrNotFound)

		// If there are too many, the oldest is deleted.
		for i := range 30 {
			if err := db.KeepReport(t.Context(), other.ID, desk.KeptReport{Choices: fmt.Sprint(i), ComputedAt: at.Add(time.Duration(i) * time.Minute)}); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range map[int]error{5: campaign.ErrNotFound, 6: nil, 29: nil} {
			_, err := db.KeptReport(t.Context(), other.ID, fmt.Sprint(i))
			storetest.WantErr(t, err, want)
		}
	})
}

// TestReportState: the state changes with everything that a report is computed from, and with
// nothing else.
func TestReportState(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Systems(2))
		state := func() string { return storetest.Must(db.ReportState(t.Context(), s.Campaign.ID))(t) }
		last := state()
		if err := db.KeepReport(t.Context(), s.Campaign.ID, desk.KeptReport{State: last, ComputedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if state() != last {
			t.Error("keeping a report changes the state")
		}
		title := "Another title"
		scores := append(storetest.ScoresInOrder("COMET", "sys-001", 0.5, 0.25), storetest.ScoresInOrder("COMET", "sys-002", 1, 2)...)
		for _, change := range []struct {
			what string
			make func() error
		}{
			{"the title", func() error {
				return db.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Title: &title})
			}},
			{"scores of a metric", func() error {
				_, err := db.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(scores), intake.ImportOptions{File: "f"})
				return err
			}},
			{"a rating", func() error { s.RateNext(t, 0, 1, 2); return nil }},
		} {
			if err := change.make(); err != nil {
				t.Fatal(err)
			}
			if now := state(); now == last {
				t.Errorf("%s leaves the state %s", change.what, now)
			} else {
				last = now
			}
		}
	})
}
