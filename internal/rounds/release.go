package rounds

import (
	"annotate/internal/database"
	"annotate/internal/records"
)

// Release releases open assignments of a campaign for which a condition is true. That frees their
// places. args are the parameters of the condition. It releases at most limit assignments, or all of
// them if limit is 0, and reports whether there are more.
func (s *Store) Release(tx *database.Tx, campaignID string, limit int, where string, args ...any) (more bool, err error) {
	query, params := "SELECT id, segment_id FROM assignments WHERE campaign_id = ? AND state = 'open' AND "+where+" ORDER BY segment_id", append([]any{campaignID}, args...)
	if limit > 0 {
		query, params = query+" LIMIT ?", append(params, limit+1)
	}
	var rows []struct{ ID, SegmentID string }
	if err := tx.Raw(query, params...).Scan(&rows).Error; err != nil || len(rows) == 0 {
		return false, err
	}
	if limit > 0 && len(rows) > limit {
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
