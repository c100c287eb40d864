package desk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestKeptChecks: after each of many changes, what is kept of checks is what a store says that has kept nothing.
func TestKeptChecks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(80), storetest.Annotators(3),
			storetest.Set("check_rate=0.5", "repeat_after=2", "check_kinds=degraded,repeat,known", "gate=off", "redundancy=2", "undo_seconds=60"))
		ctx, lead, id := t.Context(), s.Lead.ID, s.Campaign.ID
		r := rand.New(rand.NewPCG(1, 9))
		aside := make([]bool, len(s.Annotators))
		var last struct { // submission
			of       campaign.Campaign
			id, user string
		}
		page := func() error {
			i := r.IntN(len(aside))
			for aside[i] {
				i = (i + 1) % len(aside)
			}
			given, of, ok := s.RatePage(t, i, func(source, text string) float64 {
				return min(storetest.Reading(source, text), float64(r.IntN(8)))
			})
			if !ok {
				return campaign.ErrNoWork
			}
			last.of, last.id, last.user = of, given, s.Annotators[i].ID
			return nil
		}
		segment := func(which string) (g struct{ ID, DocID, SegmentID string }) {
			all := storetest.Query[struct{ ID, DocID, SegmentID string }](t, db, "SELECT s.id, d.doc_id, s.segment_id FROM segments s JOIN documents d ON d.id = s.document_id WHERE s.campaign_id = ? "+which+" ORDER BY s.position", id)
			if len(all) > 0 {
				g = all[r.IntN(len(all))]
			}
			return g
		}
		degraded := func(removed bool) error {
			checks := storetest.Must(db.Desk.Checks(ctx, s.Campaign))(t)
			checks = slices.DeleteFunc(checks, func(k readmodel.Check) bool { return k.Kind != campaign.DegradedCheck || k.TextRemoved == removed })
			if len(checks) == 0 {
				return campaign.ErrNotFound
			}
			return db.Work.RemoveDegraded(ctx, id, checks[r.IntN(len(checks))].OfID, removed, lead)
		}
		known := func(change func(k readmodel.KnownAnswer) error) error {
			all := storetest.Must(db.Work.KnownAnswers(ctx, s.Campaign))(t)
			if len(all) < 4 {
				return campaign.ErrNotFound
			}
			return change(all[r.IntN(len(all))])
		}
		changes := []struct {
			what string
			make func() error
		}{
			{"a page", page},
			{"taking a page back", func() error {
				if err := page(); err != nil {
					return err
				}
				return db.Work.TakeBack(ctx, last.of, last.user, last.id)
			}},
			{"another score", func() error {
				w, err := db.Work.LoadWork(ctx, last.of, last.id, last.user)
				if err != nil {
					return err
				}
				card, revisions := w.Cards[0], storetest.Revisions(w)
				saved, err := db.Work.SaveCard(ctx, last.of, last.user, work.CardSave{AssignmentID: last.id, CardID: card.ID, Revision: card.Revision, Rating: storetest.Rating(float64(r.IntN(5)))})
				if err != nil {
					return err
				}
				revisions[card.ID] = saved.Revision
				return db.Work.Submit(ctx, last.of, last.user, last.id, revisions)
			}},
			{"removing a degraded text", func() error { return degraded(true) }},
			{"using a degraded text again", func() error { return degraded(false) }},
			{"a known answer", func() error {
				g := segment("")
				return db.Work.GiveKnown(ctx, id, readmodel.KnownAnswer{DocID: g.DocID, SegmentID: g.SegmentID, System: s.Systems[r.IntN(3)], Score: float64(r.IntN(5))}, lead)
			}},
			{"another known answer", func() error {
				return known(func(k readmodel.KnownAnswer) error {
					k.Score = float64(r.IntN(5))
					return db.Work.GiveKnown(ctx, id, k, lead)
				})
			}},
			{"taking a known answer back", func() error {
				return known(func(k readmodel.KnownAnswer) error { return db.Work.TakeKnown(ctx, id, k.ID, lead) })
			}},
			{"setting aside or restoring", func() error {
				i := r.IntN(len(aside) - 1) // the last one goes on
				if aside[i] = !aside[i]; aside[i] {
					return db.Desk.SetAside(ctx, id, s.Annotators[i].Login, "they do not read", lead)
				}
				return db.Desk.RestoreAnnotator(ctx, id, s.Annotators[i].Login, "they read", lead)
			}},
			{"another look", func() error {
				return db.Rounds.AnotherLook(ctx, id, []string{segment("AND s.complete > 0").ID}, nil, "look again", lead)
			}},
			{"an import of ratings", func() error {
				g, who, lines := segment(""), s.Annotators[r.IntN(len(aside))].Login, []campaign.RatingLine(nil)
				for _, system := range s.Systems {
					lines = append(lines, campaign.RatingLine{DocID: g.DocID, SegmentID: g.SegmentID, System: system, Rating: storetest.SQM(who, 1, float64(r.IntN(5)))})
				}
				_, err := db.Intake.ImportRatings(ctx, id, storetest.NumberedRatings(lines...), intake.ImportOptions{File: "r.jsonl", ByID: lead})
				return err
			}},
			{"an import of segments", func() error {
				s.Segments += 2
				n := s.Segments
				_, err := db.Intake.ImportSegments(ctx, id, storetest.SegmentLines(storetest.Segment(n-1, n, s.Systems), storetest.Segment(n, n, s.Systems)), intake.ImportOptions{File: "s.jsonl", ByID: lead})
				return err
			}},
			{"undoing an import", func() error {
				for _, i := range storetest.Must(db.Intake.Imports(ctx, id))(t) {
					if i.Undone.IsZero() {
						return db.Intake.UndoImport(ctx, id, i.ID, intake.UndoOptions{ByID: lead})
					}
				}
				return campaign.ErrNotFound
			}},
			{"settings", func() error {
				s.Change(t, fmt.Sprintf("check_margin=0.%d", 1+r.IntN(4)), fmt.Sprintf("check_flag=0.%d", 1+r.IntN(4)))
				return nil
			}},
		}
		made := map[string]int{}
		for range 10 {
			for _, n := range r.Perm(len(changes)) {
				_, change := page(), changes[n]
				if err := change.make(); err == nil {
					made[change.what]++
				}
				db.Clock.Advance(time.Second)
				s.Reload(t)
				kept := storetest.Must(db.Desk.JudgedChecks(ctx, s.Campaign))(t)
				fresh := storetest.Must(desk.New(db.DB, db.Records, db.Rounds).JudgedChecks(ctx, s.Campaign))(t)
				if kept, fresh := fmt.Sprintf("%+v", kept), fmt.Sprintf("%+v", fresh); kept != fresh {
					t.Fatalf("after %s\n%s is kept, want\n%s", change.what, kept, fresh)
				}
			}
		}
		sameDecisions(t, db, s, "all changes")
		for _, change := range changes {
			if made[change.what] == 0 {
				t.Errorf("%s was never possible: %v", change.what, made)
			}
		}
	})
}

