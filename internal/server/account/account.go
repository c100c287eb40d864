package account

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/account"
)

func (h *Handlers) account(c *echo.Context) error {
	return h.showAccount(c, http.StatusOK, func(*account.AccountView) {})
}

// showAccount renders the account page; change puts in what was wrong.
func (h *Handlers) showAccount(c *echo.Context, status int, change func(*account.AccountView)) error {
	u := site.Me(c)
	sessions, err := h.accounts.Sessions(c.Request().Context(), u.ID, h.Token(c.Request()))
	if err != nil {
		return err
	}
	fresh, err := h.accounts.FreshLink(c.Request().Context(), h.Token(c.Request()))
	if err != nil {
		return err
	}
	v := account.AccountView{
		Page: h.PageAt(c, "Account", "account"), Name: u.Name, HasPassword: u.PasswordHash != "", FreshLink: fresh,
		Minutes: int(accounts.ProofLifetime.Minutes()), Days: int(accounts.SessionLimit.Hours() / 24), Sessions: sessions,
		SecondFactor: u.SecondFactor, OffersFactor: h.Config.SecondFactor != site.FactorNo || u.SecondFactor,
		SendsMail: h.SendsMail(), Mail: u.Mail,
	}
	for i := range sessions {
		sessions[i].Agent = agentInWords(sessions[i].Agent)
	}
	if v.Tokens, err = h.tokensView(c); err != nil {
		return err
	}
	change(&v)
	return h.Render(c, status, account.Account(v))
}

// agentInWords makes "Firefox on Linux" of a user agent.
func agentInWords(agent string) string {
	browser := firstWord(agent, [][2]string{{"Edg", "Edge"}, {"OPR", "Opera"}, {"Firefox", "Firefox"}, {"Chrom", "Chrome"}, {"Safari", "Safari"}})
	system := firstWord(
		agent,
		[][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS", "macOS"}, {"Linux", "Linux"}},
	)
	switch {
	case browser == "":
		return "another program"
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func firstWord(text string, words [][2]string) string {
	for _, w := range words {
		if strings.Contains(text, w[0]) {
			return w[1]
		}
	}
	return ""
}

func (h *Handlers) changeName(c *echo.Context) error {
	name := strings.TrimSpace(c.FormValue("name"))
	err := h.accounts.SetName(c.Request().Context(), site.Me(c).ID, name)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.showAccount(c, http.StatusUnprocessableEntity, func(v *account.AccountView) { v.Name, v.NameError = name, invalid.Msg })
	}
	if err != nil {
		return err
	}
	return h.Done(c, "Your name was changed.", "/account")
}

// prove checks the current password that the form gives, and returns its hash. Who signed in with a link just now, or has no
// password, gives none. It is refused with words for the person if the password is wrong.
func (h *Handlers) prove(c *echo.Context) (proof, refused string, err error) {
	u := site.Me(c)
	linked, err := h.accounts.FreshLink(c.Request().Context(), h.Token(c.Request()))
	if err != nil || u.PasswordHash == "" || linked {
		return "", "", err
	}
	success, ok, err := h.attempt(c, u.Login)
	if err != nil {
		return "", "", err
	}
	if !ok {
		return "", "", echo.NewHTTPError(http.StatusTooManyRequests, "there were too many attempts; wait a minute and try again")
	}
	ok, err = accounts.VerifyPassword(u.PasswordHash, c.FormValue("current"))
	if err != nil {
		return "", "", err
	}
	if !ok {
		c.Set(site.FailedKey, u.Login)
		return "", "this is not your password", nil
	}
	return u.PasswordHash, "", success()
}

// changePassword sets a password for somebody who gives the current one, or who signed
// in with a link just now: a session that is a while old may belong to anybody who came by.
func (h *Handlers) changePassword(c *echo.Context) error {
	ctx, u, fresh := c.Request().Context(), site.Me(c), c.FormValue("password")
	wrong := func(put func(*account.AccountView)) error {
		return h.showAccount(c, http.StatusUnprocessableEntity, put)
	}
	proof, refused, err := h.prove(c)
	if err != nil {
		return err
	}
	if refused != "" {
		return wrong(func(v *account.AccountView) { v.CurrentError = refused })
	}
	if err := accounts.CheckPassword(fresh, u.Login, u.Name); err != nil {
		return wrong(func(v *account.AccountView) { v.PasswordError = err.Error() })
	}
	hash, err := accounts.HashPassword(fresh)
	if err != nil {
		return err
	}
	if err := h.accounts.ChangePassword(ctx, h.Token(c.Request()), proof, hash); err != nil {
		return err
	}
	return h.Done(c, "Your password was saved. Other browsers were signed out.", "/account")
}

func (h *Handlers) endSession(c *echo.Context) error {
	err := h.accounts.RevokeSession(c.Request().Context(), site.Me(c).ID, c.Param("id"))
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	return h.Done(c, "That browser was signed out.", "/account")
}

// endSessions signs a person out everywhere else, or with here=yes in this browser,
// too.
func (h *Handlers) endSessions(c *echo.Context) error {
	if c.FormValue("here") == "yes" {
		if err := h.accounts.EndSessions(c.Request().Context(), site.Me(c).ID, ""); err != nil {
			return err
		}
		if err := h.Forget(c); err != nil {
			return err
		}
		return site.Redirect(c, "/sign-in")
	}
	if err := h.accounts.EndSessions(c.Request().Context(), site.Me(c).ID, h.Token(c.Request())); err != nil {
		return err
	}
	return h.Done(c, "All other browsers were signed out.", "/account")
}
