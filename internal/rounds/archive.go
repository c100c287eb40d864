package rounds

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// Archive closes and archives a campaign. Lists leave out an archived campaign, and it is read-only
// until [Store.BringBack]. Its exports and reports work as before. userID is empty for the command
// line. The error is an ErrConflict if the campaign is archived already.
func (s *Store) Archive(ctx context.Context, campaignID, userID string) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		before := c
		c.State = campaign.Closed
		changes := before.ChangesTo(c)
		if len(changes) > 0 {
			c.SettingsVersion++
		}
		err := tx.Exec("UPDATE campaigns SET archived = ?, state = ?, settings_version = ? WHERE id = ?",
			true, string(c.State), c.SettingsVersion, c.ID).Error
		if err != nil {
			return err
		}
		if err := s.records.NoteChanges(tx, userID, c, changes); err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, userID, "archive campaign", c.Slug, "")
	})
}

// BringBack turns an archived campaign into a closed one. The error is an ErrConflict if the campaign
// is not archived.
func (s *Store) BringBack(ctx context.Context, campaignID, userID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		if !c.Archived {
			return fmt.Errorf("campaign %q is not archived: %w", c.Slug, campaign.ErrConflict)
		}
		if err := tx.Exec("UPDATE campaigns SET archived = ? WHERE id = ?", false, c.ID).Error; err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, userID, "bring back campaign", c.Slug, "")
	})
}
