package desk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// TestKeptDrift: after each of many changes, the drift that is read with what is kept is what a store says that has kept nothing.
func TestKeptDrift(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(30), storetest.PerDocument(1), storetest.Systems(10), storetest.Annotators(3),
		storetest.Set("gate=off", "redundancy=3", "undo_seconds=60"))
	ctx, lead, id := t.Context(), s.Lead.ID, s.Campaign.ID
	r := rand.New(rand.NewPCG(1, 9))
	aside := false // the work of the first annotator is
	var last struct{ id, user string }
	page := func() error {
		db.Clock.Advance(time.Second)
		i := 1 + r.IntN(2)
		given, _, ok := s.RatePage(t, i, func(string, string) float64 { return float64(r.IntN(5)) })
		if !ok {
			return campaign.ErrNoWork
		}
		last.id, last.user = given, s.Annotators[i].ID
		return nil
	}
	for n := range 40 {
		storetest.Check(t, page())
		if n%2 == 0 {
			s.RatePage(t, 0, func(string, string) float64 { return float64(r.IntN(5)) })
		}
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
			return db.Work.TakeBack(ctx, s.Campaign, last.user, last.id)
		}},
		{"setting aside or restoring", func() error {
			if aside = !aside; aside {
				return db.Desk.SetAside(ctx, id, s.Annotators[0].Login, "they do not read", lead)
			}
			return db.Desk.RestoreAnnotator(ctx, id, s.Annotators[0].Login, "they read", lead)
		}},
		{"an import of ratings", func() error {
			free := storetest.Query[struct{ DocID, SegmentID, Login string }](t, db, `SELECT d.doc_id, g.segment_id, u.login FROM segments g JOIN documents d ON d.id = g.document_id
				JOIN memberships m ON m.campaign_id = g.campaign_id AND m.role = 'annotator' JOIN users u ON u.id = m.user_id
				WHERE g.rated > 0 AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.user_id = u.id) ORDER BY g.position, u.login`)
			of := free[r.IntN(len(free))]
			var lines []campaign.RatingLine
			for _, system := range s.Systems {
				rating := storetest.SQM(of.Login, 1, float64(r.IntN(5)))
				rating.SubmittedAt = db.Clock.Now()
				lines = append(lines, campaign.RatingLine{DocID: of.DocID, SegmentID: of.SegmentID, System: system, Rating: rating})
			}
			_, err := db.Intake.ImportRatings(ctx, id, storetest.NumberedRatings(lines...), intake.ImportOptions{File: "r.jsonl", ByID: lead})
			return err
		}},
		{"undoing an import", func() error {
			for _, i := range storetest.Must(db.Intake.Imports(ctx, id))(t) {
				if i.Undone.IsZero() && i.Kind != "segments" {
					return db.Intake.UndoImport(ctx, id, i.ID, intake.UndoOptions{ByID: lead})
				}
			}
			return campaign.ErrNotFound
		}},
		{"counting again", func() error { return db.Desk.Recount(ctx, id) }},
	}
	made, drifts := map[string]int{}, 0
	for range 8 {
		for _, n := range r.Perm(len(changes)) {
			change := changes[n]
			if err := change.make(); err == nil {
				made[change.what]++
			}
			s.Reload(t)
			kept := s.Progress(t).Annotators
			fresh := storetest.Must(desk.New(db.DB, db.Records, db.Rounds).Progress(ctx, s.Campaign))(t).Annotators
			if kept, fresh := fmt.Sprintf("%+v", kept), fmt.Sprintf("%+v", fresh); kept != fresh {
				t.Fatalf("after %s\n%s is kept, want\n%s", change.what, kept, fresh)
			}
			for _, a := range kept {
				if !math.IsNaN(a.Drift) {
					drifts++
				}
			}
		}
	}
	for _, change := range changes {
		if made[change.what] == 0 {
			t.Errorf("%s was never possible: %v", change.what, made)
		}
	}
	if drifts < 50 {
		t.Errorf("drift was said %d times", drifts)
	}
}
