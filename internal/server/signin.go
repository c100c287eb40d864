package server

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/password"
	"annotate/web/templates/account"
)

// start leads strangers to the sign-in page and everybody else to their work.
func (s *Server) start(c echo.Context) error {
	if _, ok := user(c); !ok {
		return redirect(c, "/sign-in")
	}
	return redirect(c, "/work")
}

func (s *Server) showSignIn(c echo.Context) error {
	if _, ok := user(c); ok {
		return redirect(c, localPath(c.QueryParam("next")))
	}
	return s.render(c, http.StatusOK, account.SignIn(account.SignInView{Page: s.page(c, "Sign in"), Next: c.QueryParam("next")}))
}

// signIn checks login and password. The answer does not tell an unknown login
// from a wrong password, in words or in time.
func (s *Server) signIn(c echo.Context) error {
	login, secret, next := c.FormValue("login"), c.FormValue("password"), c.FormValue("next")
	refuse := func(status int, msg, wait string) error {
		v := account.SignInView{Page: s.page(c, "Sign in"), Login: login, Next: next, Wait: wait}
		v.Error = msg
		return s.render(c, status, account.SignIn(v))
	}
	success, ok := s.attempt(c, login)
	if !ok {
		c.Response().Header().Set("Retry-After", "60")
		return refuse(http.StatusTooManyRequests, "there were too many attempts to sign in", "a minute")
	}
	var u accounts.User
	err := campaign.ErrNotFound
	if couldBeLogin(login) {
		u, err = s.store.UserByLogin(c.Request().Context(), login)
	}
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	ok = false
	if err != nil || u.PasswordHash == "" {
		password.VerifyNothing(secret)
	} else if ok, err = password.Verify(u.PasswordHash, secret); err != nil {
		return err
	}
	if !ok || u.Disabled {
		c.Set(failedKey, u.Login) // Empty for an unknown login, which may be a password typed in the wrong place.
		return refuse(http.StatusUnprocessableEntity, "login and password do not match, or the account has no password", "")
	}
	success()
	token, err := s.store.StartSession(c.Request().Context(), u, c.Request().UserAgent())
	if err != nil {
		return err
	}
	if err := s.remember(c, token); err != nil {
		return err
	}
	return redirect(c, localPath(next))
}

// couldBeLogin tells what could be a login from what is too long for one, say.
func couldBeLogin(login string) bool { return campaign.CheckLogin(login) == nil }

// attempt counts an attempt to give the password of a login as a failure, until
// success is called: against the login, of which only a hash is remembered, and
// against the address. It is false if there were too many failures.
func (s *Server) attempt(c echo.Context, login string) (success func(), ok bool) {
	address, name := addressKey(c.RealIP()), ""
	if !s.failedAt.begin(address) {
		return nil, false
	}
	if couldBeLogin(login) {
		sum := sha256.Sum256([]byte(login))
		if name = string(sum[:]); !s.failedFor.begin(name) {
			return nil, false
		}
	}
	return func() {
		s.failedAt.succeed(address)
		if name != "" {
			s.failedFor.succeed(name)
		}
	}, true
}

// addressKey is what attempts are counted by: an IPv4 address, but the first 64
// bits of an IPv6 address, for a single customer has all that begin so.
func addressKey(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if addr = addr.Unmap(); addr.Is4() {
		return addr.String()
	}
	p, _ := addr.WithZone("").Prefix(64) // 64 is no more than the 128 it has
	return p.String()
}

// showLink asks whether to sign in with a link. It changes nothing, so that a mail
// scanner or the preview of a messenger can't use the link up.
func (s *Server) showLink(c echo.Context) error {
	u, err := s.store.LinkUser(c.Request().Context(), c.Param("token"))
	if errors.Is(err, campaign.ErrNotFound) {
		return s.refuseLink(c, err)
	}
	if err != nil {
		return err
	}
	v := account.LinkView{Page: s.page(c, "Sign in"), Name: u.Name, Action: LinkPath(c.Param("token"))}
	if before, ok := user(c); ok {
		v.SignedInAs, v.Same = before.Name, before.ID == u.ID
	}
	return s.render(c, http.StatusOK, account.Link(v))
}

// useLink signs in with a link and spends it. The session before it in the same
// browser ends.
func (s *Server) useLink(c echo.Context) error {
	ctx := c.Request().Context()
	token, err := s.store.UseLink(ctx, c.Param("token"), c.Request().UserAgent())
	if errors.Is(err, campaign.ErrNotFound) {
		return s.refuseLink(c, err)
	}
	if err != nil {
		return err
	}
	if before := s.token(c.Request()); before != "" {
		if err := s.store.EndSession(ctx, before); err != nil {
			return err
		}
	}
	if err := s.remember(c, token); err != nil {
		return err
	}
	return redirect(c, "/work")
}

// refuseLink says why a link is of no use, but leads somebody who is signed in to
// their work: the link is their bookmark.
func (s *Server) refuseLink(c echo.Context, err error) error {
	if _, ok := user(c); ok {
		return redirect(c, "/work")
	}
	v := account.LinkView{Page: s.page(c, "Sign-in link"), Problem: "unknown"}
	switch {
	case errors.Is(err, accounts.ErrLinkUsed):
		v.Problem = "used"
	case errors.Is(err, accounts.ErrLinkExpired):
		v.Problem = "expired"
	}
	return s.render(c, http.StatusGone, account.Link(v))
}

func (s *Server) signOut(c echo.Context) error {
	if token := s.token(c.Request()); token != "" {
		if err := s.store.EndSession(c.Request().Context(), token); err != nil {
			return err
		}
	}
	if err := s.forget(c); err != nil {
		return err
	}
	return redirect(c, "/sign-in")
}
