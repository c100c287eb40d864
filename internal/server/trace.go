package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/web/templates/segments"
)

// trace shows every call that led to a judgement.
func (s *Server) trace(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	judge, system := c.QueryParam("judge"), c.QueryParam("system")
	calls, err := s.store.Trace(ctx, m.campaign.ID, c.Param("segment"), system, judge)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, segments.Trace(segments.TraceView{
		Page: s.pageAt(c, "Trace of "+judge, "segments"), SegmentID: c.Param("segment"), Judge: judge, System: system, Calls: calls,
	}))
}
