package account

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/account"
)

func (h *Handlers) mail(c *echo.Context) error {
	return h.showMail(c, http.StatusOK, func(*account.MailView) {})
}

// showMail renders the page of one's e-mail address; change puts in what was wrong.
func (h *Handlers) showMail(c *echo.Context, status int, change func(*account.MailView)) error {
	if !h.SendsMail() {
		return h.Done(c, "This server sends no mail.", "/account")
	}
	u := site.Me(c)
	fresh, err := h.accounts.FreshLink(c.Request().Context(), h.Token(c.Request()))
	if err != nil {
		return err
	}
	v := account.MailView{
		Page:         h.PageAt(c, "E-mail", "account"),
		Address:      u.Mail,
		CanChange:    u.PasswordHash != "" || fresh,
		AsksPassword: u.PasswordHash != "" && !fresh,
		Work:         !u.MailOff,
	}
	change(&v)
	return h.Render(c, status, account.Mail(v))
}

// changeMail sets the address of somebody who gives the current password, or who signed in with a link just now.
func (h *Handlers) changeMail(c *echo.Context) error {
	address := site.Trimmed(c, "mail")
	proof, refused, err := h.prove(c)
	if err == nil && refused == "" {
		err = h.accounts.ChangeMail(c.Request().Context(), h.Token(c.Request()), proof, address)
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.showMail(c, http.StatusUnprocessableEntity, func(v *account.MailView) { v.Address, v.AddressError = address, invalid.Msg })
	}
	if err != nil {
		return err
	}
	if refused != "" {
		return h.showMail(c, http.StatusUnprocessableEntity, func(v *account.MailView) { v.Address, v.PasswordError = address, refused })
	}
	return h.Done(c, "Your e-mail address was saved.", "/account/mail")
}

func (h *Handlers) changeMailWork(c *echo.Context) error {
	if err := h.accounts.SetMailOff(c.Request().Context(), site.Me(c).ID, c.FormValue("work") != "yes"); err != nil {
		return err
	}
	return h.Done(c, "Saved.", "/account/mail")
}

func (h *Handlers) showForgotten(c *echo.Context) error {
	if !h.SendsMail() {
		return site.Redirect(c, "/sign-in")
	}
	return h.Render(c, http.StatusOK, account.Forgotten(account.ForgottenView{Page: h.Page(c, "Get a sign-in link")}))
}

// Limits on links by mail: for an address from which they are asked for, and for what is typed.
var (
	limitLinksAt  = accounts.FailureLimit{Every: time.Minute, Burst: 30}
	limitLinksFor = accounts.FailureLimit{Every: 15 * time.Minute, Burst: 3}
)

// forgotten has a sign-in link mailed to whoever's login or address is typed. The answer is the same for an unknown one, and takes the same
// writes.
func (h *Handlers) forgotten(c *echo.Context) error {
	if !h.SendsMail() {
		return campaign.ErrNotFound
	}
	ctx, typed := c.Request().Context(), site.Trimmed(c, "login")
	v := account.ForgottenView{Page: h.Page(c, "Get a sign-in link"), Login: typed, Sent: true}
	counted, err := h.accounts.CountAttempts(ctx,
		accounts.Attempt{Subject: h.subject("links at", addressKey(c.RealIP())), Limit: limitLinksAt},
		accounts.Attempt{Subject: h.subject("links for", strings.ToLower(typed)), Limit: limitLinksFor})
	if err != nil {
		return err
	}
	if counted < 2 {
		c.Response().Header().Set("Retry-After", "900")
		v.Sent, v.Wait = false, true
		return h.Render(c, http.StatusTooManyRequests, account.Forgotten(v))
	}
	if err := h.accounts.Forgotten(ctx, typed); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, account.Forgotten(v))
}
