package site

import (
	"cmp"
	"context"
	"slices"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
)

// LedCampaigns lists the campaigns that the user leads, in order of their slugs, except the campaign
// with the id without. An admin leads all campaigns.
func (s *Site) LedCampaigns(c *echo.Context, without string) ([]campaign.Campaign, error) {
	u := Me(c)
	mine, err := s.store.Accounts.CampaignsOf(c.Request().Context(), u.ID)
	if err == nil && u.Role == accounts.Admin {
		mine, err = s.WithAll(c, mine)
	}
	var out []campaign.Campaign
	for _, m := range mine {
		if m.Role == campaign.Lead && m.Campaign.ID != without {
			out = append(out, m.Campaign)
		}
	}
	return out, err
}

// WithAll adds the campaigns an admin is no member of, as a lead.
func (s *Site) WithAll(c *echo.Context, mine []accounts.CampaignRole) ([]accounts.CampaignRole, error) {
	all, err := s.store.Records.Campaigns(c.Request().Context())
	if err != nil {
		return nil, err
	}
	roles := make(map[string]campaign.Role, len(mine))
	for _, m := range mine {
		roles[m.Campaign.ID] = m.Role
	}
	out := make([]accounts.CampaignRole, len(all))
	for i, found := range all {
		role := roles[found.ID]
		role = cmp.Or(role, campaign.Lead)
		out[i] = accounts.CampaignRole{Campaign: found, Role: role}
	}
	return out, nil
}

// MembershipKey is the key of the echo context under which the guard keeps the [Membership].
const MembershipKey = "membership"

// KindKey is the key of the echo context under which the guard keeps what the user is to the campaign of the address.
const KindKey = "kind"

// kindOf returns what the user is to the campaign of the address.
func kindOf(c *echo.Context) People {
	is, _ := c.Get(KindKey).(People)
	return is
}

// A Membership is the campaign of the address with the user's role in it.
type Membership struct {
	Campaign campaign.Campaign
	// Work is the campaign that the assignment of the address belongs to: Campaign, or one of
	// its side campaigns. It equals Campaign if the address has no assignment.
	Work campaign.Campaign
	Role campaign.Role // an admin counts as lead
	// Adjudicates is true for adjudicators, who may be annotators as well, and for leads, who may do all that
	// adjudicators do.
	Adjudicates bool
	// People are the pseudonyms under which a researcher sees the people of the campaign. It is nil for everybody
	// else, and if the researcher sees logins.
	People *campaign.Pseudonyms
}

// ShownRole returns the role by which pages choose what they offer. An archived campaign can only be
// read, so its leads get the pages of a researcher.
func (m Membership) ShownRole() campaign.Role {
	if m.Campaign.Archived && m.Role == campaign.Lead {
		return campaign.Researcher
	}
	return m.Role
}

// Here is the campaign of the address; empty on a page that is of no campaign.
func Here(c *echo.Context) Membership {
	m, _ := c.Get(MembershipKey).(Membership)
	return m
}

// PeopleSeenBy returns the pseudonyms under which a member sees the people of the campaign. It is nil if
// the member sees their logins: leads do, and everybody does if the settings do not ask for pseudonyms.
func (s *Site) PeopleSeenBy(ctx context.Context, m Membership) (*campaign.Pseudonyms, error) {
	if m.Role == campaign.Lead {
		return nil, nil
	}
	return s.store.Accounts.PseudonymsOf(ctx, m.Campaign)
}

// CreatesCampaigns reports whether the user may create campaigns: admins and leads of any campaign may.
func (s *Site) CreatesCampaigns(c *echo.Context) (bool, error) {
	if Me(c).Role == accounts.Admin {
		return true, nil
	}
	roles, err := s.store.Accounts.RolesOf(c.Request().Context(), Me(c).ID)
	return slices.Contains(roles, campaign.Lead), err
}

// Reload reads the campaign of the address again, after a change.
func (s *Site) Reload(c *echo.Context) error {
	m := Here(c)
	fresh, err := s.store.Records.Campaign(c.Request().Context(), m.Campaign.Slug)
	if err != nil {
		return err
	}
	m.Campaign, m.Work = fresh, fresh
	c.Set(MembershipKey, m)
	return nil
}
