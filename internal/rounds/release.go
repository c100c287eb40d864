package rounds

import (
	"annotate/internal/database"
	"annotate/internal/records"
)

// Release releases open assignments of a campaign for which a condition is true. That frees their
// places. args are the parameters of the condition. It releases at most limit assignments, and reports
// whether there are more.
func (s *Store) Release(tx *database.Tx, campaignID string, limit int, where string, args ...any) (more bool, err error) {
	var rows []struct{ ID, SegmentID string }
	err = tx.Raw("SELECT id, segment_id FROM assignments WHERE campaign_id = ? AND state = 'open' AND "+where+" ORDER BY segment_id LIMIT ?",
		append(append([]any{campaignID}, args...), limit+1)...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return false, err
	}
	if len(rows) > limit {
		rows, more = rows[:limit], true
	}
	ids, segments := make([]string, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		ids[i], segments[i] = r.ID, r.SegmentID
	}
	if err := records.LockSegments(tx, segments...); err != nil {
		return false, err
	}
	// Before the lock, an annotator may have gone on with an assignment.
	if err := EachPart(tx, ids, "UPDATE assignments SET state = 'released' WHERE state = 'open' AND "+where+" AND id IN ?", args...); err != nil {
		return false, err
	}
	return more, RecountPlaces(tx, segments)
}
