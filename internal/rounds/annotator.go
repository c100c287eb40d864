package rounds

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// StoreSetAside sets the work of an annotator aside, or restores it, and lets the states of
// the annotator's segments follow.
func (s *Store) StoreSetAside(tx *database.Tx, c campaign.Campaign, userID string, aside bool) error {
	at := database.Instant(0)
	if aside {
		at = database.InstantOf(tx.Now())
	}
	err := tx.Exec("UPDATE memberships SET set_aside = ?, set_aside_at = ? WHERE campaign_id = ? AND user_id = ?",
		aside, at, c.ID, userID).Error
	if err != nil {
		return err
	}
	return s.FollowMember(tx, userID, c.ID)
}

// FollowUser is [Store.FollowMember] for all campaigns in which a user is an annotator.
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

// AllowSignIn notes that a user has been given a way to sign in. An annotator whose account
// was made by an import becomes active by that.
func (s *Store) AllowSignIn(tx *database.Tx, userID string) error {
	res := tx.Exec("UPDATE users SET imported = ? WHERE id = ? AND imported", false, userID)
	if res.Error != nil || res.RowsAffected == 0 {
		return res.Error
	}
	return s.FollowUser(tx, userID)
}

// IsSetAside reports whether a lead has set the work of an annotator aside.
func (s *Store) IsSetAside(ctx context.Context, campaignID, userID string) (aside bool, err error) {
	err = database.Scan(s.db.Read(ctx).Raw("SELECT count(*) > 0 FROM memberships WHERE campaign_id = ? AND user_id = ? AND set_aside", campaignID, userID), &aside)
	return aside, err
}

// An annotatorRow is the membership of an annotator in a campaign.
type annotatorRow struct {
	UserID     string
	Removed    bool
	Disabled   bool
	SetAside   bool
	SetAsideAt database.Instant
}

// FindAnnotator finds an annotator of a campaign, even a removed one. The error is
// ErrNotFound if there is none with the login.
func FindAnnotator(db *gorm.DB, campaignID, login string) (annotatorRow, error) {
	var m annotatorRow
	err := database.Scan(db.Raw(`SELECT m.user_id, m.removed, u.disabled, m.set_aside, m.set_aside_at FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.campaign_id = ? AND u.login = ? AND m.role = 'annotator'`, campaignID, login), &m.UserID, &m.Removed, &m.Disabled, &m.SetAside, &m.SetAsideAt)
	if errors.Is(err, database.ErrNoRows) {
		return m, fmt.Errorf("the campaign has no annotator %q: %w", login, campaign.ErrNotFound)
	}
	return m, err
}
