package qualification

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// SetInstructions stores a new version of the instructions that annotators must accept before they
// get work, in Markdown. If the text is empty, annotators accept nothing. The caller checks that the
// Markdown can be shown.
//
// was is the version that the lead edited. If the latest version is another one, nothing changes and
// the error is an ErrConflict. If the text is that of the latest version, nothing changes either.
func (s *Store) SetInstructions(ctx context.Context, campaignID, text string, was int, byID string) error {
	text, err := campaign.CleanGuide(text)
	if err != nil {
		return err
	}
	if err := database.CheckText("text", text); err != nil {
		return err
	}
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		now, err := currentInstructions(tx.DB, c.ID)
		if err != nil || now.Text == text {
			return err
		}
		if now.Version != was {
			return fmt.Errorf("somebody else has changed the instructions meanwhile: %w", campaign.ErrConflict)
		}
		err = tx.Exec(
			"INSERT INTO instructions (campaign_id, version, author_id, text, at) VALUES (?, ?, ?, ?, ?)", c.ID, now.Version+1, byID, text,
			database.InstantOf(tx.Now()),
		).Error
		if err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, byID, "set instructions", fmt.Sprintf("version %d, %d bytes", now.Version+1, len(text)), "")
	})
}

// currentInstructions reads the latest version of the instructions. If there is none, the version is 0.
func currentInstructions(db *gorm.DB, campaignID string) (out readmodel.Instructions, err error) {
	var at database.Instant
	err = database.Scan(
		db.Raw(
			"SELECT i.version, i.text, u.login, i.at FROM instructions i JOIN users u ON u.id = i.author_id WHERE i.campaign_id = ? ORDER BY i.version DESC LIMIT 1",
			campaignID,
		),
		&out.Version, &out.Text, &out.Login, &at,
	)
	out.At = at.Time()
	if errors.Is(err, database.ErrNoRows) {
		err = nil
	}
	return out, err
}

// Instructions reads the latest version of the instructions of a campaign, and the version that each
// annotator accepted last.
func (s *Store) Instructions(ctx context.Context, campaignID string) (readmodel.Instructions, error) {
	db := s.db.Read(ctx)
	out, err := currentInstructions(db, campaignID)
	if err != nil {
		return out, err
	}
	var rows []struct {
		Login   string
		Version int
		At      database.Instant
	}
	err = db.Raw(`SELECT u.login, coalesce(x.version, 0) AS version, coalesce(x.at, 0) AS at FROM memberships m JOIN users u ON u.id = m.user_id
		LEFT JOIN acceptances x ON x.campaign_id = m.campaign_id AND x.user_id = m.user_id
			AND x.version = (SELECT max(y.version) FROM acceptances y WHERE y.campaign_id = m.campaign_id AND y.user_id = m.user_id)
		WHERE m.campaign_id = ? AND m.role = 'annotator' AND (x.version IS NOT NULL OR NOT m.removed) ORDER BY u.login`, campaignID).Scan(&rows).Error
	for _, r := range rows {
		out.Accepted = append(out.Accepted, readmodel.Acceptance{Login: r.Login, Version: r.Version, At: r.At.Time()})
	}
	return out, err
}

// MustAccept returns [campaign.ErrNotAccepted] if a user has not accepted the latest version of the
// instructions of a campaign.
func MustAccept(db *gorm.DB, campaignID, userID string) error {
	var missing bool
	err := database.Scan(db.Raw(`SELECT EXISTS (SELECT 1 FROM instructions i WHERE i.campaign_id = ? AND i.text <> ''
		AND i.version = (SELECT max(version) FROM instructions WHERE campaign_id = i.campaign_id)
		AND NOT EXISTS (SELECT 1 FROM acceptances x WHERE x.campaign_id = i.campaign_id AND x.user_id = ? AND x.version = i.version))`, campaignID, userID), &missing)
	if err == nil && missing {
		err = campaign.ErrNotAccepted
	}
	return err
}

// MustAccept reports whether an annotator still has to accept the latest version of the
// instructions.
func (s *Store) MustAccept(ctx context.Context, campaignID, userID string) (bool, error) {
	err := MustAccept(s.db.Read(ctx), campaignID, userID)
	if errors.Is(err, campaign.ErrNotAccepted) {
		return true, nil
	}
	return false, err
}

// Accept stores that an annotator accepts a version of the instructions. The error is an ErrConflict
// if there is a later version, so that nobody accepts a text that they have not read. A second call
// changes nothing.
func (s *Store) Accept(ctx context.Context, campaignID string, version int, userID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := records.RefuseArchived(tx.DB, campaignID); err != nil {
			return err
		}
		now, err := currentInstructions(tx.DB, campaignID)
		if err != nil {
			return err
		}
		if now.Version != version || now.Text == "" {
			return fmt.Errorf("the lead has changed the instructions meanwhile; read the new version: %w", campaign.ErrConflict)
		}
		return tx.Exec(
			"INSERT INTO acceptances (campaign_id, user_id, version, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", campaignID, userID, version,
			database.InstantOf(tx.Now()),
		).Error
	})
}
