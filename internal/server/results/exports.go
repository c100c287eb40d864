package results

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
	"annotate/web/templates"
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
		Ratings: p.Ratings, HumanScores: scored, Metrics: len(metrics), Judges: judges, Checks: checks, Suggested: suggested,
		Licence: m.Campaign.Settings.Licence, Protocol: m.Campaign.Rules,
		Pseudonyms: m.Campaign.Settings.Pseudonyms, ByDefault: site.Here(c).Campaign.Settings.Pseudonyms,
		NoLanguages: m.Campaign.LanguagePair() == "", Choices: exportChoices(c),
	}))
}

// choiceLabels name the fields of a [transfer.Selection] and their values, in its order.
var choiceLabels = [][]string{
	{"Ratings", "of all rounds", "of the last complete round", "that gold is formed of"},
	{"Discarded and withdrawn segments", "are in the files", "are left out"},
	{"Systems", "have their names", "are letters"},
}

// exportChoices are the choices of an export, as the address has them.
func exportChoices(c *echo.Context) (out []templates.Choice) {
	for i, choice := range transfer.Choices {
		labels := choiceLabels[i]
		pick := templates.Choice{Name: choice.Name, Label: labels[0], Value: choice.Values[0]}
		for k, value := range choice.Values {
			pick.Options = append(pick.Options, templates.Option{Value: value, Label: labels[1+k]})
			if value == c.QueryParam(choice.Name) {
				pick.Value = value
			}
		}
		out = append(out, pick)
	}
	return out
}
