package results

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/setup"
)

func (h *Handlers) exports(c *echo.Context) error {
	m, err := site.Leaving(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	p, err := h.store.Desk.Standing(ctx, m.Campaign)
	if err != nil {
		return err
	}
	scored, err := h.store.Records.HumanScored(ctx, m.Campaign.ID, campaign.HumanMENT)
	if err != nil {
		return err
	}
	metrics, err := h.store.Records.Metrics(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	suggested, err := h.store.Records.Suggested(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	judges, err := h.store.Records.CountJudges(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	checks, err := h.store.Desk.CountChecks(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, setup.Export(setup.ExportView{
		Page: h.PageAt(c, "Export", "export"), Segments: p.Segments.Total(), InGold: p.Segments.InGold(), Systems: len(p.Systems),
		Large:   h.Files.isLarge(p.Ratings, p.Segments.Total()*len(p.Systems)),
		Ratings: p.Ratings, HumanScores: scored, Metrics: len(metrics), Judges: judges, Checks: checks, Suggested: suggested, Licence: m.Campaign.Settings.Licence, Protocol: m.Campaign.Rules,
		Pseudonyms: m.Campaign.Settings.Pseudonyms, ByDefault: site.Here(c).Campaign.Settings.Pseudonyms,
		NoLanguages: m.Campaign.LanguagePair() == "",
	}))
}
