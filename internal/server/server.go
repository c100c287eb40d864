// Package server answers HTTP. Only this package and those below it know echo and sessions. A handler parses the request,
// calls one method of the store, and renders a page of web/templates.
//
// The handlers stand in groups, as the templates of their pages do: account, annotating, monitoring, results, segments,
// setup and training. The file routes.go of each group lists its routes with the people who may use them. Package site
// holds what all groups share. This package puts the groups together and guards every route.
package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/outbox"
	"annotate/internal/server/account"
	"annotate/internal/server/annotating"
	"annotate/internal/server/monitoring"
	"annotate/internal/server/results"
	"annotate/internal/server/segments"
	"annotate/internal/server/setup"
	"annotate/internal/server/site"
	"annotate/internal/server/training"
	"annotate/internal/store"
)

// A Config is the configuration of a server.
type Config = site.Config

// A JudgeConfig is the model's server for the judges that users run from pages.
type JudgeConfig = site.JudgeConfig

// A Server answers requests from a store.
type Server struct {
	*site.Site
	store      *store.Store
	account    *account.Handlers
	annotating *annotating.Handlers
	monitoring *monitoring.Handlers
	results    *results.Handlers
	segments   *segments.Handlers
	setup      *setup.Handlers
	training   *training.Handlers

	programs []site.Route // of the interface for programs

	// undeclared warns, once, of a proxy that is not configured.
	undeclared sync.Once
	openAPI    func() ([]byte, error) // the description of the interface for programs, written when it is first asked for
	health     *health
	figures    *figures
	echo       *echo.Echo
	handler    http.Handler
}

// New builds a server. It neither listens nor starts anything.
func New(cfg Config, st *store.Store) (*Server, error) {
	shared, err := site.New(cfg, st)
	if err != nil {
		return nil, err
	}
	s := &Server{Site: shared, store: st, health: newHealth(st, shared.Now, shared.Logger)}
	s.account = account.New(shared, st)
	s.annotating = annotating.New(shared, st)
	s.monitoring = monitoring.New(shared, st)
	s.results = results.New(shared, st)
	s.segments = segments.New(shared, st)
	s.setup = setup.New(shared, st)
	s.training = training.New(shared, st)

	s.programs = slices.Concat(s.monitoring.ProgramRoutes(), s.setup.ProgramRoutes(), s.results.ProgramRoutes(), shared.JobRoutes())
	s.openAPI = sync.OnceValues(func() ([]byte, error) { return json.MarshalIndent(s.API.OpenAPI(), "", "  ") })
	s.figures = newFigures(s)

	e := echo.New()
	e.HTTPErrorHandler = s.handleError
	e.IPExtractor = s.ipExtractor()
	e.Use(s.logRequests, recoverPanics, s.securityHeaders, s.warnOfProxy, s.identify, limitBody)
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
		s.Config.Logger.InfoContext(
			r.Context(), "refused", "method", r.Method, "status", http.StatusForbidden, "address", c.RealIP(), "origin", r.Header.Get("Origin"),
			"why", "from another site",
		)
		s.handleError(c, echo.NewHTTPError(http.StatusForbidden, "this request came from another site and was refused"))
	}))
	s.handler = withRequestID(cross.Handler(e))
	return s, nil
}

// Handler is the whole application.
func (s *Server) Handler() http.Handler { return s.handler }

// housekeepingEvery is how often [Server.Housekeep] looks around.
const housekeepingEvery = 10 * time.Minute

// Housekeep does what no request asks for, now and then, until ctx ends. With it end
// reports, files, imports and judges that are under way.
func (s *Server) Housekeep(ctx context.Context) {
	defer s.health.wait()
	defer s.Works.Wait() // when all jobs are over
	defer s.Folder.Stop()
	defer s.monitoring.Stop()
	defer s.results.Stop()
	defer s.setup.Stop()
	defer s.Settling.Stop()
	defer s.Computing.Stop()
	if s.Send != (outbox.Senders{}) {
		var sending sync.WaitGroup
		defer sending.Wait()
		sending.Go(func() { s.store.Outbox.Run(ctx, s.Send, s.Config.BaseURL) })
	}
	tick := time.NewTicker(housekeepingEvery)
	defer tick.Stop()
	for {
		if err := s.store.Housekeep(ctx); err != nil && ctx.Err() == nil {
			s.Config.Logger.Error("housekeeping", "error", err)
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
	if len(s.Config.TrustedProxies) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range s.Config.TrustedProxies {
		_, network, err := net.ParseCIDR(p.String())
		if err == nil {
			options = append(options, echo.TrustIPRange(network))
		}
	}
	return echo.ExtractIPFromXFFHeader(options...)
}
