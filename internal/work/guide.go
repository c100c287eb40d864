package work

import (
	"context"
	"errors"

	"annotate/internal/database"
)

// GuideOpens reports whether the guide opens by itself for a user: they are an annotator of the
// campaign and have not closed it yet.
func (s *Store) GuideOpens(ctx context.Context, campaignID, userID string) (bool, error) {
	var closed bool
	err := database.Scan(
		s.db.Read(ctx).
			Raw("SELECT guide_closed FROM memberships WHERE campaign_id = ? AND user_id = ? AND role = 'annotator' AND NOT removed", campaignID, userID),
		&closed,
	)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	return err == nil && !closed, err
}

// CloseGuide notes that an annotator has closed the guide of a campaign, so that it does not open
// by itself any more. Repeating it changes nothing.
func (s *Store) CloseGuide(ctx context.Context, campaignID, userID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("UPDATE memberships SET guide_closed = TRUE WHERE campaign_id = ? AND user_id = ? AND NOT guide_closed", campaignID, userID).Error
	})
}
