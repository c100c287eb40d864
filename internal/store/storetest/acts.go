package storetest

import (
	"fmt"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/readmodel"
	"annotate/internal/work"
)

// SetAside sets the work of annotator i aside, in the name of the lead.
func SetAside(t *testing.T, s *Sample, i int) {
	t.Helper()
	Check(t, s.Store.Desk.SetAside(t.Context(), s.Campaign.ID, s.Annotators[i].Login, "misread the guide", s.Lead.ID))
}

// Restore restores the work of annotator i, in the name of the lead.
func Restore(t *testing.T, s *Sample, i int) {
	t.Helper()
	Check(t, s.Store.Desk.RestoreAnnotator(t.Context(), s.Campaign.ID, s.Annotators[i].Login, "a mistake of mine", s.Lead.ID))
}

// RateBoth has the first two annotators rate the nth segment in round 1: the first gives 0, 2 and 4, and the
// second the scores.
func RateBoth(t *testing.T, db *DB, s *Sample, n int, scores ...float64) {
	t.Helper()
	RateFirst(t, db, s, n, 0, 0, 2, 4)
	RateFirst(t, db, s, n, 1, scores...)
}

// RateFirst hands segment n out to annotator i in round 1, even if the annotator has other work,
// and rates it.
func RateFirst(t *testing.T, db *DB, s *Sample, n, i int, scores ...float64) {
	t.Helper()
	s.Rate(t, i, HandOut(t, db, s, n, i), scores...)
}

// HandOut hands segment n of document d1 out to annotator i.
func HandOut(t *testing.T, db *DB, s *Sample, n, i int) string {
	t.Helper()
	u, row := s.Annotators[i], s.RowID(t, "d1", "s"+string(rune('0'+n)))
	id := row + "/" + u.Login
	if Count(t, db, "assignments WHERE segment_id = ? AND user_id = ? AND round = 1", row, u.ID) > 0 {
		return Query[string](t, db, "SELECT id FROM assignments WHERE segment_id = ? AND user_id = ? AND round = 1", row, u.ID)[0]
	}
	now := db.Clock.Now().UnixMicro()
	Exec(
		t, db,
		`INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at) VALUES (?, ?, ?, ?, 1, 'open', 7, ?, ?)`,
		id, s.Campaign.ID, row, u.ID, now, now,
	)
	return id
}

// TurnOf returns the id of an annotator's assignment for a segment in a round.
func TurnOf(t *testing.T, db *DB, segment, login string, round int) string {
	t.Helper()
	ids := Query[string](t, db, `SELECT a.id FROM assignments a JOIN users u ON u.id = a.user_id JOIN segments g ON g.id = a.segment_id
		WHERE g.segment_id = ? AND u.login = ? AND a.round = ?`, segment, login, round)
	if len(ids) != 1 {
		t.Fatalf("%d assignments of %s at %s in round %d", len(ids), login, segment, round)
	}
	return ids[0]
}

// SegmentOf returns the external id of the segment of an assignment.
func SegmentOf(t testing.TB, s *Sample, i int, assignment string) string {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(s.Work(t, i, assignment).Source, "源文本 %d。", &n); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint("s", n)
}

// ReportProblem reports a problem in the name of annotator i.
func ReportProblem(t *testing.T, s *Sample, i int, assignment, text string) {
	t.Helper()
	Check(t, s.Store.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[i].ID, assignment, text))
}

// AllProblems lists the problems of a campaign.
func AllProblems(t *testing.T, s *Sample) []readmodel.Problem {
	t.Helper()
	return Must(s.Store.Work.Problems(t.Context(), s.Campaign.ID, work.ProblemFilter{}))(t).Problems
}

// Submit submits an assignment. revisions are those of the cards, in the order of annotator i.
func Submit(t *testing.T, s *Sample, i int, assignment string, revisions ...int) error {
	t.Helper()
	seen := map[string]int{}
	cards := s.Work(t, i, assignment).Cards
	for place, revision := range revisions {
		seen[cards[place].ID] = revision
	}
	return s.Store.Work.Submit(t.Context(), s.Campaign, s.Annotators[i].ID, assignment, seen)
}

// Save stores the card at a place of annotator 0's order.
func Save(t *testing.T, s *Sample, card int, c work.CardSave) (work.Saved, error) {
	t.Helper()
	if w, err := s.Store.Work.LoadWork(t.Context(), s.Campaign, c.AssignmentID, s.Annotators[0].ID); err == nil {
		c.CardID = w.Cards[card].ID
	}
	return s.Store.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, c)
}

// Skip has annotator i skip an assignment.
func (s *Sample) Skip(t testing.TB, i int, assignment, reason string) {
	t.Helper()
	Check(t, s.Store.Work.Skip(t.Context(), s.Campaign, s.Annotators[i].ID, assignment, reason))
}

// Join makes somebody with an account a member, in the name of the lead.
func (s *Sample) Join(t testing.TB, login string, role campaign.Role) {
	t.Helper()
	Check(t, s.Store.Accounts.AddMember(t.Context(), s.Campaign.ID, login, role, s.Lead.ID))
}

// Remove removes a member, in the name of the lead.
func (s *Sample) Remove(t testing.TB, login string) {
	t.Helper()
	Check(t, s.Store.Accounts.RemoveMember(t.Context(), s.Campaign.ID, login, s.Lead.ID))
}

// Progress is what the desk says of the campaign.
func (s *Sample) Progress(t testing.TB) desk.Progress {
	t.Helper()
	return Must(s.Store.Desk.Progress(t.Context(), s.Campaign))(t)
}

// MyProgress is what annotator i sees of their own work.
func (s *Sample) MyProgress(t testing.TB, i int) desk.MyProgress {
	t.Helper()
	return Must(s.Store.Desk.MyProgress(t.Context(), s.Campaign, s.Annotators[i].ID))(t)
}

// Detail is what the desk says of a segment of document d1.
func (s *Sample) Detail(t testing.TB, segment string) desk.SegmentDetail {
	t.Helper()
	return Must(s.Store.Desk.Segment(t.Context(), s.Campaign, s.RowID(t, "d1", segment)))(t)
}
