package rounds

import (
	"annotate/internal/database"
	"slices"
)

// CountMeetings adds 1 to the number of segments that the user shares with each other
// annotator in round 1, for each of the segments, which were just given to the user.
func CountMeetings(tx *database.Tx, campaignID, userID string, segmentIDs []string) error {
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
