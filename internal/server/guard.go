package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/server/site"
)

// guard lets in the given kinds of people and nobody else. A stranger is asked to
// sign in. To a person without a role in it, a campaign does not exist.
func (s *Server) guard(who site.People) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			if who == site.Everybody {
				return next(c)
			}
			_, ok := site.User(c)
			if !ok && site.ForProgram(c.Request()) {
				c.Set(refusedKey, true)
				return echo.NewHTTPError(
					http.StatusUnauthorized,
					"send a token as Authorization: Bearer; one that is unknown, revoked or expired is none, and people make tokens on their account page",
				)
			}
			if !ok {
				c.Set(refusedKey, true)
				return echo.NewHTTPError(http.StatusUnauthorized, "sign in to go on")
			}
			is, err := s.kind(c)
			if err == nil {
				err = s.granted(c)
			}
			switch {
			case err != nil:
				return err
			case site.Here(c).Campaign.Side != "" && who&site.Sides == 0:
				c.Set(refusedKey, true)
				return campaign.ErrNotFound
			case is&who != 0 && s.needsFactor(c, is):
				return site.Redirect(c, "/account/second-factor")
			case is&who != 0:
				if err := s.settled(c, who); err != nil {
					return err
				}
				return next(c)
			}
			c.Set(refusedKey, true)
			if is == site.Outsiders && inCampaign(c) {
				return campaign.ErrNotFound
			}
			return campaign.ErrForbidden
		}
	}
}

// needsFactor reports whether somebody has to set up a second factor before the server does what a lead or an admin asks for. Programs
// have tokens in place of it.
func (s *Server) needsFactor(c *echo.Context, is site.People) bool {
	return s.Config.SecondFactor == site.FactorRequired && is&(site.Leads|site.Admins) != 0 && !site.Me(c).SecondFactor &&
		!site.ForProgram(c.Request()) && !strings.HasPrefix(c.Path(), "/account")
}

// granted returns an error if a program asks for what its token is not good for: ErrNotFound in a campaign that it does not see.
func (s *Server) granted(c *echo.Context) error {
	g, ok := site.Granted(c)
	switch {
	case !ok:
		return nil
	case inCampaign(c) && !g.Sees(site.Here(c).Campaign.ID):
		c.Set(refusedKey, true)
		return campaign.ErrNotFound
	case !g.Writes && !s.API.Reads(c.Request().Method, c.Path()):
		c.Set(refusedKey, true)
		return echo.NewHTTPError(http.StatusForbidden, "this token may only read; make one that may change things")
	}
	return nil
}

// settled returns an error while an import into the campaign of the address is being
// completed, or its segments follow a change of settings, so that nobody sees a part of it. Annotators go on with what they have, and
// the page of imports says how far it is. An import whose program was killed is
// completed by this one.
func (s *Server) settled(c *echo.Context, who site.People) error {
	of := site.Here(c).Campaign
	if of.ID == "" || who&site.Annotators != 0 || strings.HasPrefix(strings.TrimPrefix(c.Path(), site.APIPath), "/campaigns/:slug/import") ||
		strings.HasPrefix(c.Path(), site.APIPath+"/campaigns/:slug/jobs/") {
		return nil
	}
	err := s.store.Intake.Completing(c.Request().Context(), of.ID)
	if _, ok := errors.AsType[*records.CompletingError](err); ok {
		s.Settle(of)
	}
	return err
}

// inCampaign reports whether the address is that of a campaign's page.
func inCampaign(c *echo.Context) bool {
	_, ok := c.PathValues().Get("slug")
	return ok
}

// kind says what the user is to the campaign of the address, and keeps it for
// [here]; without a campaign in the address, to the site.
func (s *Server) kind(c *echo.Context) (site.People, error) {
	if inCampaign(c) {
		return s.kindHere(c)
	}
	if site.Me(c).Role == accounts.Admin {
		return site.Admins, nil
	}
	roles, err := s.store.Accounts.RolesOf(c.Request().Context(), site.Me(c).ID)
	if err != nil || len(roles) == 0 {
		return site.Outsiders, err
	}
	var is site.People
	for _, r := range roles {
		is |= site.KindOf(r)
	}
	return is, nil
}

func (s *Server) kindHere(c *echo.Context) (site.People, error) {
	found, work, roles, err := s.store.Accounts.CampaignFor(c.Request().Context(), c.Param("slug"), site.Me(c).ID, c.Param("assignment"))
	if err != nil {
		return site.Outsiders, err
	}
	is := site.Outsiders
	if site.Me(c).Role == accounts.Admin {
		is, roles = site.Admins, []campaign.Role{campaign.Lead}
	} else if len(roles) > 0 {
		is = 0
		for _, r := range roles {
			is |= site.KindOf(r)
		}
	}
	if is == site.Outsiders {
		return is, nil
	}
	m := site.Membership{Campaign: found, Work: work, Role: roles[0], Adjudicates: is&(site.Adjudicators|site.Leads|site.Admins) != 0}
	if m.Role == campaign.Researcher {
		if m.People, err = s.PeopleSeenBy(c.Request().Context(), m); err != nil {
			return site.Outsiders, err
		}
	}
	c.Set(site.MembershipKey, m)
	c.Set(site.KindKey, is)
	return is, nil
}
