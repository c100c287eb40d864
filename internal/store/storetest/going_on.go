package storetest

import (
	"slices"
	"testing"

	"annotate/internal/desk"
	"annotate/internal/records"
	"annotate/internal/work"
)

// CheckGoesOn fails the test if a segment is forgotten: it is pending or sent back, no active
// annotator has it open or gets it on asking for work, and no list of the desk names it among those
// that need a lead. what says when.
func CheckGoesOn(t testing.TB, s *Sample, what string) {
	t.Helper()
	var annotators, reached []string
	Check(
		t,
		s.Store.DB.Read(t.Context()).
			Raw("SELECT u.id FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ? AND "+records.ActiveMember, s.Campaign.ID).
			Scan(&annotators).
			Error,
	)
	for _, userID := range annotators {
		reached = append(reached, within(t, s, userID)...)
	}
	checkNamed(t, s, what, reached)
}

// CheckNamed fails the test if a segment is pending or sent back, and no list of the desk names it
// among those that need a lead.
func CheckNamed(t testing.TB, s *Sample, what string) {
	t.Helper()
	checkNamed(t, s, what, nil)
}

// checkNamed is [CheckNamed] for all segments but those with the ids in reached.
func checkNamed(t testing.TB, s *Sample, what string, reached []string) {
	t.Helper()
	db, c := s.Store.DB.Read(t.Context()), s.Campaign
	for _, only := range []string{desk.QueueStuck, desk.QueueStranded} {
		reached = append(reached, Must(s.Store.Desk.QueueIDs(t.Context(), c, desk.QueueFilter{Only: only, Limit: 1000}))(t)...)
	}
	for _, p := range Must(s.Store.Work.Problems(t.Context(), c.ID, work.ProblemFilter{}))(t).Problems {
		if p.ResolvedAt.IsZero() {
			reached = append(reached, p.SegmentRowID)
		}
	}
	var unsettled []struct {
		ID, SegmentID, Status  string
		Round, Taken, Imported int
	}
	Check(
		t,
		db.Raw("SELECT id, segment_id, status, round, taken, imported FROM segments WHERE campaign_id = ? AND status IN ('pending', 'reannotate') ORDER BY position", c.ID).
			Scan(&unsettled).
			Error,
	)
	for _, u := range unsettled {
		if slices.Contains(reached, u.ID) {
			continue
		}
		var turns []string
		Check(
			t,
			db.Raw(`SELECT u.login || '/' || a.round || ' ' || a.state || ' ' || a.work || ' ' || CASE WHEN `+records.ActiveMember+` THEN 'active' ELSE 'away' END
			FROM assignments a JOIN users u ON u.id = a.user_id JOIN memberships m ON m.user_id = a.user_id AND m.campaign_id = a.campaign_id
			WHERE a.segment_id = ? ORDER BY a.round, u.login`, u.ID).
				Scan(&turns).
				Error,
		)
		t.Errorf(
			"%s: nobody can go on with %s, and the desk does not say so: it is %s in round %d, %d places taken, %d imported; %q", what, u.SegmentID,
			u.Status, u.Round, u.Taken, u.Imported, turns,
		)
	}
}

// within lists the ids of the segments that an active annotator has open or gets on asking for work.
func within(t testing.TB, s *Sample, userID string) (ids []string) {
	t.Helper()
	db, c := s.Store.DB.Read(t.Context()), s.Campaign
	available, args := work.Available(c, userID)
	if c.Settings.Assign == "document" {
		available, args = available+" AND "+work.NotReserved, append(args, userID, userID, c.Settings.Redundancy)
	}
	rules, rulesArgs, err := work.PlanCondition(db, c, userID)
	Check(t, err)
	args = append(append([]any{c.ID}, args...), rulesArgs...)
	args = append(args, userID, c.Settings.Redundancy)
	err = db.Raw(`SELECT s.id FROM segments s WHERE s.campaign_id = ? AND (`+available+rules+` OR EXISTS (SELECT 1 FROM assignments a
		WHERE a.segment_id = s.id AND a.user_id = ? AND (a.state = 'open' AND s.held = FALSE AND `+work.Asked+` OR `+work.IsTakenUpAgain+`)))`, args...).Scan(&ids).Error
	Check(t, err)
	return ids
}
