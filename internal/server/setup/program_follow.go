package setup

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
)

type followCall struct {
	InCampaign
	Body struct {
		From  string   `json:"from" doc:"slug of the campaign to follow, which you must lead"`
		Where []string `json:"where,omitempty" doc:"conditions on settled answers, such as keep=yes or difficulty>=3"`
		Carry []string `json:"carry,omitempty" doc:"what the segments bring: source, reference, answers, candidates, terms"`
	}
}

// followOperations lists the operations by which a campaign follows another one.
func (h *Handlers) followOperations() []site.Route {
	return []site.Route{
		site.Operation(h.Site, site.Op{
			ID: "get-following", Method: http.MethodGet, Path: "/campaigns/{slug}/following", Tag: "imports", Who: site.Managers,
			Summary: "Which campaign a campaign follows, and what is ready there", About: "As annotate campaign follow --json.",
		}, h.followingForProgram),
		site.Operation(h.Site, site.Op{
			ID: "follow", Method: http.MethodPut, Path: "/campaigns/{slug}/following", Tag: "imports", Who: site.Managers,
			Summary: "Follow another campaign", About: "As annotate campaign follow --from. It replaces the campaign that was followed before; the segments that were taken over stay.",
		}, h.followForProgram),
		site.Operation(h.Site, site.Op{
			ID: "stop-following", Method: http.MethodDelete, Path: "/campaigns/{slug}/following", Tag: "imports", Who: site.Managers,
			Summary: "Stop following", About: "The segments that were taken over stay.",
		}, h.stopForProgram),
		site.Operation(h.Site, site.Op{
			ID: "take-over", Method: http.MethodPost, Path: "/campaigns/{slug}/following/take", Tag: "imports",
			Who: site.Managers, Status: http.StatusAccepted,
			Summary: "Take over the segments that are ready",
			About:   "As annotate campaign follow --take. The result of the job is that of an import; undo-import undoes it.",
		}, h.takeForProgram),
		site.Operation(h.Site, site.Op{
			ID: "take-new-texts", Method: http.MethodPost, Path: "/campaigns/{slug}/following/new-texts", Tag: "imports", Who: site.Managers,
			Summary: "Take over the texts that have changed", About: "As annotate campaign follow --new-texts.",
		}, h.newTextsForProgram),
	}
}

type newTextsCall struct {
	InCampaign
	Body struct {
		Reason string `json:"reason" doc:"what annotators read who look at a segment again"`
	}
}

func (h *Handlers) newTextsForProgram(c *echo.Context, in *newTextsCall) (api.NewTexts, error) {
	n, err := h.store.Intake.TakeNewTexts(c.Request().Context(), site.Here(c).Campaign.ID, nil, in.Body.Reason, site.Me(c).ID)
	return api.NewTexts{Segments: n}, err
}

func (h *Handlers) followingForProgram(c *echo.Context, _ *InCampaign) (api.Following, error) {
	of := site.Here(c).Campaign
	f, err := h.store.Intake.Following(c.Request().Context(), of)
	return api.FollowingOf(of.Slug, f), err
}

func (h *Handlers) followForProgram(c *echo.Context, in *followCall) (api.Following, error) {
	if _, err := h.followBy(c, in.Body.From, in.Body.Where, in.Body.Carry); err != nil {
		return api.Following{}, err
	}
	return h.followingForProgram(c, &in.InCampaign)
}

func (h *Handlers) stopForProgram(c *echo.Context, _ *InCampaign) (None, error) {
	err := h.store.Intake.StopFollowing(c.Request().Context(), site.Here(c).Campaign.ID, site.Me(c).ID)
	if errors.Is(err, campaign.ErrNotFound) {
		return None{}, campaign.Invalid("slug", "the campaign follows no other campaign")
	}
	return None{}, err
}

func (h *Handlers) takeForProgram(c *echo.Context, _ *InCampaign) (site.Job, error) {
	j, err := h.Imports.takeOver(c.Request().Context(), site.Here(c).Campaign, site.Me(c).ID)
	if err != nil {
		return site.Job{}, err
	}
	return site.Track(h.Site, c, "take over", j, func(o importOutcome) (site.Result, error) {
		return site.Result{JSON: api.ImportReportOf(o.Report, false)}, o.refused
	})
}
