package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/server/site"
)

// identify finds out who is asking; strangers are let through to the guards. The
// store learns who acts, from which address and in which request.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		r := c.Request()
		if strings.HasPrefix(r.URL.Path, "/static/") {
			return next(c)
		}
		actor := records.Actor{Address: c.RealIP(), Request: c.Response().Header().Get(echo.HeaderXRequestID)}
		if token := s.Token(r); token != "" {
			u, extended, err := s.store.Accounts.Visit(r.Context(), token)
			switch {
			case err == nil:
				c.Set(site.UserKey, u)
				actor.UserID, actor.Session = u.ID, token
				if extended {
					if err := s.Cookie(r).Save(r, c.Response()); err != nil {
						return err
					}
				}
			case !errors.Is(err, campaign.ErrNotFound):
				return err
			}
		}
		c.SetRequest(r.WithContext(records.WithActor(r.Context(), actor)))
		return next(c)
	}
}

// queryEscape is where a stranger wanted to go, for after signing in.
func queryEscape(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "%2F"
	}
	return url.QueryEscape(r.URL.RequestURI())
}
