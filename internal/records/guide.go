package records

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// SetGuide gives a campaign a guide of its own, in Markdown; an empty one brings
// back that of the protocol. Whether it can be shown is for the caller to check.
//
// Was is the [campaign.GuideVersion] of the guide that the new one was made from:
// where the campaign has another one by now, nothing is changed and the error is
// ErrConflict. An empty was replaces any. The change is in the audit log under the
// name of the user, who may be empty for the command line; the same guide again
// changes nothing. Annotators read it in a campaign of any state.
func (s *Store) SetGuide(ctx context.Context, campaignID, userID, guide, was string) error {
	guide, err := campaign.CleanGuide(guide)
	if err != nil {
		return err
	}
	if err := database.CheckText("guide", guide); err != nil {
		return err
	}
	return s.Write(ctx, func(tx *database.Tx) error {
		c, err := LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
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
