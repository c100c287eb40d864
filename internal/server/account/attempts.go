package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
)

// couldBeLogin reports whether a text could be a login; one that is too long could not.
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

// addressKey is what attempts are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, since one
// customer has all addresses that begin with the same 64 bits.
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
