package rounds

import (
	"annotate/internal/database"
	"annotate/internal/records"
)

// Release releases the open assignments of a campaign for which a condition is true. That
// frees their places. args are the parameters of the condition.
func (s *Store) Release(tx *database.Tx, campaignID, where string, args ...any) error {
	var rows []struct{ ID, SegmentID string }
	err := tx.Raw("SELECT id, segment_id FROM assignments WHERE campaign_id = ? AND state = 'open' AND "+where+" ORDER BY segment_id", append([]any{campaignID}, args...)...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return err
	}
	for _, r := range rows {
		if err := records.LockSegments(tx, r.SegmentID); err != nil {
			return err
		}
		err := tx.Exec("UPDATE assignments SET state = 'released' WHERE id = ? AND state = 'open' AND "+where, append([]any{r.ID}, args...)...).Error
		if err != nil {
			return err
		}
		if err := RecountPlaces(tx, []string{r.SegmentID}); err != nil {
			return err
		}
	}
	return nil
}
