package rounds

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A memberChange says that a user became, or is no longer, an active annotator of a
// campaign. That can change the state of every segment that the user was ever given. If these
// are few, their states follow in the transaction of the change. If they are many, their
// states follow in steps after it, so that no save waits for all of them. If the program is
// killed before the last step, a row of member_changes stays, and the next start of the
// program continues ([Store.ResumeMemberChanges]).
type memberChange struct{ CampaignID, UserID string }

// FollowMember brings the states of the segments that a user was ever given in a campaign in
// line with the user's present membership.
func (s *Store) FollowMember(tx *database.Tx, userID, campaignID string) error {
	c, err := records.LockCampaign(tx, campaignID)
	if err != nil {
		return err
	}
	m := memberChange{CampaignID: campaignID, UserID: userID}
	ids, err := segmentsOfMember(tx.DB, m)
	if err != nil {
		return err
	}
	if len(ids) <= s.db.ActStep {
		return s.followPart(tx, c, m, ids)
	}
	tx.AfterCommit(func(ctx context.Context) { s.followCommitted(ctx, m) })
	return tx.Exec(`INSERT INTO member_changes (campaign_id, user_id) VALUES (?, ?)
		ON CONFLICT (campaign_id, user_id) DO UPDATE SET change = member_changes.change + 1`, campaignID, userID).Error
}

// segmentsOfMember reads the ids of the segments that the user was ever given, sorted.
func segmentsOfMember(db *gorm.DB, m memberChange) (ids []string, err error) {
	err = db.Raw("SELECT DISTINCT segment_id FROM assignments WHERE campaign_id = ? AND user_id = ?", m.CampaignID, m.UserID).Scan(&ids).Error
	slices.Sort(ids)
	return ids, err
}

// followPart is [Store.FollowMember] for some of the segments. Doing it twice has the same
// effect as doing it once.
func (s *Store) followPart(tx *database.Tx, c campaign.Campaign, m memberChange, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := records.LockSegments(tx, ids...); err != nil {
		return err
	}
	var aside bool
	var since database.Instant // when the annotator was set aside last
	err := database.Scan(tx.Raw(`SELECT set_aside, (SELECT coalesce(max(x.at), 0) FROM set_asides x WHERE x.campaign_id = m.campaign_id AND x.user_id = m.user_id)
		FROM memberships m WHERE m.campaign_id = ? AND m.user_id = ?`, m.CampaignID, m.UserID), &aside, &since)
	if err != nil {
		return err
	}
	if aside {
		// A released assignment counts nowhere and takes no place. The column set_aside
		// keeps the state that it had.
		err = tx.Exec("UPDATE assignments AS a SET set_aside = state, state = 'released' WHERE user_id = ? AND set_aside = '' AND "+records.Annotates+" AND segment_id IN ?", m.UserID, ids).Error
	} else {
		err = restoreAssignments(tx, c, m.UserID, since, ids)
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

// followCommitted lets the segments follow after the change was committed. If that fails,
// [Store.ResumeMemberChanges] tries it again later.
func (s *Store) followCommitted(ctx context.Context, m memberChange) {
	if err := s.followInSteps(context.WithoutCancel(ctx), m); err != nil {
		s.db.Log.Error("decide the segments of an annotator anew; this is tried again later", "campaign", m.CampaignID, "user", m.UserID, "error", err)
	}
}

// followInSteps lets the segments follow a change in steps. Several processes may do so at
// the same time.
func (s *Store) followInSteps(ctx context.Context, m memberChange) error {
	var change int64
	err := database.Scan(s.db.Read(ctx).Raw("SELECT coalesce(max(change), 0) FROM member_changes WHERE campaign_id = ? AND user_id = ?", m.CampaignID, m.UserID), &change)
	if err != nil || change == 0 {
		return database.Translate(err)
	}
	ids, err := segmentsOfMember(s.db.Read(ctx), m)
	if err != nil {
		return database.Translate(err)
	}
	for part := range slices.Chunk(ids, s.db.ActStep) {
		err := s.db.WriteLong(ctx, func(tx *database.Tx) error {
			c, err := records.LockCampaign(tx, m.CampaignID)
			if err != nil {
				return err
			}
			return s.followPart(tx, c, m, part)
		})
		if err != nil {
			return err
		}
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM member_changes WHERE campaign_id = ? AND user_id = ? AND change = ?", m.CampaignID, m.UserID, change).Error
	})
}

// ResumeMemberChanges completes the changes that programs had not completed when they were
// killed.
func (s *Store) ResumeMemberChanges(ctx context.Context) error {
	var left []memberChange
	if err := s.db.Read(ctx).Raw("SELECT campaign_id, user_id FROM member_changes ORDER BY campaign_id, user_id").Scan(&left).Error; err != nil {
		return database.Translate(err)
	}
	for _, m := range left {
		if err := s.followInSteps(ctx, m); err != nil {
			return err
		}
	}
	return nil
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
		ORDER BY a.started_at DESC, a.id DESC`, c.Settings.Redundancy, c.Settings.Redundancy, ids, userID, since).Scan(&rows).Error
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
