package accounts

import (
	"context"
	"fmt"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A CampaignCopy has the properties of a copy of a campaign that the original does not decide.
type CampaignCopy struct {
	Slug, Title            string
	SourceLang, TargetLang string
	Members                []string // logins of the members of the original who become members of the copy
}

// CopyCampaign creates a campaign with the protocol, the settings, the guide and the latest
// instructions of another one, and with some of its members in the roles that they have there.
// Annotators must accept the instructions in the copy too. CopyCampaign copies no data, and no
// severities and categories that came with data. It returns the same errors as
// [Store.CreateCampaign] and [Store.CopyMembers]. After an error there is no new campaign.
func (s *Store) CopyCampaign(ctx context.Context, from campaign.Campaign, to CampaignCopy, byID string) (campaign.Campaign, error) {
	row, err := s.newCampaign(campaign.Campaign{
		Slug: to.Slug, Title: to.Title, SourceLang: to.SourceLang, TargetLang: to.TargetLang,
		Protocol: from.Protocol, Definition: from.Definition, Settings: from.Settings, Guide: from.Guide,
	})
	if err != nil {
		return campaign.Campaign{}, err
	}
	c, err := row.Campaign()
	if err != nil {
		return c, err
	}
	return c, s.Write(ctx, func(tx *database.Tx) error {
		if err := s.insertCampaign(tx, row, byID); err != nil {
			return err
		}
		if err := s.Audit(tx, c.ID, byID, "create campaign", c.Slug+", from "+from.Slug, ""); err != nil {
			return err
		}
		err := tx.Exec(`INSERT INTO instructions (campaign_id, version, author_id, text, at) SELECT CAST(? AS TEXT), 1, CAST(? AS TEXT), text, CAST(? AS BIGINT) FROM instructions
			WHERE campaign_id = ? AND text <> '' AND version = (SELECT max(version) FROM instructions WHERE campaign_id = ?)`, c.ID, byID, database.InstantOf(tx.Now()), from.ID, from.ID).Error
		if err != nil {
			return err
		}
		_, err = s.copyMembers(tx, c, from, to.Members, byID)
		return err
	})
}

// CopyMembers makes members of the campaign from members of the campaign to, in the same roles. Users
// who are members of to already keep their roles. It returns the logins of the members that it added.
// The caller must check that byID leads from. The error is an ErrNotFound if a login is not a member
// of from, and the error of [Store.SetMembership] if a user can't have the role in to. It begins with
// the login, and no member is added.
func (s *Store) CopyMembers(ctx context.Context, to, from campaign.Campaign, logins []string, byID string) (added []string, err error) {
	err = s.Write(ctx, func(tx *database.Tx) error {
		added, err = s.copyMembers(tx, to, from, logins, byID)
		return err
	})
	return added, err
}

func (s *Store) copyMembers(tx *database.Tx, to, from campaign.Campaign, logins []string, byID string) (added []string, err error) {
	for _, login := range slices.Compact(slices.Sorted(slices.Values(logins))) {
		var m struct {
			ID, Role    string
			Adjudicates bool
			There       bool // a member of to already
		}
		err := tx.Raw(`SELECT u.id, m.role, m.adjudicates, EXISTS (SELECT 1 FROM memberships t WHERE t.campaign_id = ? AND t.user_id = u.id AND NOT t.removed) AS there
			FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ? AND u.login = ? AND NOT m.removed`, to.ID, from.ID, login).Take(&m).Error
		if err != nil {
			return nil, fmt.Errorf("%s in campaign %s: %w", login, from.Slug, database.Translate(err))
		}
		if m.There {
			continue
		}
		roles := []campaign.Role{campaign.Role(m.Role)}
		if m.Adjudicates {
			roles = append(roles, campaign.Adjudicator)
		}
		for _, role := range roles {
			if err := s.SetMembership(tx, to.ID, m.ID, role, byID); err != nil {
				return nil, fmt.Errorf("%s: %w", login, err)
			}
		}
		if err := s.Audit(tx, to.ID, byID, "add member", fmt.Sprintf("%s as %s, from %s", login, m.Role, from.Slug), ""); err != nil {
			return nil, err
		}
		added = append(added, login)
	}
	return added, nil
}
