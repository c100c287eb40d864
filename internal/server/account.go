package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/password"
	"annotate/internal/wire"
	"annotate/web/templates/account"
)

func (s *Server) account(c echo.Context) error {
	return s.showAccount(c, http.StatusOK, func(*account.AccountView) {})
}

// showAccount renders the account page; change puts in what was wrong.
func (s *Server) showAccount(c echo.Context, status int, change func(*account.AccountView)) error {
	u := me(c)
	sessions, err := s.store.Sessions(c.Request().Context(), u.ID, s.token(c.Request()))
	if err != nil {
		return err
	}
	fresh, err := s.store.FreshLink(c.Request().Context(), s.token(c.Request()))
	if err != nil {
		return err
	}
	v := account.AccountView{
		Page: s.pageAt(c, "Account", "account"), Name: u.Name, HasPassword: u.PasswordHash != "", FreshLink: fresh,
		Minutes: int(accounts.ProofLifetime.Minutes()), Days: int(accounts.SessionLimit.Hours() / 24), Sessions: sessions,
	}
	for i := range sessions {
		sessions[i].Agent = agentInWords(sessions[i].Agent)
	}
	change(&v)
	return s.render(c, status, account.Account(v))
}

// agentInWords makes "Firefox on Linux" of a user agent.
func agentInWords(agent string) string {
	browser := firstWord(agent, [][2]string{{"Edg", "Edge"}, {"OPR", "Opera"}, {"Firefox", "Firefox"}, {"Chrom", "Chrome"}, {"Safari", "Safari"}})
	system := firstWord(agent, [][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS", "macOS"}, {"Linux", "Linux"}})
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

func (s *Server) changeName(c echo.Context) error {
	name := strings.TrimSpace(c.FormValue("name"))
	err := s.store.SetName(c.Request().Context(), me(c).ID, name)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showAccount(c, http.StatusUnprocessableEntity, func(v *account.AccountView) { v.Name, v.NameError = name, invalid.Msg })
	}
	if err != nil {
		return err
	}
	return s.done(c, "Your name was changed.", "/account")
}

// done says what happened on the next page and goes there.
func (s *Server) done(c echo.Context, text, path string) error {
	if err := s.flash(c, text); err != nil {
		return err
	}
	return redirect(c, path)
}

// changeKeys replaces the keys that a person has changed under a protocol, as a script
// has them.
func (s *Server) changeKeys(c echo.Context) error {
	var body wire.Keys
	if err := readJSON(c, &body, maxCardBody); err != nil {
		return err
	}
	if err := s.store.SetKeys(c.Request().Context(), me(c).ID, body.Protocol, body.Keys); err != nil {
		return apiFailure(c, err)
	}
	return c.NoContent(http.StatusNoContent)
}

// changePassword sets a password for somebody who gives the current one, or who signed
// in with a link just now: a session that is a while old may be anybody's who came by.
func (s *Server) changePassword(c echo.Context) error {
	ctx, u, fresh, proof := c.Request().Context(), me(c), c.FormValue("password"), ""
	wrong := func(put func(*account.AccountView)) error {
		return s.showAccount(c, http.StatusUnprocessableEntity, put)
	}
	linked, err := s.store.FreshLink(ctx, s.token(c.Request()))
	if err != nil {
		return err
	}
	if u.PasswordHash != "" && !linked {
		success, ok := s.attempt(c, u.Login)
		if !ok {
			return echo.NewHTTPError(http.StatusTooManyRequests, "there were too many attempts; wait a minute and try again")
		}
		ok, err := password.Verify(u.PasswordHash, c.FormValue("current"))
		if err != nil {
			return err
		}
		if !ok {
			c.Set(failedKey, u.Login)
			return wrong(func(v *account.AccountView) { v.CurrentError = "this is not your password" })
		}
		success()
		proof = u.PasswordHash
	}
	if err := password.Check(fresh, u.Login, u.Name); err != nil {
		return wrong(func(v *account.AccountView) { v.PasswordError = err.Error() })
	}
	hash, err := password.Hash(fresh)
	if err != nil {
		return err
	}
	if err := s.store.ChangePassword(ctx, s.token(c.Request()), proof, hash); err != nil {
		return err
	}
	return s.done(c, "Your password was saved. Other browsers were signed out.", "/account")
}

func (s *Server) endSession(c echo.Context) error {
	err := s.store.RevokeSession(c.Request().Context(), me(c).ID, c.Param("id"))
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	return s.done(c, "That browser was signed out.", "/account")
}

// endSessions signs a person out everywhere else, or with here=yes in this browser,
// too.
func (s *Server) endSessions(c echo.Context) error {
	if c.FormValue("here") == "yes" {
		if err := s.store.EndSessions(c.Request().Context(), me(c).ID, ""); err != nil {
			return err
		}
		if err := s.forget(c); err != nil {
			return err
		}
		return redirect(c, "/sign-in")
	}
	if err := s.store.EndSessions(c.Request().Context(), me(c).ID, s.token(c.Request())); err != nil {
		return err
	}
	return s.done(c, "All other browsers were signed out.", "/account")
}
