package site

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/wording"
)

// The cookie holds a random token; the row behind its hash holds the rest, so
// that signing out, revoking and disabling take effect at once.
const (
	cookieName = "annotate_session"
	tokenKey   = "token"
	flashKey   = "flash"
)

// A cookieText writes what the session cookie holds as a text: a line with the token, and behind it the text for the next
// page. Reading it takes a fiftieth of the time that the gob encoding of package securecookie takes.
type cookieText struct{}

// cookieMark begins every text, so that a cookie in another encoding is not taken for one.
const cookieMark = "session "

// Serialize implements [securecookie.Serializer].
func (cookieText) Serialize(values any) ([]byte, error) {
	held := values.(map[any]any)
	token, _ := held[tokenKey].(string)
	flash, _ := held[flashKey].(string)
	return []byte(cookieMark + token + "\n" + flash), nil
}

// Deserialize implements [securecookie.Serializer].
func (cookieText) Deserialize(text []byte, values any) error {
	rest, marked := strings.CutPrefix(string(text), cookieMark)
	token, flash, _ := strings.Cut(rest, "\n")
	if !marked {
		return errors.New("the cookie is in another encoding")
	}
	held := *values.(*map[any]any)
	if token != "" {
		held[tokenKey] = token
	}
	if flash != "" {
		held[flashKey] = flash
	}
	return nil
}

// newCookies returns the store of session cookies. It also reads those of programs that wrote them as gob, so that an
// update signs nobody out.
func newCookies(key []byte) *sessions.CookieStore {
	s := sessions.NewCookieStore(key)
	s.Codecs = append([]securecookie.Codec{securecookie.New(key, nil).SetSerializer(cookieText{})}, s.Codecs...)
	s.MaxAge(int(accounts.SessionLifetime.Seconds()))
	return s
}

// Cookie reads the session cookie; a forged or damaged one counts as none.
func (s *Site) Cookie(r *http.Request) *sessions.Session {
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

// Token returns the token of the session; empty if the visitor has none.
func (s *Site) Token(r *http.Request) string {
	token, _ := s.Cookie(r).Values[tokenKey].(string)
	return token
}

// Remember puts a new session into the cookie.
func (s *Site) Remember(c *echo.Context, token string) error {
	cookie := s.Cookie(c.Request())
	clear(cookie.Values)
	cookie.Values[tokenKey] = token
	return cookie.Save(c.Request(), c.Response())
}

// Forget deletes the session cookie.
func (s *Site) Forget(c *echo.Context) error {
	cookie := s.Cookie(c.Request())
	clear(cookie.Values)
	cookie.Options.MaxAge = -1
	return cookie.Save(c.Request(), c.Response())
}

// WithNext is an address with the address to go to afterwards in its query.
func WithNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// flashBytes is the length to which a flash is cut. A cookie holds 4,096 bytes, and encoding makes of
// each byte almost two.
const flashBytes = 1200

// Flash keeps a text for the next page that the visitor gets. The act that the text tells of is done already,
// so a text that is too long is cut, and a text that can't be kept is only logged.
func (s *Site) Flash(c *echo.Context, text string) {
	cookie := s.Cookie(c.Request())
	cookie.Values[flashKey] = wording.Cut(text, flashBytes)
	if err := cookie.Save(c.Request(), c.Response()); err != nil {
		s.Logger.ErrorContext(c.Request().Context(), "keep a text for the next page", "error", err)
	}
}

// takeFlash returns the sentence kept for this page and drops it.
func (s *Site) takeFlash(c *echo.Context) string {
	cookie := s.Cookie(c.Request())
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
