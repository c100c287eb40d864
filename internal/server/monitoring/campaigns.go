package monitoring

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/server/site"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

// campaigns lists the campaigns that the user leads or researches. For an admin it lists all campaigns
// except those that the admin annotates, because annotators must not see how far a campaign agrees.
// Archived campaigns have a list of their own.
func (h *Handlers) campaigns(c *echo.Context) error {
	ctx, u := c.Request().Context(), site.Me(c)
	mine, err := h.accounts.CampaignsOf(ctx, u.ID)
	if err != nil {
		return err
	}
	if u.Role == accounts.Admin {
		if mine, err = h.WithAll(c, mine); err != nil {
			return err
		}
	}
	mayCreate, err := h.CreatesCampaigns(c)
	if err != nil {
		return err
	}
	v := monitoring.CampaignsView{
		Page:      h.PageAt(c, "Campaigns", "campaigns"),
		MayCreate: mayCreate,
		Archived:  c.QueryParam("archived") == "yes",
	}
	for _, of := range mine {
		if of.Role.Blind() {
			continue
		}
		if of.Campaign.Archived != v.Archived {
			v.Others++
			continue
		}
		m := site.Membership{Campaign: of.Campaign, Role: of.Role, Adjudicates: of.Adjudicates}
		people, err := h.PeopleSeenBy(ctx, m)
		if err != nil {
			return err
		}
		item, err := h.standing(ctx, templates.Page{Campaign: h.CampaignOf(ctx, m), Clock: h.Clock(of.Campaign)}, of.Campaign, people)
		if err != nil {
			return err
		}
		v.Campaigns = append(v.Campaigns, item)
	}
	return h.Render(c, http.StatusOK, monitoring.Campaigns(v))
}
