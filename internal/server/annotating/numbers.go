package annotating

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
)

func (h *Handlers) numbers(c *echo.Context) error {
	m := site.Here(c)
	own, err := h.desk.MyNumbers(c.Request().Context(), m.Campaign, site.Me(c).ID)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, annotating.MyNumbers(annotating.MyNumbersView{
		Page: h.PageAt(c, "My numbers", "numbers"),
		Days: own.Days, Done: own.Done, Words: own.Words, Left: own.Left(),
	}))
}
