package server

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/wire"
	"annotate/web/templates"
)

// handleError turns an error into a page, or into JSON where a script asked.
func (s *Server) handleError(c *echo.Context, err error) {
	if site.Answer(c).Committed {
		return
	}
	status := site.StatusOf(err)
	if status == http.StatusUnauthorized && !site.WantsJSON(c) && !site.ForProgram(c.Request()) {
		_ = c.Redirect(http.StatusSeeOther, "/sign-in?next="+queryEscape(c.Request()))
		return
	}
	if status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "5")
	}
	if _, ok := errors.AsType[*records.CompletingError](err); ok && c.Request().Method == http.MethodGet {
		c.Response().Header().Set("Refresh", "2")
	}
	if site.ForProgram(c.Request()) {
		_ = site.WriteProblem(c, err)
		return
	}
	text := site.Words(err, status)
	if site.WantsJSON(c) {
		_ = c.JSON(status, wire.Refusal{Error: text})
		return
	}
	if c.Request().Method == http.MethodHead {
		_ = c.NoContent(status)
		return
	}
	_ = s.Render(c, status, templates.Error(templates.ErrorView{
		Page: s.Page(c, http.StatusText(status)), Code: status, Text: text,
		RequestID: c.Response().Header().Get(echo.HeaderXRequestID),
	}))
}
