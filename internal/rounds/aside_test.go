package rounds_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// The work of one who is set aside is gone from everything that counts, and
// nothing more comes of it; restored, all is as it was.
func TestSetAside(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3), storetest.Annotators(3))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 2, 3)
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	begun := s.Next(t, 0) // the second look at s2
	s.Save(t, 0, begun, 0, 3)
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 3.5)
	storetest.WantSegment(t, s, 2, campaign.Reannotate, 2)

	ctx, c := t.Context(), s.Campaign
	storetest.WantInvalid(t, db.Desk.SetAside(ctx, c.ID, "ann1", " ", s.Lead.ID), "reason")
	storetest.WantErr(t, db.Desk.SetAside(ctx, c.ID, "nobody", "x", s.Lead.ID), campaign.ErrNotFound)
	storetest.WantErr(t, db.Desk.SetAside(ctx, c.ID, "lead", "x", s.Lead.ID), campaign.ErrNotFound)
	storetest.WantErr(t, db.Desk.RestoreAnnotator(ctx, c.ID, "ann1", "x", s.Lead.ID), campaign.ErrConflict)

	db.Clock.Advance(time.Minute)
	storetest.SetAside(t, s, 0)
	db.Clock.Advance(time.Minute)
	storetest.WantErr(t, db.Desk.SetAside(ctx, c.ID, "ann1", "x", s.Lead.ID), campaign.ErrConflict)
	storetest.WantSegment(t, s, 1, campaign.Pending, 1)
	storetest.WantSegment(t, s, 2, campaign.Pending, 1)
	storetest.WantStates(t, db, "s2", "ann1/1 released", "ann2/1 submitted", "ann1/2 released", "ann2/2 open")
	storetest.WantPlaces(t, db, "s1", 1)
	if facts := storetest.Must(db.Records.ExportFacts(ctx, c.ID))(t); !slices.Equal(facts.Logins, []string{"ann2"}) || facts.Ratings != 6 {
		t.Errorf("exports have %+v", facts)
	}
	storetest.WantCount(t, db, 12, "ratings")
	members := storetest.Must(db.Accounts.Members(ctx, c.ID))(t)
	if m := members[0]; m.User.Login != "ann1" || !m.SetAside || !m.Fixed {
		t.Errorf("member %+v", m)
	}
	storetest.WantErr(t, db.Accounts.AddMember(ctx, c.ID, "ann1", campaign.Lead, s.Lead.ID), campaign.ErrConflict)

	// Whatever they try says why, and is not counted.
	_, err := db.Work.Next(ctx, c.ID, s.Annotators[0].ID)
	storetest.WantErr(t, err, campaign.ErrSetAside)
	_, err = db.Work.SaveCard(ctx, c, s.Annotators[0].ID, work.CardSave{AssignmentID: begun, CardID: s.CardID(t, 0, begun, 1), Rating: storetest.Rating(1)})
	storetest.WantErr(t, err, campaign.ErrSetAside)
	storetest.WantErr(t, storetest.Submit(t, s, 0, begun, 1, 0, 0), campaign.ErrSetAside)
	storetest.WantErr(t, db.Work.ReportProblem(ctx, c, s.Annotators[0].ID, begun, "x"), campaign.ErrSetAside)

	// A dormant second look is nobody's work; what is short comes first.
	storetest.WantTurn(t, s, 1, s.Next(t, 1), "s3")
	if p := storetest.Must(db.Desk.MyProgress(ctx, c, s.Annotators[1].ID))(t); p.Second != 0 || p.Begun != 1 {
		t.Errorf("ann2 sees %+v", p)
	}
	storetest.WantTurn(t, s, 2, s.Next(t, 2), "s1")
	storetest.Restore(t, s, 0)
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 3.5)
	storetest.WantSegment(t, s, 2, campaign.Reannotate, 2)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann3/1 released")
	storetest.WantStates(t, db, "s2", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 open")
	if got := s.Next(t, 0); got != begun || s.Work(t, 0, got).Cards[0].Rating.Scores["sqm"] != 3 {
		t.Errorf("ann1 goes on with %s, want %s and its draft", got, begun)
	}
	storetest.WantLogged(t, db, s, "lead set annotator aside ann1: misread the guide", "lead restore annotator ann1: a mistake of mine")
}

// An import can't slip in what is set aside.
func TestImportOfSetAside(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	storetest.SetAside(t, s, 0)
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(storetest.RatingLine("s1", "sys-001", "ann1", 1, 2)), intake.ImportOptions{})
	storetest.WantProblems(t, err, "1 annotator ")
}

// A problem answered while its reporter is set aside is answered for them.
func TestProblemOfSetAside(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	reported := s.Next(t, 0)
	storetest.Check(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, reported, "empty"))
	storetest.SetAside(t, s, 0)
	problems := storetest.AllProblems(t, s)
	storetest.Check(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, problems[0].ID, "it is meant so", false, s.Lead.ID))
	storetest.WantStates(t, db, "s1", "ann1/1 released")
	storetest.Restore(t, s, 0)
	storetest.WantStates(t, db, "s1", "ann1/1 open")
	if got := s.Next(t, 0); got != reported {
		t.Errorf("ann1 goes on with %s, want %s", got, reported)
	}
}

