package rounds

import (
	"context"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// FollowMember brings the states of the segments that a user was ever given in a campaign in
// line with the user's present membership: the user became, or is no longer, an active annotator.
// If the segments are few, they follow in the transaction of the change, and otherwise in a [job]
// after it.
func (s *Store) FollowMember(tx *database.Tx, userID, campaignID string) error {
	c, err := records.LockCampaign(tx, campaignID)
	if err != nil {
		return err
	}
	var ids []string
	if err := tx.Raw("SELECT DISTINCT segment_id FROM assignments WHERE campaign_id = ? AND user_id = ?",
		campaignID, userID).Scan(&ids).Error; err != nil {
		return err
	}
	if len(ids) <= s.db.ActStep {
		slices.Sort(ids)
		return s.followMemberPart(tx, c, userID, ids)
	}
	j := job{ID: campaignID + "/" + userID, Kind: memberJob, CampaignID: campaignID, UserID: userID, State: "{}"}
	tx.AfterCommit(func(ctx context.Context) {
		if err := s.doJob(context.WithoutCancel(ctx), j.ID); err != nil {
			s.db.Log.Error("decide the segments of an annotator anew; this is tried again later", "campaign",
				campaignID, "user", userID, "error", err)
		}
	})
	if begun, err := j.begin(tx); err != nil || begun {
		return err
	}
	// The job of an earlier change of the same membership begins again.
	return tx.Exec("UPDATE jobs SET position = 0 WHERE id = ?", j.ID).Error
}

// followMemberPart is [Store.FollowMember] for some of the segments. Doing it twice has the same
// effect as doing it once.
func (s *Store) followMemberPart(tx *database.Tx, c campaign.Campaign, userID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := records.LockSegments(tx, ids...); err != nil {
		return err
	}
	var aside bool
	var since database.Instant // when the annotator was set aside last
	err := database.Scan(
		tx.Raw(`SELECT set_aside, (SELECT coalesce(max(x.at), 0) FROM set_asides x WHERE x.campaign_id = m.campaign_id AND x.user_id = m.user_id)
		FROM memberships m WHERE m.campaign_id = ? AND m.user_id = ?`, c.ID, userID),
		&aside,
		&since,
	)
	if err != nil {
		return err
	}
	if aside {
		// A released assignment counts nowhere and takes no place. The column set_aside
		// keeps the state that it had.
		err = tx.Exec(
			"UPDATE assignments AS a SET set_aside = state, state = 'released' WHERE user_id = ? AND set_aside = '' AND "+records.Annotates+" AND segment_id IN ?",
			userID, ids,
		).Error
	} else {
		err = restoreAssignments(tx, c, userID, since, ids)
	}
	if err != nil {
		return err
	}
	return s.Follow(tx, c, ids...)
}

// restoreAssignments gives a user's assignments the states that they had before they were
// set aside.
func restoreAssignments(tx *database.Tx, c campaign.Campaign, userID string, since database.Instant, ids []string) error {
	res := tx.Exec("UPDATE assignments SET state = set_aside, set_aside = '' WHERE set_aside <> '' AND user_id = ? AND segment_id IN ?", userID, ids)
	if res.Error != nil || res.RowsAffected == 0 {
		return res.Error
	}
	return releaseSurplus(tx, c, userID, since, ids)
}

// releaseSurplus releases assignments of round 1 where a segment has more of them than
// places. It releases only those that others were given while the annotator was set aside and
// that they have not begun, the latest first. Assignments that a lead handed out stay.
func releaseSurplus(tx *database.Tx, c campaign.Campaign, userID string, since database.Instant, ids []string) error {
	var rows []struct {
		ID, SegmentID string
		Taken, Places int
	}
	err := tx.Raw(`SELECT a.id, a.segment_id, (SELECT count(*) FROM assignments x WHERE x.segment_id = a.segment_id AND `+strings.ReplaceAll(TakesPlace, "a.", "x.")+`) AS taken,
			CASE WHEN s.imported > 0 AND s.imported < ? THEN s.imported ELSE ? END AS places
		FROM assignments a JOIN segments s ON s.id = a.segment_id WHERE a.segment_id IN ? AND a.user_id <> ? AND a.round = 1 AND a.state = 'open' AND a.started_at >= ? AND NOT a.added
			AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id)
		ORDER BY a.started_at DESC, a.id DESC`, c.Settings.Redundancy, c.Settings.Redundancy, ids, userID, since).
		Scan(&rows).
		Error
	if err != nil {
		return err
	}
	freed := map[string]int{}
	for _, r := range rows {
		if r.Taken-freed[r.SegmentID] <= r.Places {
			continue
		}
		freed[r.SegmentID]++
		if err := tx.Exec("UPDATE assignments SET state = 'released' WHERE id = ?", r.ID).Error; err != nil {
			return err
		}
	}
	return nil
}
