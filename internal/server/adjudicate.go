package server

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/web/templates/annotating"
)

// toAdjudicate lists the segments that wait for an adjudicator.
func (s *Server) toAdjudicate(c echo.Context) error {
	return s.showToAdjudicate(c, http.StatusOK, "")
}

func (s *Server) showToAdjudicate(c echo.Context, status int, wrong string) error {
	m := here(c)
	waiting, err := s.store.ToAdjudicate(c.Request().Context(), m.campaign, me(c).ID)
	if err != nil {
		return err
	}
	v := annotating.AdjudicateView{Page: s.pageAt(c, "To adjudicate", "adjudicate"), Clock: s.clock(m.campaign.Settings.Location()), Open: m.campaign.State == campaign.Open, Source: lang(m.campaign.SourceLang), Items: waiting}
	v.Page.Error = wrong
	return s.render(c, status, annotating.Adjudicate(v))
}

// openAdjudication gives the user the segment of the form to adjudicate, and goes
// there.
func (s *Server) openAdjudication(c echo.Context) error {
	m := here(c)
	id, err := s.store.OpenAdjudication(c.Request().Context(), m.campaign.ID, c.FormValue("segment"), me(c).ID)
	if errors.Is(err, campaign.ErrConflict) || errors.Is(err, campaign.ErrNotOpen) {
		return s.showToAdjudicate(c, http.StatusConflict, sentence(inWords(err)))
	}
	if err != nil {
		return err
	}
	return redirect(c, assignmentPath(m, id))
}

func adjudicatePath(m membership) string { return "/campaigns/" + m.campaign.Slug + "/adjudicate" }
