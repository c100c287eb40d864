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
// instructions of another one, and with some of its members in the roles that they have there, as
// [Store.CopyMembers] adds them. The command line has no user, and so keeps the author of the instructions.
// Annotators must accept the instructions in the copy too. CopyCampaign copies no data, and no
// severities and categories that came with data. The copy follows no campaign. It returns the same errors as
// [Store.CreateCampaign] and [Store.CopyMembers]. After an error there is no new campaign.
func (s *Store) CopyCampaign(ctx context.Context, from campaign.Campaign, to CampaignCopy, byID string) (campaign.Campaign, error) {
	from.Settings.TakesOver, from.Settings.Apart = "ask", "" // a copy follows no campaign
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
	return c, s.db.Write(ctx, func(tx *database.Tx) error {
		if err := s.insertCampaign(tx, row, byID); err != nil {
			return err
		}
		if err := s.records.Audit(tx, c.ID, byID, "create campaign", c.Slug+", from "+from.Slug, ""); err != nil {
			return err
		}
		err := tx.Exec(
			`INSERT INTO instructions (campaign_id, version, author_id, text, at) SELECT CAST(? AS TEXT), 1, coalesce(nullif(CAST(? AS TEXT), ''), author_id), text, CAST(? AS BIGINT) FROM instructions
			WHERE campaign_id = ? AND text <> '' AND version = (SELECT max(version) FROM instructions WHERE campaign_id = ?)`,
			c.ID, byID, database.InstantOf(tx.Now()), from.ID, from.ID,
		).Error
		if err != nil {
			return err
		}
		_, err = s.copyMembers(tx, c, from, to.Members, byID)
		return err
	})
}

// Copied says what became of members who were to be copied: those who are members of the copy now, and those
// who are invited and have to accept first. Ended is whose credentials ended by it, on the command line.
type Copied struct {
	Added, Invited []string
	Ended          []Ended
}

// CopyMembers makes members of the campaign from members of the campaign to, in the same roles. Users
// who are members of to already keep their roles. Users who would lose credentials by it are invited instead,
// unless the command line copies them, which has no byID.
// The caller must check that byID leads from. The error is an ErrNotFound if a login is not a member
// of from, and the error of [Store.SetMembership] if a user can't have the role in to. It begins with
// the login, and no member is added.
func (s *Store) CopyMembers(ctx context.Context, to, from campaign.Campaign, logins []string, byID string) (copied Copied, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		copied, err = s.copyMembers(tx, to, from, logins, byID)
		return err
	})
	return copied, err
}

func (s *Store) copyMembers(tx *database.Tx, to, from campaign.Campaign, logins []string, byID string) (copied Copied, err error) {
	for _, login := range slices.Compact(slices.Sorted(slices.Values(logins))) {
		var m struct {
			ID, Role    string
			Adjudicates bool
			There       bool // a member of to already
		}
		err := tx.Raw(`SELECT u.id, m.role, m.adjudicates, EXISTS (SELECT 1 FROM memberships t WHERE t.campaign_id = ? AND t.user_id = u.id AND NOT t.removed) AS there
			FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ? AND u.login = ? AND NOT m.removed`, to.ID, from.ID, login).
			Take(&m).
			Error
		if err != nil {
			return copied, fmt.Errorf("%s in campaign %s: %w", login, from.Slug, err)
		}
		if m.There {
			continue
		}
		roles := []campaign.Role{campaign.Role(m.Role)}
		if m.Adjudicates {
			roles = append(roles, campaign.Adjudicator)
		}
		joined, ended, err := s.joinOrWait(tx, to.ID, m.ID, roles, byID)
		if err != nil {
			return copied, fmt.Errorf("%s: %w", login, err)
		}
		copied.Ended = append(copied.Ended, ended...)
		act, list := "add member", &copied.Added
		if !joined {
			act, list = "invite", &copied.Invited
		}
		if err := s.records.Audit(tx, to.ID, byID, act, fmt.Sprintf("%s as %s, from %s", login, m.Role, from.Slug), ""); err != nil {
			return copied, err
		}
		*list = append(*list, login)
	}
	return copied, nil
}
