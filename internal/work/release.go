package work

import (
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// ReleaseIdle releases open assignments of round 1 that were not worked on for release_hours, which
// frees their places. Their drafts are kept. If a whole document was handed out, none of its assignments
// is released while the annotator works on one of them. It releases at most as many as belong to one
// step, and reports whether there are more.
func (s *Store) ReleaseIdle(tx *database.Tx, c campaign.Campaign) (more bool, err error) {
	if c.Settings.ReleaseHours <= 0 {
		return false, nil
	}
	since := database.InstantOf(tx.Now().Add(-time.Duration(c.Settings.ReleaseHours * float64(time.Hour))))
	const idle = `state = 'open' AND round = 1 AND touched_at < ? AND (NOT whole
		OR (user_id, (SELECT x.document_id FROM all_segments x WHERE x.id = assignments.segment_id)) NOT IN (SELECT o.user_id, e.document_id
			FROM assignments o JOIN all_segments e ON e.id = o.segment_id
			WHERE o.campaign_id = ? AND o.state IN ('open', 'submitted', 'released', 'problem') AND o.touched_at >= ? AND o.whole))`
	var rows []struct{ ID, SegmentID string }
	err = tx.Raw("SELECT id, segment_id FROM assignments WHERE "+idle+" AND campaign_id = ? ORDER BY segment_id"+database.Limit(s.documentStep()+1),
		since, c.ID, since, c.ID).
		Scan(&rows).
		Error
	if err != nil || len(rows) == 0 {
		return false, err
	}
	if more = len(rows) > s.documentStep(); more {
		rows = rows[:s.documentStep()]
	}
	ids, segments := make([]string, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		ids[i], segments[i] = r.ID, r.SegmentID
	}
	if err := records.LockSegments(tx, segments...); err != nil {
		return false, err
	}
	// Before the lock, an annotator may have gone on with an assignment.
	if err := rounds.EachPart(tx, ids, "UPDATE assignments SET state = 'released' WHERE "+idle+" AND id IN ?",
		since, c.ID, since); err != nil {
		return false, err
	}
	return more, rounds.RecountPlaces(tx, segments)
}
