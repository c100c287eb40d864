package server

import (
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/server/site"
)

// policy lets pages load from this server alone and run no inline script or
// style.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (s *Server) setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	if s.PublicHTTPS() {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}

func (s *Server) securityHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		s.setSecurityHeaders(c.Response().Header())
		return next(c)
	}
}

// warnOfProxy writes to the log, once, that requests come through a proxy that is not
// configured: everybody then has the proxy's address, also for the limits of
// signing in.
func (s *Server) warnOfProxy(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		if r := c.Request(); r.Header.Get(echo.HeaderXForwardedFor) != "" && !s.IsProxy(r.RemoteAddr) {
			s.undeclared.Do(func() {
				s.Config.Logger.Warn(
					"X-Forwarded-For from an address that is no trusted proxy is ignored; all people behind it share one address. If it is your proxy, name it in [server] trusted_proxies",
					"peer", r.RemoteAddr,
				)
			})
		}
		return next(c)
	}
}

// limitBody keeps a body short and reads a form at once, for FormValue would
// take one that is too long for one without values.
func limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		r := c.Request()
		limit, upload := site.BodyLimit(r.Method, c.Path())
		if upload {
			return next(c)
		}
		if r.ContentLength > limit {
			return &http.MaxBytesError{Limit: limit}
		}
		r.Body = http.MaxBytesReader(site.Answer(c).ResponseWriter, r.Body, limit)
		var err error
		switch kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType)); kind {
		case echo.MIMEApplicationForm:
			err = r.ParseForm()
		case echo.MIMEMultipartForm:
			err = r.ParseMultipartForm(site.MaxBody)
		}
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return err
		}
		if err != nil {
			return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
		}
		return next(c)
	}
}

// withRequestID gives each request an id. The answer names it, and so does what is logged and stored during the request.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.NewString()
		w.Header().Set(echo.HeaderXRequestID, id)
		next.ServeHTTP(w, r.WithContext(records.WithActor(r.Context(), records.Actor{Request: id})))
	})
}

// logRequests counts the requests and writes one line per request. A line never has a text,
// an answer, a token or a query.
func (s *Server) logRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		defer s.Requests.Begin()()
		start := s.Config.Now()
		err := next(c)
		if err != nil {
			s.handleError(c, err)
		}
		took := s.Config.Now().Sub(start)
		s.figures.count(c, took)
		level, event := s.eventOf(c)
		attrs := []slog.Attr{
			slog.String("method", c.Request().Method),
			slog.String("route", c.Path()),
			slog.Int("status", site.Answer(c).Status),
			slog.String("address", c.RealIP()),
			slog.Duration("took", took.Round(time.Microsecond)),
		}
		if u, ok := site.User(c); ok {
			attrs = append(attrs, slog.String("user", u.Login))
		}
		if g, ok := site.Granted(c); ok {
			attrs = append(attrs, slog.String("token", g.ID))
		}
		for _, name := range []string{"slug", "login", "format"} {
			if value := c.Param(name); value != "" {
				attrs = append(attrs, slog.String(name, value))
			}
		}
		if login, ok := c.Get(site.FailedKey).(string); ok {
			attrs = append(attrs, slog.String("login", login))
		}
		if err != nil && level == slog.LevelError {
			attrs = append(attrs, slog.String("error", err.Error()))
		}
		s.Config.Logger.LogAttrs(c.Request().Context(), level, event, attrs...)
		return nil
	}
}

// recoverPanics turns the panic of a handler into an error with its stack. A handler that breaks off an
// answer on purpose panics with [http.ErrAbortHandler], which is left to net/http.
func recoverPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) (err error) {
		defer func() {
			switch why := recover(); why {
			case nil:
			case http.ErrAbortHandler:
				panic(why)
			default:
				err = fmt.Errorf("panic: %v\n%s", why, debug.Stack())
			}
		}()
		return next(c)
	}
}

// refusedKey is the key of the echo context by which a guard says that it refused the request.
const refusedKey = "refused"

// eventOf names a request in the log. What bears on security is logged at level info:
// failed sign-ins, refused pages, changes other than an annotator's work, and what is
// taken out of the site.
func (s *Server) eventOf(c *echo.Context) (slog.Level, string) {
	status, method := site.Answer(c).Status, c.Request().Method
	_, failed := c.Get(site.FailedKey).(string)
	switch {
	case status >= http.StatusInternalServerError:
		return slog.LevelError, "request"
	case failed:
		return slog.LevelInfo, "sign-in failed"
	case c.Get(refusedKey) != nil:
		return slog.LevelInfo, "refused"
	case method != http.MethodGet && method != http.MethodHead && status < http.StatusBadRequest && site.Here(c).Role != campaign.Annotator:
		return slog.LevelInfo, "act"
	case status == http.StatusOK && c.Response().Header().Get(echo.HeaderContentDisposition) != "":
		return slog.LevelInfo, "export"
	}
	return slog.LevelDebug, "request"
}
