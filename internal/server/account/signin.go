package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/account"
)

// localPath keeps a redirect on this site: anything but a path of ours becomes
// the start page.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsAny(next, "\\\r\n") {
		return "/"
	}
	return next
}

// start leads strangers to the sign-in page and everybody else to their work.
func (h *Handlers) start(c *echo.Context) error {
	if _, ok := site.User(c); !ok {
		return site.Redirect(c, "/sign-in")
	}
	return site.Redirect(c, "/work")
}

func (h *Handlers) showSignIn(c *echo.Context) error {
	if _, ok := site.User(c); ok {
		return site.Redirect(c, localPath(c.QueryParam("next")))
	}
	if _, err := h.accounts.AwaitingCode(c.Request().Context(), h.Token(c.Request())); err == nil {
		return site.Redirect(c, site.WithNext("/sign-in/code", localPath(c.QueryParam("next"))))
	}
	return h.Render(
		c, http.StatusOK,
		account.SignIn(account.SignInView{Page: h.Page(c, "Sign in"), Next: c.QueryParam("next"), Provider: h.Config.OIDC.Name, SendsMail: h.SendsMail()}),
	)
}

// signIn checks login and password. The answer does not tell an unknown login
// from a wrong password, in words or in time.
func (h *Handlers) signIn(c *echo.Context) error {
	login, secret, next := c.FormValue("login"), c.FormValue("password"), c.FormValue("next")
	refuse := func(status int, msg, wait string) error {
		v := account.SignInView{Page: h.Page(c, "Sign in"), Login: login, Next: next, Wait: wait,
			Provider: h.Config.OIDC.Name, SendsMail: h.SendsMail()}
		v.Error = msg
		return h.Render(c, status, account.SignIn(v))
	}
	success, ok, err := h.attempt(c, login)
	if err != nil {
		return err
	}
	if !ok {
		c.Response().Header().Set("Retry-After", "60")
		return refuse(http.StatusTooManyRequests, "there were too many attempts to sign in", "a minute")
	}
	var u accounts.User
	err = campaign.ErrNotFound
	if couldBeLogin(login) {
		u, err = h.accounts.UserByLogin(c.Request().Context(), login)
	}
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	ok = false
	if err != nil || u.PasswordHash == "" {
		accounts.VerifyNoPassword(secret)
	} else if ok, err = accounts.VerifyPassword(u.PasswordHash, secret); err != nil {
		return err
	}
	if !ok || u.Disabled {
		c.Set(site.FailedKey, u.Login) // Empty for an unknown login, which may be a password typed in the wrong place.
		return refuse(http.StatusUnprocessableEntity, "login and password do not match, or the account has no password", "")
	}
	if err := success(); err != nil {
		return err
	}
	token, err := h.accounts.StartSession(c.Request().Context(), u, c.Request().UserAgent())
	if err != nil {
		return err
	}
	if err := h.Remember(c, token); err != nil {
		return err
	}
	return h.afterSignIn(c, token, next)
}

// couldBeLogin tells what could be a login from what is too long for one, say.
func couldBeLogin(login string) bool { return campaign.CheckLogin(login) == nil }

// Limits on failures to sign in. An office signs in through one address, so many failures are allowed for an address. A login
// is what an attacker has to guess at, from one address or from many. Strangers who use up the failures of a login must not
// lock its user out, so the user's own addresses are exempt from the last limit.
var (
	limitAt    = accounts.FailureLimit{Every: time.Second, Burst: 300}
	limitForAt = accounts.FailureLimit{Every: 15 * time.Second, Burst: 10}
	limitFor   = accounts.FailureLimit{Every: 15 * time.Second, Burst: 100}
)

