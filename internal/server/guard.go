package server

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/store"
)

const membershipKey = "membership" // of the echo context

// membership is the campaign of the address with the user's role in it.
type membership struct {
	campaign campaign.Campaign
	role     campaign.Role // an admin who is no member counts as lead
}

// here is the campaign of the address, behind a guard of role.
func here(c echo.Context) membership {
	m, _ := c.Get(membershipKey).(membership)
	return m
}

// signedIn keeps strangers out.
func (s *Server) signedIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if _, ok := user(c); !ok {
			return echo.NewHTTPError(http.StatusUnauthorized, "sign in to go on")
		}
		return next(c)
	}
}

// adminOnly lets site admins in.
func (s *Server) adminOnly(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if me(c).Role != store.Admin {
			return campaign.ErrForbidden
		}
		return next(c)
	}
}

// mayCreate lets in whoever may create campaigns: admins and leads.
func (s *Server) mayCreate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ok, err := s.createsCampaigns(c)
		if err != nil {
			return err
		}
		if !ok {
			return campaign.ErrForbidden
		}
		return next(c)
	}
}

// createsCampaigns reports whether the user may make campaigns.
func (s *Server) createsCampaigns(c echo.Context) (bool, error) {
	if me(c).Role == store.Admin {
		return true, nil
	}
	return s.store.LeadsAny(c.Request().Context(), me(c).ID)
}

// role lets in members of the campaign in the address who have one of the
// roles. To anyone without any role in it, the campaign does not exist.
func (s *Server) role(roles ...campaign.Role) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			found, role, err := s.store.CampaignFor(c.Request().Context(), c.Param("slug"), me(c).ID)
			if err != nil {
				return err
			}
			if role == "" && me(c).Role == store.Admin {
				role = campaign.Lead
			}
			switch {
			case role == "":
				return campaign.ErrNotFound
			case !slices.Contains(roles, role):
				return campaign.ErrForbidden
			}
			c.Set(membershipKey, membership{found, role})
			return next(c)
		}
	}
}
