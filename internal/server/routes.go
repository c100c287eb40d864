package server

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
	"annotate/web"
)

// table lists every route with the people who may use it: the rows of each group's routes.go, after those of no group.
func (s *Server) table() []site.Route {
	return slices.Concat([]site.Route{
		site.Get("/healthz", site.Everybody, s.answerHealth),
		site.Head("/healthz", site.Everybody, s.answerHealth),
		site.Get(site.APIPath+"/openapi.json", site.Everybody, func(c *echo.Context) error {
			described, err := s.openAPI()
			if err != nil {
				return err
			}
			return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, described)
		}),
		site.Get("/readyz", site.Everybody, s.answerReady),
		site.Head("/readyz", site.Everybody, s.answerReady),
		site.Get(web.Prefix()+"/*", site.Everybody, s.static()),
	},
		s.account.Routes(), s.setup.Routes(), s.annotating.Routes(), s.training.Routes(),
		s.segments.Routes(), s.monitoring.Routes(), s.results.Routes(), s.programs,
	)
}

// register adds the routes of a table, each behind its guard. It panics for a route
// that is for nobody, which somebody forgot to write down.
func (s *Server) register(e *echo.Echo, table []site.Route) {
	for _, r := range table {
		if r.Who == 0 {
			panic("server: no role may use " + r.Method + " " + r.Path)
		}
		e.Add(r.Method, r.Path, r.Handler, s.guard(r.Who))
	}
}
