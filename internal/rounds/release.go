package rounds

import (
	"slices"

	"annotate/internal/database"
	"annotate/internal/records"
)

// Meet counts that the user, who has just joined the segments, shares each with all who
// are on it.
func Meet(tx *database.Tx, campaignID, userID string, segmentIDs []string) error {
	for part := range slices.Chunk(segmentIDs, FollowBatch) {
		var others []struct {
			UserID   string
			Segments int
		}
		err := tx.Raw("SELECT user_id, count(*) AS segments FROM assignments WHERE segment_id IN ? AND round = 1 AND user_id <> ? GROUP BY user_id ORDER BY user_id", part, userID).Scan(&others).Error
		if err != nil {
			return err
		}
		met := database.NewRows("meetings", "campaign_id", "user_id", "other_id", "segments")
		for _, o := range others {
			met.Add(campaignID, userID, o.UserID, o.Segments)
			met.Add(campaignID, o.UserID, userID, o.Segments)
		}
		if err := met.Write(tx, " ON CONFLICT (campaign_id, user_id, other_id) DO UPDATE SET segments = meetings.segments + excluded.segments"); err != nil {
			return err
		}
	}
	return nil
}

// Release frees the places of the open assignments of a campaign that a condition
// finds.
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
