package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/records"
)

// The cookie holds a random token; the row behind its hash holds the rest, so
// that signing out, revoking and disabling take effect at once.
const (
	cookieName = "annotate_session"
	tokenKey   = "token"
	flashKey   = "flash"
)

const userKey = "user" // of the echo context

// failedKey is the key of the echo context by which a handler names the login of the account for which a
// wrong password was given. The login is empty if no account has it.
const failedKey = "failed"

// identify finds out who is asking; strangers are let through to the guards. The
// store learns who acts, from which address and in which request.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if strings.HasPrefix(r.URL.Path, "/static/") {
			return next(c)
		}
		actor := records.Actor{Address: c.RealIP(), Request: c.Response().Header().Get(echo.HeaderXRequestID)}
		if token := s.token(r); token != "" {
			u, extended, err := s.store.Visit(r.Context(), token)
			switch {
			case err == nil:
				c.Set(userKey, u)
				actor.UserID, actor.Session = u.ID, token
				if extended {
					if err := s.cookie(r).Save(r, c.Response()); err != nil {
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

// user is who is signed in; false for strangers.
func user(c echo.Context) (accounts.User, bool) {
	u, ok := c.Get(userKey).(accounts.User)
	return u, ok
}

// me is who is signed in, behind a guard that keeps strangers out.
func me(c echo.Context) accounts.User {
	u, _ := user(c)
	return u
}

// cookie reads the session cookie; a forged or damaged one counts as none.
func (s *Server) cookie(r *http.Request) *sessions.Session {
	// A browser takes a cookie whose name begins with __Host- from this host alone,
	// and only by HTTPS.
	name, https := cookieName, s.isHTTPS(r)
	if https {
		name = "__Host-" + name
	}
	cookie, _ := s.cookies.Get(r, name)
	cookie.Options = &sessions.Options{
		Path: "/", MaxAge: int(accounts.SessionLifetime.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: https,
	}
	return cookie
}

func (s *Server) token(r *http.Request) string {
	token, _ := s.cookie(r).Values[tokenKey].(string)
	return token
}

// remember puts a new session into the cookie.
func (s *Server) remember(c echo.Context, token string) error {
	cookie := s.cookie(c.Request())
	clear(cookie.Values)
	cookie.Values[tokenKey] = token
	return cookie.Save(c.Request(), c.Response())
}

func (s *Server) forget(c echo.Context) error {
	cookie := s.cookie(c.Request())
	clear(cookie.Values)
	cookie.Options.MaxAge = -1
	return cookie.Save(c.Request(), c.Response())
}

func (s *Server) flash(c echo.Context, text string) error {
	cookie := s.cookie(c.Request())
	cookie.Values[flashKey] = text
	return cookie.Save(c.Request(), c.Response())
}

// takeFlash returns the sentence kept for this page and drops it.
func (s *Server) takeFlash(c echo.Context) string {
	cookie := s.cookie(c.Request())
	text, ok := cookie.Values[flashKey].(string)
	if !ok {
		return ""
	}
	delete(cookie.Values, flashKey)
	if err := cookie.Save(c.Request(), c.Response()); err != nil {
		return ""
	}
	return text
}

// queryEscape is where a stranger wanted to go, for after signing in.
func queryEscape(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "%2F"
	}
	return url.QueryEscape(r.URL.RequestURI())
}

// localPath keeps a redirect on this site: anything but a path of ours becomes
// the start page.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n") {
		return "/"
	}
	return next
}
