package segments

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
	"annotate/web/templates/segments"
)

// trace shows every call that led to a judgement.
func (h *Handlers) trace(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	judge, system := c.QueryParam("judge"), c.QueryParam("system")
	calls, err := h.records.Trace(ctx, m.Campaign.ID, c.Param("segment"), system, judge)
	if err != nil {
		return err
	}
	judges, err := h.records.JudgesAbout(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	about := ""
	for _, j := range judges {
		if j.Judge == judge {
			about = j.About
		}
	}
	return h.Render(c, http.StatusOK, segments.Trace(segments.TraceView{
		Page: h.PageAt(c, "Trace of "+judge, "segments"), SegmentID: c.Param("segment"), Judge: judge, System: system, About: about, Calls: calls,
	}))
}
