package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
)

// Pages lists what GET answers, as patterns in which :name stands for one part of
// an address, in byte order: "/campaigns/:slug/segments". Static files and the
// interface for programs are left out. Tests that visit every page start from it, so that none is forgotten.
func (s *Server) Pages() []string {
	var out []string
	for _, r := range s.echo.Router().Routes() {
		if r.Method == http.MethodGet && r.Path != "" && !strings.HasPrefix(r.Path, "/static/") && !strings.HasPrefix(r.Path, site.APIPath) &&
			r.Path != echo.RouteNotFound {
			out = append(out, r.Path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
