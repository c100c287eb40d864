package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/job"
	"annotate/web/templates/setup"
)

// askDelete says what goes with a campaign that is deleted, and asks for its slug.
func (s *Server) askDelete(c echo.Context) error { return s.showDelete(c, http.StatusOK, "", "") }

func (s *Server) showDelete(c echo.Context, status int, typed, wrong string) error {
	m := here(c)
	standing, err := s.store.Standing(c.Request().Context(), m.campaign)
	if err != nil {
		return err
	}
	v := setup.DeleteView{Page: s.pageAt(c, "Delete the campaign", "settings"), Standing: standing, Typed: typed, Wrong: wrong}
	return s.render(c, status, setup.Delete(v))
}

// deleteCampaign deletes the campaign whose slug was typed. Its rows go in the background.
func (s *Server) deleteCampaign(c echo.Context) error {
	m, typed := here(c), trimmed(c, "slug")
	if typed != m.campaign.Slug {
		return s.showDelete(c, http.StatusUnprocessableEntity, typed, fmt.Sprintf("Type %s to delete this campaign.", m.campaign.Slug))
	}
	if err := s.store.DeleteCampaign(c.Request().Context(), m.campaign.ID); err != nil {
		return err
	}
	s.forgetFiles(m.campaign.ID)
	s.settling.Start("delete "+m.campaign.ID, func(ctx context.Context, _ job.Say) (struct{}, error) {
		return struct{}{}, s.store.CompleteDeletion(ctx, m.campaign.ID)
	}, logFailure(s.cfg.Logger, "delete the rows of a campaign", m.campaign))
	return s.done(c, "The campaign "+m.campaign.Title+" was deleted.", "/campaigns")
}
