package setup

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/parallel"
	"annotate/internal/server/site"
	"annotate/web/templates/setup"
)

// askDelete says what goes with a campaign that is deleted, and asks for its slug.
func (h *Handlers) askDelete(c *echo.Context) error { return h.showDelete(c, http.StatusOK, "", "") }

func (h *Handlers) showDelete(c *echo.Context, status int, typed, wrong string) error {
	m := site.Here(c)
	standing, err := h.store.Desk.Standing(c.Request().Context(), m.Campaign)
	if err != nil {
		return err
	}
	v := setup.DeleteView{Page: h.PageAt(c, "Delete the campaign", "settings"), Standing: standing, Typed: typed, Wrong: wrong}
	return h.Render(c, status, setup.Delete(v))
}

// deleteCampaign deletes the campaign whose slug was typed. Its rows go in the background.
func (h *Handlers) deleteCampaign(c *echo.Context) error {
	m, typed := site.Here(c), site.Trimmed(c, "slug")
	if typed != m.Campaign.Slug {
		return h.showDelete(c, http.StatusUnprocessableEntity, typed, fmt.Sprintf("Type %s to delete this campaign.", m.Campaign.Slug))
	}
	if err := h.store.DeleteCampaign(c.Request().Context(), m.Campaign.ID); err != nil {
		return err
	}
	h.Folder.Forget(m.Campaign.ID)
	h.Settling.Start("delete "+m.Campaign.ID, func(ctx context.Context, _ parallel.Say) (struct{}, error) {
		return struct{}{}, h.store.CompleteDeletion(ctx, m.Campaign.ID)
	}, site.LogFailure(h.Config.Logger, "delete the rows of a campaign", m.Campaign))
	return h.Done(c, "The campaign "+m.Campaign.Title+" was deleted.", "/campaigns")
}
