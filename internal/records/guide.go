package records

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// SetGuide gives a campaign its own guide, in Markdown. An empty guide brings back the guide
// of the protocol. The caller checks that the Markdown can be shown.
//
// was is the [campaign.GuideVersion] of the guide that the new one was made from. If the
// campaign has another guide by now, nothing changes and the error is ErrConflict. An empty
// was replaces any guide. The change is written to the audit log; userID is empty for the
// command line. Setting the same guide again changes nothing.
func (s *Store) SetGuide(ctx context.Context, campaignID, userID, guide, was string) error {
	guide, err := campaign.CleanGuide(guide)
	if err != nil {
		return err
	}
	if err := database.CheckText("guide", guide); err != nil {
		return err
	}
	return Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		if c.Guide == guide {
			return nil
		}
		if was != "" && was != campaign.GuideVersion(c.Guide) {
			return fmt.Errorf("the guide was changed by somebody else meanwhile: %w", campaign.ErrConflict)
		}
		if err := tx.Exec("UPDATE campaigns SET guide = ? WHERE id = ?", guide, c.ID).Error; err != nil {
			return err
		}
		act, subject := "set guide", fmt.Sprintf("%d -> %d bytes", len(c.Guide), len(guide))
		if guide == "" {
			act, subject = "clear guide", "the protocol's own is shown"
		}
		return s.Audit(tx, c.ID, userID, act, subject, "")
	})
}
