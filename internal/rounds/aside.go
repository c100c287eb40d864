package rounds

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// SetAsideFlag sets an annotator aside or back, and their segments with them.
func (s *Store) SetAsideFlag(tx *database.Tx, c campaign.Campaign, userID string, aside bool) error {
	at := database.Instant(0)
	if aside {
		at = database.InstantOf(tx.Now())
	}
	err := tx.Exec("UPDATE memberships SET set_aside = ?, set_aside_at = ? WHERE campaign_id = ? AND user_id = ?", aside, at, c.ID, userID).Error
	if err != nil {
		return err
	}
	return s.FollowMember(tx, userID, c.ID)
}

// FollowUser is FollowMember in all campaigns in which a user annotates.
func (s *Store) FollowUser(tx *database.Tx, userID string) error {
	var ids []string
	err := tx.Raw("SELECT campaign_id FROM memberships WHERE user_id = ? AND role = 'annotator' ORDER BY campaign_id", userID).Scan(&ids).Error
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.FollowMember(tx, userID, id); err != nil {
			return err
		}
	}
	return nil
}

// LetIn notes that a user has been given a way to sign in. Of one whose account an
// import made, that makes an active annotator.
func (s *Store) LetIn(tx *database.Tx, userID string) error {
	res := tx.Exec("UPDATE users SET imported = ? WHERE id = ? AND imported", false, userID)
	if res.Error != nil || res.RowsAffected == 0 {
		return res.Error
	}
	return s.FollowUser(tx, userID)
}

// IsSetAside reports whether a lead has set the work of a campaign's annotator aside.
func (s *Store) IsSetAside(ctx context.Context, campaignID, userID string) (aside bool, err error) {
	err = database.Scan(s.Read(ctx).Raw("SELECT count(*) > 0 FROM memberships WHERE campaign_id = ? AND user_id = ? AND set_aside", campaignID, userID), &aside)
	return aside, database.Translate(err)
}

// An annotatorRow is an annotator of a campaign, as acts of a lead find them.
type annotatorRow struct {
	UserID     string
	Removed    bool
	Disabled   bool
	SetAside   bool
	SetAsideAt database.Instant
}

// FindAnnotator finds an annotator of a campaign, removed ones included.
func FindAnnotator(db *gorm.DB, campaignID, login string) (annotatorRow, error) {
	var m annotatorRow
	err := database.Scan(db.Raw(`SELECT m.user_id, m.removed, u.disabled, m.set_aside, m.set_aside_at FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.campaign_id = ? AND u.login = ? AND m.role = 'annotator'`, campaignID, login), &m.UserID, &m.Removed, &m.Disabled, &m.SetAside, &m.SetAsideAt)
	if errors.Is(err, database.ErrNoRows) {
		return m, fmt.Errorf("the campaign has no annotator %q: %w", login, campaign.ErrNotFound)
	}
	return m, err
}

// freeShortage releases the places of round 1 that others were given while an
// annotator was set aside and have not begun, as far as a segment has more than it
// needs now: the latest first. What a lead gave them stays.
func freeShortage(tx *database.Tx, c campaign.Campaign, userID string, since database.Instant, ids []string) error {
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
