package rounds

import (
	"context"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A memberChange says that somebody became, or is no longer, an active annotator of a
// campaign. The states of all segments that they were ever given follow from that. Few
// segments are followed in the transaction of the change. Many are followed in steps
// after it, so that no save waits for all of them. If the program is killed meanwhile, a
// row of member_changes is left, and the next program goes on.
type memberChange struct{ CampaignID, UserID string }

// FollowMember brings the segments that a user was ever given in a campaign in line with
// their membership as it is now.
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
	if len(ids) <= s.ActStep {
		return s.followPart(tx, c, m, ids)
	}
	tx.AfterCommit(func(ctx context.Context) { s.followCommitted(ctx, m) })
	return tx.Exec(`INSERT INTO member_changes (campaign_id, user_id) VALUES (?, ?)
		ON CONFLICT (campaign_id, user_id) DO UPDATE SET change = member_changes.change + 1`, campaignID, userID).Error
}

// segmentsOfMember are the ids of the segments that the user was ever given, sorted.
func segmentsOfMember(db *gorm.DB, m memberChange) (ids []string, err error) {
	err = db.Raw("SELECT DISTINCT segment_id FROM assignments WHERE campaign_id = ? AND user_id = ?", m.CampaignID, m.UserID).Scan(&ids).Error
	slices.Sort(ids)
	return ids, err
}

// followPart brings some segments in line with a membership. Doing it twice changes
// nothing more.
func (s *Store) followPart(tx *database.Tx, c campaign.Campaign, m memberChange, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := records.LockSegments(tx, ids...); err != nil {
		return err
	}
	var aside bool
	var since database.Instant // when they were set aside last
	err := database.Scan(tx.Raw(`SELECT set_aside, (SELECT coalesce(max(x.at), 0) FROM set_asides x WHERE x.campaign_id = m.campaign_id AND x.user_id = m.user_id)
		FROM memberships m WHERE m.campaign_id = ? AND m.user_id = ?`, m.CampaignID, m.UserID), &aside, &since)
	if err != nil {
		return err
	}
	if aside {
		// Everything that counts or hands out asks for a state; released, an assignment
		// is in nobody's way.
		err = tx.Exec("UPDATE assignments AS a SET set_aside = state, state = 'released' WHERE user_id = ? AND set_aside = '' AND "+records.Annotates+" AND segment_id IN ?", m.UserID, ids).Error
	} else {
		err = restoreAssignments(tx, c, m.UserID, since, ids)
	}
	if err != nil {
		return err
	}
	return s.Follow(tx, c, ids...)
}

// restoreAssignments gives a user the assignments back that were set aside.
func restoreAssignments(tx *database.Tx, c campaign.Campaign, userID string, since database.Instant, ids []string) error {
	res := tx.Exec("UPDATE assignments SET state = set_aside, set_aside = '' WHERE set_aside <> '' AND user_id = ? AND segment_id IN ?", userID, ids)
	if res.Error != nil || res.RowsAffected == 0 {
		return res.Error
	}
	return freeShortage(tx, c, userID, since, ids)
}

// followCommitted follows the segments of a change that is committed. If that fails,
// [Store.FollowLeft] tries it again later.
func (s *Store) followCommitted(ctx context.Context, m memberChange) {
	if err := s.followChanged(context.WithoutCancel(ctx), m); err != nil {
		s.Log.Error("decide the segments of an annotator anew; this is tried again later", "campaign", m.CampaignID, "user", m.UserID, "error", err)
	}
}

// followChanged follows the segments of a change in steps. Several programs may do so at
// the same time.
func (s *Store) followChanged(ctx context.Context, m memberChange) error {
	var change int64
	err := database.Scan(s.Read(ctx).Raw("SELECT coalesce(max(change), 0) FROM member_changes WHERE campaign_id = ? AND user_id = ?", m.CampaignID, m.UserID), &change)
	if err != nil || change == 0 {
		return database.Translate(err)
	}
	ids, err := segmentsOfMember(s.Read(ctx), m)
	if err != nil {
		return database.Translate(err)
	}
	for part := range slices.Chunk(ids, s.ActStep) {
		err := s.WriteLong(ctx, func(tx *database.Tx) error {
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
	return s.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM member_changes WHERE campaign_id = ? AND user_id = ? AND change = ?", m.CampaignID, m.UserID, change).Error
	})
}

// FollowLeft follows what programs left that were killed.
func (s *Store) FollowLeft(ctx context.Context) error {
	var left []memberChange
	if err := s.Read(ctx).Raw("SELECT campaign_id, user_id FROM member_changes ORDER BY campaign_id, user_id").Scan(&left).Error; err != nil {
		return database.Translate(err)
	}
	for _, m := range left {
		if err := s.followChanged(ctx, m); err != nil {
			return err
		}
	}
	return nil
}
