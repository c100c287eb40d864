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
	c.ID, c.State, c.CreatedAt = database.NewID(), campaign.Open, database.InstantOf(s.Now()).Time()
	if err := cmp.Or(records.CheckCampaign(c), records.CheckLanguages(c.SourceLang, c.TargetLang)); err != nil {
		return c, err
	}
	row := records.CampaignRow{ID: c.ID, Slug: c.Slug, Title: c.Title, Protocol: c.Protocol, SourceLang: c.SourceLang, TargetLang: c.TargetLang, State: string(c.State), Settings: records.EncodeSettings(c.Settings), CreatedAt: database.InstantOf(c.CreatedAt), Definition: c.Definition, OwnTerms: records.EncodeOwn(c.Own), Guide: c.Guide, SettingsVersion: 1}
	c, err := row.Campaign()
	if err != nil {
		return c, err
	}
	err = s.Write(ctx, func(tx *database.Tx) error {
		if err := mayCreateCampaign(tx.DB); err != nil {
			return err
		}
		if err := tx.Create(&row).Error; err != nil {
			if errors.Is(database.Translate(err), campaign.ErrConflict) {
				return fmt.Errorf("a campaign %q exists already: %w", c.Slug, campaign.ErrConflict)
			}
			return err
		}
		if err := s.siteLogBy(tx, leadID, "create campaign", c.Slug, ""); err != nil {
			return err
		}
		if leadID != "" {
			if err := s.SetMembership(tx, c.ID, leadID, campaign.Lead, leadID); err != nil {
				return err
			}
		}
		return s.Audit(tx, c.ID, leadID, "create campaign", c.Slug, "")
	})
	return c, err
}
