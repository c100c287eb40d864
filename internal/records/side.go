package records

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// CampaignsAndSides lists all campaigns by slug, each followed by its side campaigns.
func (s *Store) CampaignsAndSides(ctx context.Context) ([]campaign.Campaign, error) {
	campaigns, err := s.Campaigns(ctx)
	if err != nil {
		return nil, err
	}
	var sides []CampaignRow
	if err := s.db.Read(ctx).Where("NOT deleted AND part_of <> ''").Order("slug").Find(&sides).Error; err != nil {
		return nil, err
	}
	out := make([]campaign.Campaign, 0, len(campaigns)+len(sides))
	for _, c := range campaigns {
		out = append(out, c)
		for _, row := range sides {
			if row.PartOf == c.ID {
				out = append(out, c.SideOf(row.Side, row.ID))
			}
		}
	}
	return out, nil
}

// FindSide reads a side campaign of a campaign. ok reports whether there is one.
func FindSide(db *gorm.DB, c campaign.Campaign, side campaign.Side) (found campaign.Campaign, ok bool, err error) {
	var id string
	err = database.Scan(db.Raw("SELECT id FROM campaigns WHERE part_of = ? AND part_of <> '' AND side = ? AND NOT deleted", c.ID, string(side)), &id)
	if errors.Is(err, database.ErrNoRows) {
		return campaign.Campaign{}, false, nil
	}
	return c.SideOf(side, id), err == nil, err
}

// MakeSide reads a side campaign of a campaign. It makes the side campaign if there is none. The
// caller holds the lock of the campaign.
func (s *Store) MakeSide(tx *database.Tx, c campaign.Campaign, side campaign.Side) (campaign.Campaign, error) {
	found, ok, err := FindSide(tx.DB, c, side)
	if err != nil || ok {
		return found, err
	}
	made := c.SideOf(side, database.NewID())
	// The values that the campaign decides are empty in the row, so that nothing reads them here.
	return made, tx.Create(&CampaignRow{
		ID: made.ID, Slug: made.Slug, State: string(campaign.Open), Settings: "{}", OwnTerms: "{}", CreatedAt: database.InstantOf(tx.Now()),
		SettingsVersion: 1, PartOf: made.PartOf, Side: side,
	}).Error
}
