package site

import (
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v5"
)

// OIDC is the provider of OpenID Connect by which people sign in. The zero value means that there is none.
type OIDC struct {
	Issuer       string // its address
	ClientID     string
	ClientSecret string
	Name         string // on the button, such as "Example University"
	Create       bool   // people without an account get one
}

// A Began is a sign-in at a provider that was begun in a browser.
type Began struct{ State, Nonce, Verifier, Next string }

const (
	beganCookie = "annotate_oidc"
	beganLasts  = 10 * time.Minute
)

// beganCodec signs the cookie of a sign-in that was begun.
func (s *Site) beganCodec() *securecookie.SecureCookie {
	return securecookie.New(s.SessionKey, nil).MaxAge(int(beganLasts.Seconds())).SetSerializer(securecookie.JSONEncoder{})
}

func (s *Site) beganName(r *http.Request) string {
	if s.isHTTPS(r) {
		return "__Host-" + beganCookie
	}
	return beganCookie
}

// KeepBegan keeps a sign-in in the browser for some minutes.
func (s *Site) KeepBegan(c *echo.Context, b Began) error {
	value, err := s.beganCodec().Encode(beganCookie, b)
	if err != nil {
		return err
	}
	http.SetCookie(
		c.Response(),
		&http.Cookie{
			Name:     s.beganName(c.Request()),
			Value:    value,
			Path:     "/",
			MaxAge:   int(beganLasts.Seconds()),
			HttpOnly: true,
			Secure:   s.isHTTPS(c.Request()),
			SameSite: http.SameSiteLaxMode,
		},
	)
	return nil
}

// TakeBegan returns the sign-in that was kept in the browser, once.
func (s *Site) TakeBegan(c *echo.Context) (b Began, ok bool) {
	kept, err := c.Request().Cookie(s.beganName(c.Request()))
	if err != nil || s.beganCodec().Decode(beganCookie, kept.Value, &b) != nil {
		return b, false
	}
	http.SetCookie(
		c.Response(),
		&http.Cookie{Name: s.beganName(c.Request()), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.isHTTPS(c.Request()), SameSite: http.SameSiteLaxMode},
	)
	return b, true
}
