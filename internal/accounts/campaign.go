package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// CreateCampaign stores a new campaign. The error is ErrConflict if the slug is taken. If
// leadID is not empty, that user becomes a lead of the campaign. The languages may be empty;
// then the first import sets them.
func (s *Store) CreateCampaign(ctx context.Context, c campaign.Campaign, leadID string) (campaign.Campaign, error) {
	row, err := s.newCampaign(c)
	if err != nil {
		return c, err
	}
	if c, err = row.Campaign(); err != nil {
		return c, err
	}
	return c, s.db.Write(ctx, func(tx *database.Tx) error {
		if err := s.insertCampaign(tx, row, leadID); err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, leadID, "create campaign", c.Slug, "")
	})
}

// newCampaign returns the row of a new, open campaign.
func (s *Store) newCampaign(c campaign.Campaign) (*records.CampaignRow, error) {
	c.ID, c.State = database.NewID(), campaign.Open
	if err := cmp.Or(records.CheckCampaign(c), records.CheckLanguages(c.SourceLang, c.TargetLang)); err != nil {
		return nil, err
	}
	return &records.CampaignRow{
		ID:              c.ID,
		Slug:            c.Slug,
		Title:           c.Title,
		Protocol:        c.Protocol,
		SourceLang:      c.SourceLang,
		TargetLang:      c.TargetLang,
		State:           string(c.State),
		Settings:        records.EncodeSettings(c.Settings),
		CreatedAt:       database.InstantOf(s.db.Now()),
		Definition:      c.Definition,
		OwnTerms:        records.EncodeOwn(c.Own),
		Guide:           c.Guide,
		SettingsVersion: 1,
	}, nil
}

// insertCampaign stores a new campaign. The user with the id leadID becomes its lead. If leadID is
// empty, the campaign has no lead.
func (s *Store) insertCampaign(tx *database.Tx, row *records.CampaignRow, leadID string) error {
	if err := mayCreateCampaign(tx.DB); err != nil {
		return err
	}
	if err := tx.Create(row).Error; err != nil {
		if errors.Is(err, campaign.ErrConflict) {
			return fmt.Errorf("a campaign %q exists already: %w", row.Slug, campaign.ErrConflict)
		}
		return err
	}
	if created, err := row.Campaign(); err != nil {
		return err
	} else if err := records.ResolveApart(tx, created); err != nil {
		return err
	}
	if err := s.siteLogBy(tx, leadID, "create campaign", row.Slug, ""); err != nil {
		return err
	}
	if leadID == "" {
		return nil
	}
	_, err := s.SetMembership(tx, row.ID, leadID, campaign.Lead, leadID)
	return err
}