// attempt counts an attempt to give the password of a login as a failure, until success is called: for
// the address, for the login at that address, and for the login. It is
// false if there were too many failures. Too many for the login from everywhere do not count at an
// address from which the login has signed in.
func (h *Handlers) attempt(c *echo.Context, login string) (success func() error, ok bool, err error) {
	ctx, address := c.Request().Context(), addressKey(c.RealIP())
	attempts := []accounts.Attempt{{Subject: h.subject(address), Limit: limitAt}}
	if couldBeLogin(login) {
		attempts = append(
			attempts, accounts.Attempt{Subject: h.subject(address, login), Limit: limitForAt},
			accounts.Attempt{Subject: h.subject("", login), Limit: limitFor},
		)
	}
	counted, err := h.accounts.CountAttempts(ctx, attempts...)
	if err != nil || counted < len(attempts) && (counted < 2 || !h.signsInAt(c, login, address)) {
		return nil, false, err
	}
	return func() error { return h.accounts.TakeBackAttempts(ctx, attempts[:counted]...) }, true, nil
}

// subject is what failures are counted by. The hash is keyed, since what was typed as a login may be a password.
func (h *Handlers) subject(of ...string) string {
	sum := hmac.New(sha256.New, h.Config.SessionKey)
	fmt.Fprintf(sum, "%q", of)
	return hex.EncodeToString(sum.Sum(nil))
}

// Failed counts a wrong token as a failure to sign in at the address of the request. It is false if there were too many.
func (h *Handlers) Failed(c *echo.Context) bool {
	_, ok, err := h.attempt(c, "")
	return ok || err != nil // the token is refused in any case
}

// signsInAt reports whether a login has signed in from an address before. After an error it has not.
func (h *Handlers) signsInAt(c *echo.Context, login, address string) bool {
	all, err := h.accounts.SignInAddresses(c.Request().Context(), login)
	return err == nil && slices.ContainsFunc(all, func(ip string) bool { return addressKey(ip) == address })
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
func (h *Handlers) showLink(c *echo.Context) error {
	u, err := h.accounts.LinkUser(c.Request().Context(), c.Param("token"))
	if errors.Is(err, campaign.ErrNotFound) {
		return h.refuseLink(c, err)
	}
	if err != nil {
		return err
	}
	v := account.LinkView{Page: h.Page(c, "Sign in"), Name: u.Name, Action: site.LinkPath(c.Param("token"))}
	if before, ok := site.User(c); ok {
		v.SignedInAs, v.Same = before.Name, before.ID == u.ID
	}
	return h.Render(c, http.StatusOK, account.Link(v))
}

// useLink signs in with a link and spends it. The session before it in the same
// browser ends.
func (h *Handlers) useLink(c *echo.Context) error {
	ctx := c.Request().Context()
	token, err := h.accounts.UseLink(ctx, c.Param("token"), c.Request().UserAgent())
	if errors.Is(err, campaign.ErrNotFound) {
		return h.refuseLink(c, err)
	}
	if err != nil {
		return err
	}
	if before := h.Token(c.Request()); before != "" {
		if err := h.accounts.EndSession(ctx, before); err != nil {
			return err
		}
	}
	if err := h.Remember(c, token); err != nil {
		return err
	}
	return h.afterSignIn(c, token, "/work")
}

// refuseLink says why a link is of no use, but leads somebody who is signed in to
// their work: the link is their bookmark.
func (h *Handlers) refuseLink(c *echo.Context, err error) error {
	if _, ok := site.User(c); ok {
		return site.Redirect(c, "/work")
	}
	v := account.LinkView{Page: h.Page(c, "Sign-in link"), Problem: "unknown"}
	switch {
	case errors.Is(err, accounts.ErrLinkUsed):
		v.Problem = "used"
	case errors.Is(err, accounts.ErrLinkExpired):
		v.Problem = "expired"
	}
	return h.Render(c, http.StatusGone, account.Link(v))
}

func (h *Handlers) signOut(c *echo.Context) error {
	if token := h.Token(c.Request()); token != "" {
		if err := h.accounts.EndSession(c.Request().Context(), token); err != nil {
			return err
		}
	}
	if err := h.Forget(c); err != nil {
		return err
	}
	return site.Redirect(c, "/sign-in")
}
