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
		if site.ForProgram(r) {
			return s.identifyProgram(c, next)
		}
		actor := records.ActorOf(r.Context())
		actor.Address = c.RealIP()
		ctx := r.Context()
		if token := s.Token(r); token != "" {
			var err error
			if ctx, err = s.store.Accounts.AsOfNow(ctx); err != nil {
				return err
			}
			u, extended, err := s.store.Accounts.Visit(ctx, token)
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
		c.SetRequest(r.WithContext(records.WithActor(ctx, actor)))
		return next(c)
	}
}

// identifyProgram finds out whose program is asking, by its token alone.
func (s *Server) identifyProgram(c *echo.Context, next echo.HandlerFunc) error {
	r := c.Request()
	actor := records.Actor{Address: c.RealIP(), Request: c.Response().Header().Get(echo.HeaderXRequestID)}
	if token, ok := strings.CutPrefix(r.Header.Get(echo.HeaderAuthorization), "Bearer "); ok {
		u, grant, err := s.store.Accounts.UseToken(r.Context(), token)
		switch {
		case err == nil:
			c.Set(site.UserKey, u)
			c.Set(site.GrantKey, grant)
			actor.UserID, actor.Token = u.ID, grant.ID
		case !errors.Is(err, campaign.ErrNotFound):
			return err
		case !s.account.Failed(c):
			c.Response().Header().Set("Retry-After", "60")
			return echo.NewHTTPError(http.StatusTooManyRequests,
				"there were too many wrong tokens from this address; wait a minute, and send one that is good")
		default:
			c.Set(site.FailedKey, "")
		}
	}
	c.SetRequest(r.WithContext(records.WithActor(r.Context(), actor)))
	return next(c)
}

// queryEscape is where a stranger wanted to go, for after signing in.
func queryEscape(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "%2F"
	}
	return url.QueryEscape(r.URL.RequestURI())
}
