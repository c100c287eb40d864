package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/job"
	"annotate/internal/records"
)

// People is a set of the kinds of people who ask for pages.
type people uint8

// The kinds of people. Everybody is of one kind to a campaign, but that an annotator
// may be an adjudicator beside. To the site, a person with several roles in several
// campaigns is of several.
const (
	strangers people = 1 << iota // not signed in
	outsiders                    // signed in, without a role
	annotators
	adjudicators
	researchers
	leads
	admins // of the site, whatever role they have in a campaign

	// sides is not a kind of people. It says that the page also is one of a side campaign.
	sides

	signedIn  = outsiders | annotators | adjudicators | researchers | leads | admins
	everybody = strangers | signedIn
)

// kindOf is the kind of a person with a role in a campaign.
func kindOf(r campaign.Role) people {
	switch r {
	case campaign.Annotator:
		return annotators
	case campaign.Adjudicator:
		return adjudicators
	case campaign.Researcher:
		return researchers
	case campaign.Lead:
		return leads
	}
	return outsiders
}

const membershipKey = "membership" // of the echo context

// membership is the campaign of the address with the user's role in it.
type membership struct {
	campaign campaign.Campaign
	// work is the campaign that the assignment of the address belongs to: campaign, or one of
	// its side campaigns. It equals campaign if the address has no assignment.
	work campaign.Campaign
	role campaign.Role // an admin counts as lead
	// adjudicates: an adjudicator, be it beside annotator, or a lead, who may do all
	// that adjudicators do.
	adjudicates bool
}

// shownRole returns the role by which pages choose what they offer. An archived campaign can only be
// read, so its leads get the pages of a researcher.
func (m membership) shownRole() campaign.Role {
	if m.campaign.Archived && m.role == campaign.Lead {
		return campaign.Researcher
	}
	return m.role
}

// here is the campaign of the address; empty on a page that is of no campaign.
func here(c echo.Context) membership {
	m, _ := c.Get(membershipKey).(membership)
	return m
}

// guard lets in the given kinds of people and nobody else. A stranger is asked to
// sign in. To a person without a role in it, a campaign does not exist.
func (s *Server) guard(who people) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if who == everybody {
				return next(c)
			}
			if _, ok := user(c); !ok {
				c.Set(refusedKey, true)
				return echo.NewHTTPError(http.StatusUnauthorized, "sign in to go on")
			}
			is, err := s.kind(c)
			switch {
			case err != nil:
				return err
			case here(c).campaign.Side != "" && who&sides == 0:
				c.Set(refusedKey, true)
				return campaign.ErrNotFound
			case is&who != 0:
				if err := s.settled(c, who); err != nil {
					return err
				}
				return next(c)
			}
			c.Set(refusedKey, true)
			if is == outsiders && slices.Contains(c.ParamNames(), "slug") {
				return campaign.ErrNotFound
			}
			return campaign.ErrForbidden
		}
	}
}

// settled returns an error while an import into the campaign of the address is being
// completed, or its segments follow a change of settings, so that nobody sees a part of it. Annotators go on with what they have, and
// the page of imports says how far it is. An import whose program was killed is
// completed by this one.
func (s *Server) settled(c echo.Context, who people) error {
	of := here(c).campaign
	if of.ID == "" || who&annotators != 0 || strings.HasPrefix(c.Path(), "/campaigns/:slug/import") {
		return nil
	}
	err := s.store.Completing(c.Request().Context(), of.ID)
	if _, ok := errors.AsType[*records.CompletingError](err); ok {
		s.settle(of)
	}
	return err
}

// settle completes what is under way in a campaign, in the background.
func (s *Server) settle(of campaign.Campaign) *job.Job[struct{}] {
	return s.settling.Start(of.ID, func(ctx context.Context, _ job.Say) (struct{}, error) {
		return struct{}{}, s.store.Settle(ctx, of.ID)
	}, logFailure(s.cfg.Logger, "complete an import or a change of settings", of))
}

// kind says what the user is to the campaign of the address, and keeps it for
// [here]; without a campaign in the address, to the site.
func (s *Server) kind(c echo.Context) (people, error) {
	if slices.Contains(c.ParamNames(), "slug") {
		return s.kindHere(c)
	}
	if me(c).Role == accounts.Admin {
		return admins, nil
	}
	roles, err := s.store.RolesOf(c.Request().Context(), me(c).ID)
	if err != nil || len(roles) == 0 {
		return outsiders, err
	}
	var is people
	for _, r := range roles {
		is |= kindOf(r)
	}
	return is, nil
}

func (s *Server) kindHere(c echo.Context) (people, error) {
	found, roles, err := s.store.CampaignFor(c.Request().Context(), c.Param("slug"), me(c).ID)
	if err != nil {
		return outsiders, err
	}
	is := outsiders
	if me(c).Role == accounts.Admin {
		is, roles = admins, []campaign.Role{campaign.Lead}
	} else if len(roles) > 0 {
		is = 0
		for _, r := range roles {
			is |= kindOf(r)
		}
	}
	if is == outsiders {
		return is, nil
	}
	m := membership{campaign: found, work: found, role: roles[0], adjudicates: is&(adjudicators|leads|admins) != 0}
	if id := c.Param("assignment"); id != "" {
		if m.work, err = s.store.CampaignOfAssignment(c.Request().Context(), found, id); err != nil {
			return outsiders, err
		}
	}
	c.Set(membershipKey, m)
	return is, nil
}

func (s *Server) createsCampaigns(c echo.Context) (bool, error) {
	if me(c).Role == accounts.Admin {
		return true, nil
	}
	roles, err := s.store.RolesOf(c.Request().Context(), me(c).ID)
	return slices.Contains(roles, campaign.Lead), err
}
