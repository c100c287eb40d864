package account

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/account"
)

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