// TestKeptCheckOfDeletedText: a check is not judged by a known answer any more when the import of its text was undone.
func TestKeptCheckOfDeletedText(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(30), storetest.Annotators(1), storetest.Set("check_rate=0.5", "check_kinds=known", "gate=off", "redundancy=1"))
	g := storetest.Segment(31, 31, s.Systems)
	storetest.ImportSegments(t, s, g)
	storetest.Check(t, db.Work.GiveKnown(t.Context(), s.Campaign.ID, readmodel.KnownAnswer{DocID: g.DocID, SegmentID: g.SegmentID, System: s.Systems[0], Score: 4}, s.Lead.ID))
	for {
		_, of, ok := s.RatePage(t, 0, storetest.Reading)
		if !ok {
			t.Fatal("no check was placed")
		}
		if of.Side == campaign.Checks {
			break
		}
	}
	sameDecisions(t, db, s, "a check")
	imports := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)
	storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, imports[0].ID, intake.UndoOptions{}))
	sameDecisions(t, db, s, "undoing the import of its text")
}

// TestKeptChecksOfDeletedWork: checks are not judged by the scores of an import any more after it was undone, also where nothing else in its
// documents is the annotator's.
func TestKeptChecksOfDeletedWork(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(30), storetest.PerDocument(1), storetest.Annotators(1), storetest.Set("check_rate=0.5", "check_kinds=repeat", "repeat_after=2", "gate=off", "redundancy=1"))
	for of := s.Campaign; of.Side != campaign.Checks; {
		db.Clock.Advance(time.Second)
		var ok bool
		if _, of, ok = s.RatePage(t, 0, storetest.Reading); !ok {
			t.Fatal("no check was placed")
		}
	}
	free := storetest.Query[struct{ DocID, SegmentID string }](t, db, `SELECT d.doc_id, g.segment_id FROM segments g JOIN documents d ON d.id = g.document_id
		WHERE g.campaign_id = ? AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id)`, s.Campaign.ID)[0]
	var lines []campaign.RatingLine
	for _, system := range s.Systems {
		lines = append(lines, campaign.RatingLine{DocID: free.DocID, SegmentID: free.SegmentID, System: system, Rating: storetest.SQM(s.Annotators[0].Login, 1, 0)})
	}
	storetest.Must(db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(lines...), intake.ImportOptions{}))(t)
	judged := func(by *desk.Store) string {
		return fmt.Sprintf("%+v", storetest.Must(by.JudgedChecks(t.Context(), s.Campaign))(t))
	}
	with := judged(db.Desk)
	imports := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)
	storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, imports[0].ID, intake.UndoOptions{}))
	without, want := judged(db.Desk), judged(desk.New(db.DB, db.Records, db.Rounds))
	if without != want || with == want {
		t.Errorf("%s is kept, want\n%s\nand with the import\n%s", without, want, with)
	}
}
