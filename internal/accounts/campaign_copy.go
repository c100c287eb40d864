package accounts

import (
	"context"
	"fmt"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A CampaignCopy says what is new about a campaign that is made from another one.
type CampaignCopy struct {
	Slug, Title            string
	SourceLang, TargetLang string
	Members                []string // logins of the members of the other campaign that it takes over
}

// CopyCampaign creates a campaign with the protocol, the settings, the guide and the latest
// instructions of another one, and with some of its members in the roles that they have there.
// Annotators accept the instructions anew. It copies no data, and neither the severities and categories that came with data. The errors are those of
// [Store.CreateCampaign] and [Store.CopyMembers]; after one of them there is no campaign.
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

// CopyMembers makes members of another campaign members of a campaign, in the roles that they
// have there. Those who are members already stay what they are. It returns the logins of
// those who were added. The caller has checked that byID leads the other campaign. The error
// is ErrNotFound if a login is no member there, and that of [Store.SetMembership] if somebody
// can't have their role here; it begins with the login. Then nobody is added.
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
			There       bool // in the campaign already
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
