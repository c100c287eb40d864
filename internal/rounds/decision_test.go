package rounds_test

import (
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// A segment that fails comes back to the same two annotators, who see what they
// gave; the gold is that of the round that passes.
func TestSecondLook(t *testing.T) {
	_, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3))
	first := []string{s.RateNext(t, 0, 0, 2, 4), s.RateNext(t, 1, 4, 2, 0)}
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	storetest.WantNext(t, s, 2, campaign.ErrNoWork)

	again := []string{s.Next(t, 0), s.Next(t, 1)}
	for i, a := range again {
		before, now := s.Work(t, i, first[i]), s.Work(t, i, a)
		if now.Assignment.Round != 2 || now.Assignment.State != campaign.InWork || now.Over != "" || before.Over == "" {
			t.Errorf("second look %+v", now.Assignment)
		}
		for k, card := range now.Cards {
			if was := before.Cards[k]; card.Text != was.Text || card.Rating.Scores["sqm"] != was.Rating.Scores["sqm"] || card.Revision != 0 || card.Seconds != 0 {
				t.Errorf("card %d is %+v, want %+v prefilled", k, card, was)
			}
		}
	}
	s.Submit(t, 0, again[0]) // stays with what it was
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	s.Rate(t, 1, again[1], 1, 2, 4)
	storetest.WantSegment(t, s, 1, campaign.Agreed, 2, 0.5, 2, 4)
	if n := len(s.All(t)[0].Translations[0].Ratings); n != 4 {
		t.Errorf("%d ratings, want those of both rounds kept", n)
	}
	detail := s.Detail(t, "s1")
	if len(detail.Decisions) != 2 || len(detail.Turns) != 4 {
		t.Fatalf("detail %+v", detail)
	}
	for i, want := range []struct {
		passed bool
		status campaign.Status
		reason agreement.Reason
		r      float64 // 0 2 4 with 4 2 0; with 1 2 4: 4*3 + 2*... = 6/sqrt(8*4.667) = 0.982
	}{{false, campaign.Reannotate, agreement.BelowThreshold, -1}, {true, campaign.Agreed, agreement.Agreed, 0.98198}} {
		d := detail.Decisions[i]
		if d.Round != i+1 || d.Passed != want.passed || d.Status != want.status || len(d.Pairs) != 1 {
			t.Fatalf("decision %+v, want %+v", d, want)
		}
		p := d.Pairs[0]
		if p.A != "ann1" || p.B != "ann2" || p.Shared != 3 || p.Reason != want.reason || p.R == nil || *p.R < want.r-1e-5 || *p.R > want.r+1e-5 {
			t.Errorf("pair %+v with r %v, want %+v", p, *p.R, want)
		}
	}
}

// begin gives every segment to every annotator, with a score of 0 saved by the
// first, and of 0, 1, 2, 3, 4, 0 … by the others. It is what Next and SaveCard
// would do one by one. The assignments are listed by annotator in the order of
// the segments.
func begin(t *testing.T, db *storetest.DB, s *storetest.Sample) [][]string {
	t.Helper()
	now := db.Clock.Now().UnixMicro()
	var out [][]string
	for i, u := range s.Annotators {
		storetest.Exec(t, db, `INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at)
			SELECT s.id || '/' || u.login, s.campaign_id, s.id, u.id, 1, 'open', 1, ?, ? FROM segments s, users u WHERE s.campaign_id = ? AND u.id = ?`,
			now, now, s.Campaign.ID, u.ID)
		storetest.Exec(t, db, `INSERT INTO drafts (assignment_id, translation_id, revision, scores, saved_at)
			SELECT a.id, t.id, 1, '{"sqm":' || (CASE WHEN ? > 0 THEN (s.position - 1) % 5 ELSE 0 END) || '}', ? FROM assignments a
			JOIN segments s ON s.id = a.segment_id JOIN translations t ON t.segment_id = s.id WHERE a.campaign_id = ? AND a.user_id = ?`,
			i, now, s.Campaign.ID, u.ID)
		out = append(out, storetest.Query[string](t, db, `SELECT a.id FROM assignments a JOIN segments s ON s.id = a.segment_id
			WHERE a.campaign_id = ? AND a.user_id = ? ORDER BY s.position`, s.Campaign.ID, u.ID))
	}
	storetest.Exec(t, db, "UPDATE all_segments SET taken = ? WHERE campaign_id = ?", len(s.Annotators), s.Campaign.ID)
	return out
}

func TestAdjudicate(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	row := s.RowID(t, "d1", "s1")
	adjudicate := func(scores map[string]float64, reason string) error {
		return db.Rounds.Adjudicate(t.Context(), s.Campaign.ID, row, scores, reason, s.Lead.ID)
	}
	storetest.WantErr(t, adjudicate(nil, "too early"), campaign.ErrConflict)
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	again := s.Next(t, 0) // the second look
	s.Save(t, 0, again, 0, 3)
	storetest.WantInvalid(t, adjudicate(nil, " "), "reason")
	storetest.WantInvalid(t, adjudicate(map[string]float64{"sys-009": 1}, "x"), "scores")
	storetest.WantInvalid(t, adjudicate(map[string]float64{"sys-001": 4.5}, "x"), "scores")
	storetest.WantErr(t, db.Rounds.Adjudicate(t.Context(), s.Campaign.ID, "nothing", nil, "x", s.Lead.ID), campaign.ErrNotFound)
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)

	storetest.Check(t, adjudicate(map[string]float64{"sys-001": 3.5, "sys-003": 0}, "idiom"))
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 3.5, 2, 0)
	for _, tr := range s.All(t)[0].Translations {
		if !tr.Gold.Adjudicated || len(tr.Ratings) != 2 {
			t.Errorf("gold %+v of %d ratings, want it flagged and no rating lost", tr.Gold, len(tr.Ratings))
		}
	}
	storetest.WantLogged(t, db, s, "lead adjudicate segment s1: idiom")
	// It has left every queue, and a page that is still open does not bring it back.
	s.Save(t, 0, again, 1, 3)
	for i := range 2 {
		storetest.WantTurn(t, s, i, s.Next(t, i), "s2")
	}
	// Another time, with other systems: the rest is the mean again.
	storetest.Check(t, adjudicate(map[string]float64{"sys-002": 1}, "thought again"))
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 2, 1, 2)
	storetest.Check(t, adjudicate(nil, "the mean after all"))
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 2, 2, 2)
}
