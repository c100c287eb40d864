package desk

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/rounds"
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
	return s.rounds.Act(ctx, campaignID, reason, func(tx *database.Tx, c campaign.Campaign) error {
		m, err := rounds.FindAnnotator(tx.DB, c.ID, login)
		if err != nil {
			return err
		}
		if m.SetAside {
			return fmt.Errorf("the work of %s is set aside already: %w", login, campaign.ErrConflict)
		}
		if err := s.keepAside(tx, c, m.UserID, reason, byID, database.InstantOf(tx.Now())); err != nil {
			return err
		}
		if err := s.rounds.StoreSetAside(tx, c, m.UserID, true); err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, byID, "set annotator aside", login, reason)
	})
}

// RestoreAnnotator takes [Store.SetAside] back. ErrConflict where the work is not set
// aside.
func (s *Store) RestoreAnnotator(ctx context.Context, campaignID, login, reason, byID string) error {
	return s.rounds.Act(ctx, campaignID, reason, func(tx *database.Tx, c campaign.Campaign) error {
		m, err := rounds.FindAnnotator(tx.DB, c.ID, login)
		if err != nil {
			return err
		}
		if !m.SetAside {
			return fmt.Errorf("the work of %s is not set aside: %w", login, campaign.ErrConflict)
		}
		err = tx.Exec(
			"UPDATE set_asides SET restored_at = ? WHERE campaign_id = ? AND user_id = ? AND restored_at = 0", database.InstantOf(tx.Now()), c.ID,
			m.UserID,
		).Error
		if err != nil {
			return err
		}
		if err := s.rounds.StoreSetAside(tx, c, m.UserID, false); err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, byID, "restore annotator", login, reason)
	})
}
