package segments

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/server/site"
	"annotate/web/templates/segments"
)

// trace shows every call that led to a judgement.
func (h *Handlers) trace(c echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	judge, system := c.QueryParam("judge"), c.QueryParam("system")
	calls, err := h.Store.Trace(ctx, m.Campaign.ID, c.Param("segment"), system, judge)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, segments.Trace(segments.TraceView{
		Page: h.PageAt(c, "Trace of "+judge, "segments"), SegmentID: c.Param("segment"), Judge: judge, System: system, Calls: calls,
	}))
}
