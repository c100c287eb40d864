// Package server answers HTTP: it is the only place that knows echo and
// sessions. A handler parses, calls one method of the store, and renders a page
// of web/templates.
//
// Start at routes.go, which lists every route with its guard.
package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"annotate/internal/accounts"
	"annotate/internal/job"
	"annotate/internal/parallel"
	"annotate/internal/store"
)

// Config says how the server presents itself.
type Config struct {
	// BaseURL is the address people use, without a path; empty: that of each
	// request. Cookies are Secure when it begins with https.
	BaseURL string
	// TrustedProxies may say whose request it is and whether it came by HTTPS.
	TrustedProxies []netip.Prefix
	// SessionKey signs cookies; at least 32 bytes.
	SessionKey []byte
	Logger     *slog.Logger
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// WorkDir is a folder for files that are prepared to be fetched. Those that another
	// server has left there are deleted at the start, so that no two use it. Empty: the system's for temporary files.
	WorkDir string
	// MaxUpload is the largest upload in bytes; 0: 1 GiB.
	MaxUpload int64
	// Judges is the model's server for judges. The zero value means that there is none.
	Judges JudgeConfig
}

// A Server answers requests from a store.
type Server struct {
	cfg     Config
	store   *store.Store
	cookies *sessions.CookieStore
	// failedAt and failedFor count failures to sign in by address and by login.
	failedAt  *limiter
	failedFor *limiter
	// undeclared warns, once, of a proxy that is not configured.
	undeclared sync.Once
	reports    *reports
	files      *files
	// forgetFiles deletes the prepared files of a campaign that was deleted.
	forgetFiles func(campaignID string)
	imports     *imports
	uploads     *keptUploads
	judgeRuns   *judgeRuns
	judged      *judgeAgreements
	requests    parallel.Requests     // those under way
	settling    *job.Runner[struct{}] // completes imports whose programs were killed, changes of settings, and deletions
	health      *health
	echo        *echo.Echo
	handler     http.Handler
}

// New builds a server. It neither listens nor starts anything.
func New(cfg Config, st *store.Store) (*Server, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.MaxUpload == 0 {
		cfg.MaxUpload = 1 << 30
	}
	if len(cfg.SessionKey) == 0 {
		cfg.SessionKey = make([]byte, 64)
		if _, err := rand.Read(cfg.SessionKey); err != nil {
			return nil, err
		}
	}
	if len(cfg.SessionKey) < 32 {
		return nil, fmt.Errorf("the session key has %d bytes; it needs at least 32", len(cfg.SessionKey))
	}
	s := &Server{
		cfg: cfg, store: st, cookies: sessions.NewCookieStore(cfg.SessionKey),
		// An office signs in through one address, so that many failures are allowed
		// there; a login is what an attacker has to guess at.
		failedAt:  newLimiter(time.Second, 300, cfg.Now),
		failedFor: newLimiter(15*time.Second, 10, cfg.Now),
	}
	s.reports = newReports(st, cfg.Logger, cfg.Now, &s.requests)
	s.uploads = newKeptUploads(cfg.Now)
	s.imports = newImports(st, s.uploads, cfg.Logger, cfg.Now, &s.requests)
	s.judgeRuns = newJudgeRuns(st, cfg.Judges, cfg.Logger, cfg.Now, &s.requests)
	s.judged = newJudgeAgreements(st, cfg.Logger, cfg.Now, &s.requests)
	s.settling = job.NewRunner[struct{}](4, cfg.Now, &s.requests)
	var err error
	if s.files, err = newFiles(cfg.WorkDir, cfg.Now, &s.requests); err != nil {
		return nil, err
	}
	s.forgetFiles = s.files.forget
	s.health = newHealth(st, cfg.Now, cfg.Logger)
	s.cookies.MaxAge(int(accounts.SessionLifetime.Seconds()))

	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.handleError
	e.IPExtractor = s.ipExtractor()
	e.Use(s.logRequests, middleware.Recover(), s.securityHeaders, s.warnOfProxy, limitBody, s.identify)
	s.register(e, s.table())
	s.echo = e

	cross := http.NewCrossOriginProtection()
	if cfg.BaseURL != "" {
		u, err := url.Parse(cfg.BaseURL)
		if err != nil {
			return nil, fmt.Errorf("base_url: %w", err)
		}
		if err := cross.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, fmt.Errorf("base_url: %w", err)
		}
	}
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := e.NewContext(r, w)
		s.setSecurityHeaders(c.Response().Header())
		s.cfg.Logger.Info("refused", "method", r.Method, "status", http.StatusForbidden, "address", c.RealIP(), "origin", r.Header.Get("Origin"), "why", "from another site")
		s.handleError(echo.NewHTTPError(http.StatusForbidden, "this request came from another site and was refused"), c)
	}))
	s.handler = cross.Handler(e)
	return s, nil
}

// Handler is the whole application.
func (s *Server) Handler() http.Handler { return s.handler }

// housekeepingEvery is how often [Server.Housekeep] looks around.
const housekeepingEvery = 10 * time.Minute

// Housekeep does what no request asks for, now and then, until ctx ends. With it end
// reports, files, imports and judges that are under way.
func (s *Server) Housekeep(ctx context.Context) {
	defer s.reports.runner.Stop() // those under way are not kept
	defer s.files.stop()
	defer s.uploads.stop()
	defer s.imports.runner.Stop()
	defer s.judgeRuns.runner.Stop() // a person can resume them
	defer s.judged.runner.Stop()
	defer s.settling.Stop()
	tick := time.NewTicker(housekeepingEvery)
	defer tick.Stop()
	for {
		if err := s.store.Housekeep(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.Error("housekeeping", "error", err)
		}
		s.health.state(ctx) // logs what is wrong
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// ipExtractor trusts X-Forwarded-For from the configured proxies only.
func (s *Server) ipExtractor() echo.IPExtractor {
	if len(s.cfg.TrustedProxies) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range s.cfg.TrustedProxies {
		_, network, err := net.ParseCIDR(p.String())
		if err == nil {
			options = append(options, echo.TrustIPRange(network))
		}
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// isHTTPS reports whether the visitor's connection is encrypted, as far as the
// server or a trusted proxy knows.
func (s *Server) isHTTPS(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if s.publicHTTPS() {
		return true
	}
	if r.Header.Get("X-Forwarded-Proto") != "https" {
		return false
	}
	return s.isProxy(r.RemoteAddr)
}

// isProxy reports whether the address of a connection is that of a trusted proxy.
func (s *Server) isProxy(remote string) bool {
	addr, err := netip.ParseAddrPort(remote)
	return err == nil && slices.ContainsFunc(s.cfg.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr.Addr().Unmap()) })
}

// publicHTTPS reports whether people reach the server by HTTPS alone.
func (s *Server) publicHTTPS() bool { return strings.HasPrefix(s.cfg.BaseURL, "https://") }

// baseURL is how links to this server begin.
func (s *Server) baseURL(r *http.Request) string {
	if s.cfg.BaseURL != "" {
		return s.cfg.BaseURL
	}
	if s.isHTTPS(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// LinkPath is the path of a sign-in link.
func LinkPath(token string) string { return "/sign-in/link/" + token }
