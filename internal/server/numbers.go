package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/web/templates/annotating"
)

func (s *Server) numbers(c echo.Context) error {
	m := here(c)
	own, err := s.store.MyNumbers(c.Request().Context(), m.campaign, me(c).ID)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, annotating.MyNumbers(annotating.MyNumbersView{
		Page: s.pageAt(c, "My numbers", "numbers"), Clock: s.clock(m.campaign.Settings.Location()),
		Days: own.Days, Done: own.Done, Words: own.Words, Left: own.Left(),
	}))
}