// ofCampaign is all that setting aside may not lose: what is exported, what each
// annotator has, and where each segment stands. A second look that was withdrawn, decided without them,
// or given to somebody else before anybody began it is nothing.
func ofCampaign(t *testing.T, db *storetest.DB, s *storetest.Sample) (out []any) {
	t.Helper()
	for _, seg := range s.All(t) {
		out = append(out, seg)
	}
	type turn struct {
		ID, Segment, State, SetAside, Work string
		Round, Ratings                     int
		Replaced, Counts                   bool
		Started, Submitted                 int64
	}
	for _, row := range storetest.Query[turn](t, db, `SELECT a.id, g.segment_id AS segment, a.state, a.set_aside, a.round, a.ratings, a.work, a.counts, a.replaced, a.started_at AS started, a.submitted_at AS submitted
		FROM assignments a JOIN segments g ON g.id = a.segment_id WHERE a.campaign_id = ?
			AND NOT (a.round > 1 AND a.state = 'open' AND a.work IN ('over', 'late') AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id)) ORDER BY a.id`, s.Campaign.ID) {
		out = append(out, row)
	}
	for _, row := range storetest.Query[struct {
		SegmentID, Status, DecidingAct string
		Round, Taken, Complete         int
		Held                           bool
	}](t, db, "SELECT segment_id, status, holding AS deciding_act, round, taken, complete, held FROM segments WHERE campaign_id = ? ORDER BY position", s.Campaign.ID) {
		out = append(out, row)
	}
	return append(out, storetest.Must(db.Records.ExportFacts(t.Context(), s.Campaign.ID))(t))
}

// step has annotator i do one thing, or a lead while they are at it.
func step(t *testing.T, db *storetest.DB, s *storetest.Sample, r *rand.Rand, i int) {
	t.Helper()
	families := [][]float64{{0, 2, 4}, {1, 2, 3}, {4, 2, 0}, {2, 2, 2}}
	ctx := t.Context()
	id, err := db.Work.Next(ctx, s.Campaign.ID, s.Annotators[i].ID)
	if err != nil {
		if !errors.Is(err, campaign.ErrNoWork) {
			t.Fatal(err)
		}
		return
	}
	switch x := r.IntN(24); {
	case x >= 20:
		submitLate(t, db, s, r, i, families[r.IntN(len(families))])
	case x < 14:
		s.Rate(t, i, id, families[r.IntN(len(families))]...)
	case x < 16:
		s.Save(t, i, id, r.IntN(3), float64(r.IntN(5)))
	case x < 17:
		db.Clock.Advance(30 * time.Hour) // everything open is left
	case x < 18:
		storetest.Check(t, db.Work.ReportProblem(ctx, s.Campaign, s.Annotators[i].ID, id, "odd"))
	default:
		act(t, s, r)
	}
}

// submitLate has an annotator submit something that they left, or where they were
// replaced, whatever has become of its segment.
func submitLate(t *testing.T, db *storetest.DB, s *storetest.Sample, r *rand.Rand, i int, scores []float64) {
	t.Helper()
	left := storetest.Query[string](t, db, "SELECT id FROM assignments WHERE user_id = ? AND campaign_id = ? AND state = 'released' AND set_aside = '' ORDER BY id", s.Annotators[i].ID, s.Campaign.ID)
	if len(left) > 0 {
		if err := s.TryRate(t.Context(), i, left[r.IntN(len(left))], scores...); err != nil && !errors.Is(err, campaign.ErrDecided) {
			t.Fatal(err)
		}
	}
}

// act is some act of a lead, which may be refused.
func act(t *testing.T, s *storetest.Sample, r *rand.Rand) {
	t.Helper()
	ctx, id, by := t.Context(), s.Campaign.ID, s.Lead.ID
	n := r.IntN(s.Segments)
	row := s.RowID(t, fmt.Sprint("d", n/2+1), fmt.Sprint("s", n+1))
	login := func() string { return s.Annotators[r.IntN(len(s.Annotators))].Login }
	var err error
	switch r.IntN(10) {
	case 0:
		err = s.Store.Rounds.Adjudicate(ctx, id, row, map[string]float64{"sys-001": 1}, "x", by)
	case 1:
		err = s.Store.Rounds.Discard(ctx, id, []string{row}, "x", by)
	case 2:
		err = s.Store.Rounds.Withdraw(ctx, id, []string{row}, "x", by)
	case 3:
		err = s.Store.Rounds.RestoreSegments(ctx, id, []string{row}, "x", by)
	case 4:
		err = s.Store.Rounds.FurtherAnnotator(ctx, id, []string{row}, login(), "x", by)
	case 5:
		err = s.Store.Rounds.ReplaceAnnotator(ctx, id, row, login(), "", "x", by)
	case 6:
		s.Change(t, fmt.Sprint("threshold=", []float64{-1, 0.7, 0.99}[r.IntN(3)]))
	case 7:
		err = s.Store.Rounds.AnotherLook(ctx, id, []string{row}, nil, "x", by)
	case 8:
		err = s.Store.Rounds.AcceptMeans(ctx, id, []string{row}, "x", by)
	case 9:
		err = storetest.Undo(ctx, s, row, true)
	}
	if err != nil && !errors.Is(err, campaign.ErrConflict) {
		t.Fatal(err)
	}
}
