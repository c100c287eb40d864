package monitoring

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/parallel"
	"annotate/internal/server/site"
	"annotate/internal/wording"
)

// InCampaign names a campaign in an address. It is exported because huma reads no other embedded structs.
type InCampaign struct {
	Slug string `path:"slug"`
}

// ProgramRoutes lists the operations of this group for programs, with the people who may use each.
func (h *Handlers) ProgramRoutes() []site.Route {
	return []site.Route{
		site.Operation(h.Site, site.Op{
			ID: "list-campaigns", Method: http.MethodGet, Path: "/campaigns", Tag: "campaigns", Who: site.Readers,
			Summary: "Campaigns whose numbers you may see", About: "As annotate campaign list --json.",
		}, h.listForProgram),
		site.Operation(h.Site, site.Op{
			ID: "get-campaign", Method: http.MethodGet, Path: "/campaigns/{slug}", Tag: "campaigns", Who: site.Readers,
			Summary: "A campaign with its settings and counts", About: "As annotate campaign show --json.",
		}, h.showForProgram),
		site.Operation(h.Site, site.Op{
			ID: "get-progress", Method: http.MethodGet, Path: "/campaigns/{slug}/progress", Tag: "campaigns", Who: site.Readers,
			Summary: "How far segments and annotators are",
		}, h.progressForProgram),
		site.Operation(h.Site, site.Op{
			ID: "compute-agreement", Method: http.MethodPost, Path: "/campaigns/{slug}/agreement", Tag: "results", Who: site.Readers,
			Status: http.StatusAccepted, Reads: true,
			Summary: "Compute the agreement of the annotators", About: "The result of the job is what annotate agreement --format json prints.",
		}, h.agreementForProgram),
	}
}

func (h *Handlers) listForProgram(c *echo.Context, in *struct {
	Archived bool `query:"archived" doc:"list archived campaigns too"`
}) (api.Campaigns, error) {
	mine, err := h.accounts.CampaignsOf(c.Request().Context(), site.Me(c).ID)
	if err == nil && site.Me(c).Role == accounts.Admin {
		mine, err = h.WithAll(c, mine)
	}
	if err != nil {
		return api.Campaigns{}, err
	}
	grant, _ := site.Granted(c)
	var seen []campaign.Campaign
	for _, m := range mine {
		if !m.Role.Blind() && grant.Sees(m.Campaign.ID) {
			seen = append(seen, m.Campaign)
		}
	}
	return api.ReadCampaigns(c.Request().Context(), h.store, seen, in.Archived)
}

func (h *Handlers) showForProgram(c *echo.Context, _ *InCampaign) (out api.CampaignDetails, err error) {
	m := site.Here(c)
	p, err := h.desk.Standing(c.Request().Context(), m.Campaign)
	if err != nil {
		return out, err
	}
	var members []accounts.Membership
	if m.Role == campaign.Lead {
		if members, err = h.accounts.Members(c.Request().Context(), m.Campaign.ID); err != nil {
			return out, err
		}
	}
	return api.DetailsOf(m.Campaign, p, members), nil
}

func (h *Handlers) progressForProgram(c *echo.Context, _ *InCampaign) (out api.Progress, err error) {
	m := site.Here(c)
	p, err := h.desk.Progress(c.Request().Context(), m.Campaign)
	return api.ProgressOf(campaign.Hidden(m.People, p)), err
}

func (h *Handlers) agreementForProgram(c *echo.Context, in *struct {
	InCampaign
	Gold bool `query:"gold" doc:"compare annotators only in segments in gold"`
}) (site.Job, error) {
	of := site.Here(c).Campaign
	j := h.Computing.Start(fmt.Sprint("agreement ", of.ID, " ", in.Gold), func(ctx context.Context, say parallel.Say) (site.Result, error) {
		f, err := api.ReadAgreement(ctx, h.store, of, in.Gold, func(n int) { say(wording.Counted(n, "segment")+" read", 0) })
		if err != nil {
			return site.Result{}, err
		}
		return site.Result{JSON: f.JSON(of)}, nil
	}, site.LogFailure(h.Logger, "agreement", of))
	return site.Track(h.Site, c, "agreement", j, func(r site.Result) (site.Result, error) { return r, nil })
}
