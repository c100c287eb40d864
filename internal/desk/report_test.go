package desk_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

func TestKeptReports(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		lead := storetest.AddUser(t, db, "lead")
		c := storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "news"), lead.ID))(t)
		other := storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "other"), lead.ID))(t)
		at := time.Date(2026, 11, 20, 12, 3, 0, 1000, time.UTC)
		_, err := db.Desk.KeptReport(t.Context(), c.ID, "")
		storetest.WantErr(t, err, campaign.ErrNotFound)
		for n, body := range [][]byte{{0, 0xff, 1}, bytes.Repeat([]byte{7, 0}, 1<<16)} { // the second takes the place of the first
			want := desk.KeptReport{Choices: "human=esa&with=天", State: fmt.Sprint(n), Program: "v1", ComputedAt: at.Add(time.Duration(n) * time.Hour), Body: body}
			storetest.Check(t, db.Desk.KeepReport(t.Context(), c.ID, want))
			got := storetest.Must(db.Desk.KeptReport(t.Context(), c.ID, want.Choices))(t)
			if got.State != want.State || got.Program != want.Program || !got.ComputedAt.Equal(want.ComputedAt) || !bytes.Equal(got.Body, body) {
				t.Errorf("got %+v", got)
			}
		}
		_, err = db.Desk.KeptReport(t.Context(), other.ID, "human=esa&with=天")
		storetest.WantErr(t, err, campaign.ErrNotFound)

		// If there are too many, the oldest is deleted.
		for i := range 30 {
			storetest.Check(t, db.Desk.KeepReport(t.Context(), other.ID, desk.KeptReport{Choices: fmt.Sprint(i), ComputedAt: at.Add(time.Duration(i) * time.Minute)}))
		}
		for i, want := range map[int]error{5: campaign.ErrNotFound, 6: nil, 29: nil} {
			_, err := db.Desk.KeptReport(t.Context(), other.ID, fmt.Sprint(i))
			storetest.WantErr(t, err, want)
		}
	})
}

// TestReportState: the state changes with everything that a report is computed from, and with
// nothing else.
func TestReportState(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Systems(2))
		state := func() string { return storetest.Must(db.Desk.ReportState(t.Context(), s.Campaign.ID))(t) }
		last := state()
		storetest.Check(t, db.Desk.KeepReport(t.Context(), s.Campaign.ID, desk.KeptReport{State: last, ComputedAt: time.Now()}))
		storetest.Query[int](t, db, "DELETE FROM audit_log RETURNING 1")
		if state() != last {
			t.Error("keeping a report, or the audit log, changes the state")
		}
		title := "Another title"
		scores := append(storetest.ScoresInOrder("COMET", "sys-001", 0.5, 0.25), storetest.ScoresInOrder("COMET", "sys-002", 1, 2)...)
		for _, change := range []struct {
			what string
			make func() error
		}{
			{"the title", func() error {
				return db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Title: &title})
			}},
			{"scores of a metric", func() error {
				_, err := db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(scores), intake.ImportOptions{File: "f"})
				return err
			}},
			{"a rating", func() error { s.RateNext(t, 0, 1, 2); return nil }},
		} {
			storetest.Check(t, change.make())
			if now := state(); now == last {
				t.Errorf("%s leaves the state %s", change.what, now)
			} else {
				last = now
			}
		}
	})
}

// sameDecisions compares what is kept of checks with the list of checks.
func sameDecisions(t *testing.T, db *storetest.DB, s *storetest.Sample, when string) {
	t.Helper()
	type figures struct{ taken, passed, open int }
	want := map[string]figures{}
	for _, k := range storetest.Must(db.Desk.Checks(t.Context(), s.Campaign))(t) {
		f := want[k.Login]
		switch {
		case k.Judged() && k.Passed:
			f.taken, f.passed = f.taken+1, f.passed+1
		case k.Judged():
			f.taken++
		case !k.Removed && k.Uncounted == "":
			f.open++
		}
		want[k.Login] = f
	}
	for range 2 { // the second time from what is kept
		judged := storetest.Must(db.Desk.JudgedChecks(t.Context(), s.Campaign))(t)
		if len(judged) != len(want) {
			t.Errorf("after %s %d annotators have checks, want %d", when, len(judged), len(want))
		}
		people := s.Progress(t).Annotators
		for _, a := range judged {
			if got := (figures{a.Results[0].Taken, a.Results[0].Passed, a.Open}); got != want[a.Login] {
				t.Errorf("after %s the checks of %s are %+v, the list has %+v", when, a.Login, got, want[a.Login])
			}
			for _, p := range people {
				if got, want := p.Conduct.Checks, campaign.DecidingChecks(a.Results); p.User.Login == a.Login && want.Taken > 0 && got != want {
					t.Errorf("after %s the flag of %s follows %+v, want %+v", when, a.Login, got, want)
				}
			}
		}
	}
}

