package account

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"net/http"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"
	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/account"
)

// limitCode is on wrong codes of a second factor, beside the limits on passwords. Three of a million codes are good at a time, and
// an attacker needs the password first. One guess in five minutes finds a code within a year with a chance of a quarter.
var limitCode = accounts.FailureLimit{Every: 5 * time.Minute, Burst: 5}

// attemptCode counts an attempt to give a code for a user as a failure, until success is called.
func (h *Handlers) attemptCode(c *echo.Context, u accounts.User) (success func() error, ok bool, err error) {
	one := accounts.Attempt{Subject: h.subject("code", u.ID), Limit: limitCode}
	counted, err := h.accounts.CountAttempts(c.Request().Context(), one)
	if err != nil || counted == 0 {
		return nil, false, err
	}
	return func() error { return h.accounts.TakeBackAttempts(c.Request().Context(), one) }, true, nil
}

// guess has give use a code that was typed. It is refused with words for the person if the code is wrong, or if there were too many
// wrong ones.
func (h *Handlers) guess(c *echo.Context, u accounts.User, give func(code string) error) (refused string, err error) {
	success, ok, err := h.attemptCode(c, u)
	if err != nil {
		return "", err
	}
	if !ok {
		c.Response().Header().Set("Retry-After", "300")
		return "there were too many wrong codes; wait five minutes", nil
	}
	err = give(site.Trimmed(c, "code"))
	if errors.Is(err, accounts.ErrWrongCode) {
		c.Set(site.FailedKey, u.Login)
		return site.InvalidText(err), nil
	}
	if err != nil {
		return "", err
	}
	return "", success()
}

// showCode asks for the code of a second factor after the password or the link.
func (h *Handlers) showCode(c *echo.Context) error { return h.askCode(c, http.StatusOK, "") }

func (h *Handlers) askCode(c *echo.Context, status int, wrong string) error {
	if _, err := h.accounts.AwaitingCode(c.Request().Context(), h.Token(c.Request())); errors.Is(err, campaign.ErrNotFound) {
		return site.Redirect(c, "/sign-in")
	} else if err != nil {
		return err
	}
	return h.Render(c, status, account.Code(account.CodeView{Page: h.Page(c, "Code"), Next: c.FormValue("next"), Wrong: wrong}))
}

func (h *Handlers) giveCode(c *echo.Context) error {
	ctx, session, token := c.Request().Context(), h.Token(c.Request()), ""
	u, err := h.accounts.AwaitingCode(ctx, session)
	if errors.Is(err, campaign.ErrNotFound) {
		return site.Redirect(c, "/sign-in")
	}
	if err != nil {
		return err
	}
	refused, err := h.guess(c, u, func(code string) (err error) {
		token, err = h.accounts.GiveCode(ctx, session, code, c.Request().UserAgent())
		return err
	})
	switch {
	case errors.Is(err, campaign.ErrNotFound):
		return site.Redirect(c, "/sign-in")
	case err != nil:
		return err
	case refused != "":
		return h.askCode(c, http.StatusUnprocessableEntity, refused)
	}
	if err := h.Remember(c, token); err != nil {
		return err
	}
	return site.Redirect(c, localPath(c.FormValue("next")))
}

// afterSignIn leads to the page for the code if the session that was begun awaits one, and else to next.
func (h *Handlers) afterSignIn(c *echo.Context, token, next string) error {
	_, err := h.accounts.AwaitingCode(c.Request().Context(), token)
	switch {
	case errors.Is(err, campaign.ErrNotFound):
		return site.Redirect(c, localPath(next))
	case err != nil:
		return err
	}
	return site.Redirect(c, site.WithNext("/sign-in/code", localPath(next)))
}

func (h *Handlers) secondFactor(c *echo.Context) error {
	if h.Config.SecondFactor == site.FactorNo && !site.Me(c).SecondFactor {
		return h.Done(c, "This server offers no second factor.", "/account")
	}
	return h.showSecondFactor(c, http.StatusOK, func(*account.FactorView) {})
}

