package rounds

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"annotate/internal/database"
)

// CountMeetings adds 1 to the number of segments that the user shares with each other
// annotator in round 1, for each of the segments, which were just given to the user.
func CountMeetings(tx *database.Tx, campaignID, userID string, segmentIDs []string) error {
	for part := range slices.Chunk(segmentIDs, FollowBatch) {
		var others []struct {
			UserID   string
			Segments int
		}
		err := tx.Raw("SELECT user_id, count(*) AS segments FROM assignments WHERE segment_id IN ? AND round = 1 AND user_id <> ? GROUP BY user_id ORDER BY user_id", part, userID).
			Scan(&others).
			Error
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

// UncountMeetings takes back what CountMeetings added for assignments that are about to be deleted.
// These are the assignments of the given segments for whose ids leaves is true.
func UncountMeetings(tx *database.Tx, campaignID string, segmentIDs []string, leaves func(assignmentID string) bool) error {
	type turn struct{ ID, SegmentID, UserID string }
	bySegment := map[string][]turn{}
	for part := range slices.Chunk(segmentIDs, FollowBatch) {
		var turns []turn
		if err := tx.Raw("SELECT id, segment_id, user_id FROM assignments WHERE segment_id IN ? AND round = 1",
			part).Scan(&turns).Error; err != nil {
			return err
		}
		for _, t := range turns {
			bySegment[t.SegmentID] = append(bySegment[t.SegmentID], t)
		}
	}
	fewer := map[[2]string]int{} // number of segments by the ids of two users
	for _, turns := range bySegment {
		for i, a := range turns {
			for k, b := range turns {
				if i != k && (leaves(a.ID) || leaves(b.ID)) {
					fewer[[2]string{a.UserID, b.UserID}]++
				}
			}
		}
	}
	if len(fewer) == 0 {
		return nil
	}
	pairs := slices.SortedFunc(maps.Keys(fewer), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	for _, pair := range pairs {
		err := tx.Exec(
			"UPDATE meetings SET segments = segments - ? WHERE campaign_id = ? AND user_id = ? AND other_id = ?", fewer[pair], campaignID, pair[0],
			pair[1],
		).Error
		if err != nil {
			return err
		}
	}
	return tx.Exec("DELETE FROM meetings WHERE campaign_id = ? AND segments <= 0", campaignID).Error
}