// Gate scores that are sums over errors are computed from the errors.
func TestChecksOfErrors(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(16), storetest.PerDocument(1), storetest.Annotators(1), storetest.Set("check_rate=0.5", "repeat_after=2", "gate=off", "redundancy=1", "context=segment"))
		for {
			_, _, ok := s.RatePageBy(t, 0, func(source, text string) protocol.Rating {
				if storetest.Reading(source, text) > 0 {
					return protocol.Rating{NoErrors: true}
				}
				word, _, _ := strings.Cut(text, " ")
				return protocol.Rating{Spans: []protocol.ErrorSpan{{ID: "1", Side: protocol.Target, End: len(word), Text: word, Severity: "major", Category: "Accuracy", Subcategory: "Mistranslation"}}}
			})
			if !ok {
				break
			}
		}
		if judged := storetest.Must(db.Desk.JudgedChecks(t.Context(), s.Campaign))(t); len(judged) != 1 || judged[0].Results[0].Taken < 10 {
			t.Fatalf("judged %+v", judged)
		}
		db.Rows = true
		storetest.Exec(t, db, "UPDATE ratings SET gate_score = -7 WHERE translation_id IN (SELECT translation_id FROM checks)") // as under other weights
		sameDecisions(t, db, s, "errors")
	})
}

// TestReportStateOfChecks: the state changes with everything that changes what the checks of a campaign say,
// so that no kept report passes for one of the present.
func TestReportStateOfChecks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(14), storetest.PerDocument(1), storetest.Set("check_rate=0.5", "repeat_after=3", "gate=off", "redundancy=2"))
		ctx, me := t.Context(), s.Annotators[0].ID
		state := func() string { return storetest.Must(db.Desk.ReportState(ctx, s.Campaign.ID))(t) }
		last := state()
		changed := func(what string) {
			t.Helper()
			if now := state(); now == last {
				t.Errorf("%s leaves the state %s", what, now)
			} else {
				last = now
			}
			s.Reload(t)
			sameDecisions(t, db, s, what)
		}
		var assignment string
		var checks campaign.Campaign
		var of readmodel.Check
		for of.ID == "" {
			id, c, ok := s.RatePage(t, 0, storetest.Reading)
			if !ok {
				t.Fatal("there is no degraded check")
			}
			changed("a page")
			assignment, checks = id, c
			for _, k := range storetest.Must(db.Desk.Checks(ctx, s.Campaign))(t) {
				if c.Side == campaign.Checks && k.Kind == campaign.DegradedCheck {
					of = k
				}
			}
		}
		storetest.Check(t, db.Work.TakeBack(ctx, checks, me, assignment))
		changed("taking a check back")
		w := storetest.Must(db.Work.LoadWork(ctx, checks, assignment, me))(t)
		storetest.Check(t, db.Work.Submit(ctx, checks, me, assignment, storetest.Revisions(w)))
		changed("submitting it again")
		card := w.Cards[0]
		saved := storetest.Must(db.Work.SaveCard(ctx, checks, me, work.CardSave{AssignmentID: assignment, CardID: card.ID, Revision: card.Revision, Rating: storetest.Rating(1)}))(t)
		revisions := storetest.Revisions(w)
		revisions[card.ID] = saved.Revision
		storetest.Check(t, db.Work.Submit(ctx, checks, me, assignment, revisions))
		changed("another score of a check")

		lead := s.Lead.ID
		storetest.Check(t, db.Work.ReplaceDegraded(ctx, s.Campaign.ID, of.OfID, "Quite another text.", lead))
		changed("replacing a degraded text")
		storetest.Check(t, db.Work.RemoveDegraded(ctx, s.Campaign.ID, of.OfID, true, lead))
		changed("removing a degraded text")
		storetest.Check(t, db.Work.RemoveDegraded(ctx, s.Campaign.ID, of.OfID, false, lead))
		changed("using a degraded text again")
		known := readmodel.KnownAnswer{DocID: of.DocID, SegmentID: of.SegmentID, System: of.System, Score: 3}
		storetest.Check(t, db.Work.GiveKnown(ctx, s.Campaign.ID, known, lead))
		changed("a known answer")
		known.Score = 4
		storetest.Check(t, db.Work.GiveKnown(ctx, s.Campaign.ID, known, lead))
		changed("another known answer")
		storetest.Check(t, db.Work.TakeKnown(ctx, s.Campaign.ID, of.OfID, lead))
		changed("taking a known answer back")
		storetest.SetAside(t, s, 0)
		changed("setting an annotator aside")
		storetest.Check(t, db.Desk.RestoreAnnotator(ctx, s.Campaign.ID, s.Annotators[0].Login, "they read", lead))
		changed("restoring an annotator")
		s.RateAll(t, func(i int, source, text string) float64 { return storetest.Reading(source, text) * float64(1-i) })
		changed("all the rest")
		s.Change(t, "check_margin=0.5")
		changed("check_margin")
		s.Change(t, "check_flag=0.5")
		changed("check_flag")
	})
}