// showSecondFactor renders the page of one's second factor; change puts in what was made, or what was wrong.
func (h *Handlers) showSecondFactor(c *echo.Context, status int, change func(*account.FactorView)) error {
	ctx, u := c.Request().Context(), site.Me(c)
	fresh, err := h.accounts.FreshLink(ctx, h.Token(c.Request()))
	if err != nil {
		return err
	}
	v := account.FactorView{
		Page:         h.PageAt(c, "Second factor", "account"),
		Has:          u.SecondFactor,
		AsksPassword: u.PasswordHash != "" && !fresh,
		CanSetUp:     u.PasswordHash != "" || fresh,
		Required:     h.Config.SecondFactor == site.FactorRequired,
	}
	if v.CodesLeft, err = h.accounts.RecoveryCodesLeft(ctx, u.ID); err != nil {
		return err
	}
	offered, err := h.accounts.OfferedSecondFactor(ctx, u)
	switch {
	case errors.Is(err, campaign.ErrNotFound):
	case err != nil:
		return err
	default:
		v.Key = offered.Key
		if v.QR, v.Size, err = qrPath(offered.URL); err != nil {
			return err
		}
	}
	change(&v)
	return h.Render(c, status, account.SecondFactor(v))
}

// qrPath returns the dark fields of a QR code as the path of an SVG, and the number of fields in a row with the margin of four.
func qrPath(text string) (path string, size int, err error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	size = code.Bounds().Dx()
	for y := range size {
		for x := range size {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 && code.At(x, y) != color.Transparent {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+4, y+4)
			}
		}
	}
	return b.String(), size + 8, nil
}

// offerSecondFactor makes a secret for somebody who gives the password, or who signed in with a link just now.
func (h *Handlers) offerSecondFactor(c *echo.Context) error {
	if h.Config.SecondFactor == site.FactorNo {
		return campaign.ErrNotFound
	}
	proof, refused, err := h.prove(c)
	if err == nil && refused == "" {
		_, err = h.accounts.OfferSecondFactor(c.Request().Context(), h.Token(c.Request()), proof)
	}
	if err != nil {
		return err
	}
	if refused != "" {
		return h.showSecondFactor(c, http.StatusUnprocessableEntity, func(v *account.FactorView) { v.PasswordError = refused })
	}
	return site.Redirect(c, "/account/second-factor")
}

func (h *Handlers) confirmSecondFactor(c *echo.Context) error {
	return h.showCodes(c, h.accounts.ConfirmSecondFactor)
}

func (h *Handlers) renewCodes(c *echo.Context) error {
	return h.showCodes(c, h.accounts.RenewRecoveryCodes)
}

// showCodes shows the recovery codes that were made for a code of the second factor.
func (h *Handlers) showCodes(c *echo.Context, made func(ctx context.Context, session, code string) ([]string, error)) error {
	var codes []string
	refused, err := h.guess(c, site.Me(c), func(code string) (err error) {
		codes, err = made(c.Request().Context(), h.Token(c.Request()), code)
		return err
	})
	if err != nil {
		return err
	}
	if refused != "" {
		return h.showSecondFactor(c, http.StatusUnprocessableEntity, func(v *account.FactorView) { v.CodeError = refused })
	}
	return h.showSecondFactor(c, http.StatusOK, func(v *account.FactorView) { v.Has, v.Codes = true, codes })
}

func (h *Handlers) endSecondFactor(c *echo.Context) error {
	refused, err := h.guess(c, site.Me(c), func(code string) error {
		return h.accounts.EndSecondFactor(c.Request().Context(), h.Token(c.Request()), code)
	})
	if err != nil {
		return err
	}
	if refused != "" {
		return h.showSecondFactor(c, http.StatusUnprocessableEntity, func(v *account.FactorView) { v.CodeError = refused })
	}
	return h.Done(c, "Your second factor is turned off.", "/account/second-factor")
}

// resetSecondFactor deletes the second factor of somebody who has lost it.
func (h *Handlers) resetSecondFactor(c *echo.Context) error {
	u, err := h.named(c)
	if err != nil {
		return err
	}
	if err := h.accounts.ResetSecondFactor(c.Request().Context(), u.ID); err != nil {
		return err
	}
	return h.Done(c, "The second factor of "+u.Login+" is reset. They can set up another one.", "/users")
}
