package annotating

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
)

// toAdjudicate lists the segments that wait for an adjudicator.
func (h *Handlers) toAdjudicate(c *echo.Context) error {
	return h.showToAdjudicate(c, http.StatusOK, "")
}

func (h *Handlers) showToAdjudicate(c *echo.Context, status int, wrong string) error {
	m := site.Here(c)
	waiting, err := h.work.ToAdjudicate(c.Request().Context(), m.Campaign, site.Me(c).ID)
	if err != nil {
		return err
	}
	people, err := h.PeopleSeenBy(c.Request().Context(), m)
	if err != nil {
		return err
	}
	v := annotating.AdjudicateView{
		Page:   h.PageAt(c, "To adjudicate", "adjudicate"),
		Asks:   len(m.Campaign.Rules.Asks()) > 0,
		Open:   m.Campaign.State == campaign.Open,
		Source: site.Lang(m.Campaign.SourceLang),
		Items:  campaign.Hidden(people, waiting),
	}
	v.Page.Error = wrong
	return h.Render(c, status, annotating.Adjudicate(v))
}

// openAdjudication gives the user the segment of the form to adjudicate, and goes
// there.
func (h *Handlers) openAdjudication(c *echo.Context) error {
	m := site.Here(c)
	id, err := h.work.OpenAdjudication(c.Request().Context(), m.Campaign.ID, c.FormValue("segment"), site.Me(c).ID)
	if errors.Is(err, campaign.ErrConflict) || errors.Is(err, campaign.ErrNotOpen) {
		return h.showToAdjudicate(c, http.StatusConflict, site.Sentence(site.InWords(err)))
	}
	if err != nil {
		return err
	}
	return site.Redirect(c, site.AssignmentPath(m, id))
}

func adjudicatePath(m site.Membership) string { return "/campaigns/" + m.Campaign.Slug + "/adjudicate" }
