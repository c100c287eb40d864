package records

import (
	"errors"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// ActiveMember is the SQL condition that user u, with membership m, is an active annotator:
// one who can sign in and is not set aside.
const ActiveMember = "m.role = 'annotator' AND NOT m.removed AND NOT m.set_aside AND NOT u.disabled AND NOT u.imported"

// MayAnnotate returns an error if a user can't be given segments to annotate.
func MayAnnotate(db *gorm.DB, c campaign.Campaign, userID string) error {
	var aside bool
	err := database.Scan(
		db.Raw("SELECT set_aside FROM memberships WHERE campaign_id = ? AND user_id = ? AND role = 'annotator' AND NOT removed", c.ID, userID),
		&aside,
	)
	switch {
	case err != nil && !errors.Is(err, database.ErrNoRows):
		return err
	case err != nil:
		return fmt.Errorf("only annotators of the campaign are given segments: %w", campaign.ErrForbidden)
	case aside:
		return campaign.ErrSetAside
	case c.State != campaign.Open:
		return campaign.ErrNotOpen
	}
	return nil
}
