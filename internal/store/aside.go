package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// SetAside sets the work of the annotator named login aside: it leaves gate,
// matrices, gold, exports and counts, nothing is handed out to them, and nobody waits
// for what they have open, whose drafts are kept. Segments left short are open again.
// No rating is deleted: [Store.RestoreAnnotator] brings back exactly what was, unless
// others have submitted in between.
//
// The reason must not be empty (*campaign.InvalidError of "reason"). ErrNotFound for
// somebody who is no annotator of the campaign, ErrConflict where the work is set
// aside already.
func (s *Store) SetAside(ctx context.Context, campaignID, login, reason, byID string) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		m, err := findAnnotator(tx, c.ID, login)
		if err != nil {
			return err
		}
		if m.SetAside {
			return fmt.Errorf("the work of %s is set aside already: %w", login, campaign.ErrConflict)
		}
		if err := s.keepAside(tx, c, m.UserID, reason, byID, instantOf(s.now())); err != nil {
			return err
		}
		if err := s.setAsideFlag(tx, c, m.UserID, true); err != nil {
			return err
		}
		return s.audit(tx, c.ID, byID, "set annotator aside", login, reason)
	})
}

// RestoreAnnotator takes [Store.SetAside] back. ErrConflict where the work is not set
// aside.
func (s *Store) RestoreAnnotator(ctx context.Context, campaignID, login, reason, byID string) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		m, err := findAnnotator(tx, c.ID, login)
		if err != nil {
			return err
		}
		if !m.SetAside {
			return fmt.Errorf("the work of %s is not set aside: %w", login, campaign.ErrConflict)
		}
		err = tx.Exec("UPDATE set_asides SET restored_at = ? WHERE campaign_id = ? AND user_id = ? AND restored_at = 0", instantOf(s.now()), c.ID, m.UserID).Error
		if err != nil {
			return err
		}
		if err := s.setAsideFlag(tx, c, m.UserID, false); err != nil {
			return err
		}
		return s.audit(tx, c.ID, byID, "restore annotator", login, reason)
	})
}

// setAsideFlag sets an annotator aside or back, and their segments with them.
func (s *Store) setAsideFlag(tx *gorm.DB, c campaign.Campaign, userID string, aside bool) error {
	at := instant(0)
	if aside {
		at = instantOf(s.now())
	}
	err := tx.Exec("UPDATE memberships SET set_aside = ?, set_aside_at = ? WHERE campaign_id = ? AND user_id = ?", aside, at, c.ID, userID).Error
	if err != nil {
		return err
	}
	return s.followMember(tx, userID, c.ID)
}

// followUser is followMember in all campaigns in which a user annotates.
func (s *Store) followUser(tx *gorm.DB, userID string) error {
	var ids []string
	err := tx.Raw("SELECT campaign_id FROM memberships WHERE user_id = ? AND role = 'annotator' ORDER BY campaign_id", userID).Scan(&ids).Error
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.followMember(tx, userID, id); err != nil {
			return err
		}
	}
	return nil
}

// letIn notes that a user has been given a way to sign in. Of one whose account an
// import made, that makes an active annotator.
func (s *Store) letIn(tx *gorm.DB, userID string) error {
	res := tx.Exec("UPDATE users SET imported = ? WHERE id = ? AND imported", false, userID)
	if res.Error != nil || res.RowsAffected == 0 {
		return res.Error
	}
	return s.followUser(tx, userID)
}

// IsSetAside reports whether a lead has set the work of a campaign's annotator aside.
func (s *Store) IsSetAside(ctx context.Context, campaignID, userID string) (aside bool, err error) {
	err = scan(s.read(ctx).Raw("SELECT count(*) > 0 FROM memberships WHERE campaign_id = ? AND user_id = ? AND set_aside", campaignID, userID), &aside)
	return aside, translate(err)
}

// An annotatorRow is an annotator of a campaign, as acts of a lead find them.
type annotatorRow struct {
	UserID     string
	Removed    bool
	Disabled   bool
	SetAside   bool
	SetAsideAt instant
}

// findAnnotator finds an annotator of a campaign, removed ones included.
func findAnnotator(tx *gorm.DB, campaignID, login string) (annotatorRow, error) {
	var m annotatorRow
	err := scan(tx.Raw(`SELECT m.user_id, m.removed, u.disabled, m.set_aside, m.set_aside_at FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.campaign_id = ? AND u.login = ? AND m.role = 'annotator'`, campaignID, login), &m.UserID, &m.Removed, &m.Disabled, &m.SetAside, &m.SetAsideAt)
	if errors.Is(err, errNoRows) {
		return m, fmt.Errorf("the campaign has no annotator %q: %w", login, campaign.ErrNotFound)
	}
	return m, err
}

// freeShortage releases the places of round 1 that others were given while an
// annotator was set aside and have not begun, as far as a segment has more than it
// needs now: the latest first. What a lead gave them stays.
func freeShortage(tx *gorm.DB, c campaign.Campaign, userID string, since instant, ids []string) error {
	var rows []struct {
		ID, SegmentID string
		Taken, Places int
	}
	err := tx.Raw(`SELECT a.id, a.segment_id, (SELECT count(*) FROM assignments x WHERE x.segment_id = a.segment_id AND `+strings.ReplaceAll(takesPlace, "a.", "x.")+`) AS taken,
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
