package annotating

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
	"annotate/internal/wire"
)

// changeKeys replaces the keys that a person has changed under a protocol, as a script
// has them.
func (h *Handlers) changeKeys(c *echo.Context) error {
	var body wire.Keys
	if err := site.ReadJSON(c, &body, site.MaxCardBody); err != nil {
		return err
	}
	if err := h.accounts.SetKeys(c.Request().Context(), site.Me(c).ID, body.Protocol, body.Keys); err != nil {
		return apiFailure(c, err)
	}
	return c.NoContent(http.StatusNoContent)
}
