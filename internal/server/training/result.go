package training

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/markdown"
	"annotate/internal/server/site"
	"annotate/web/templates/training"
)

// result shows an annotator how a submission of theirs compares with the answer.
func (h *Handlers) result(c *echo.Context) error { return h.showResult(c, site.Me(c).ID) }

// traineeResult shows the same to a lead, of anybody.
func (h *Handlers) traineeResult(c *echo.Context) error { return h.showResult(c, "") }

func (h *Handlers) showResult(c *echo.Context, userID string) error {
	m, ctx := site.Here(c), c.Request().Context()
	r, err := h.store.Training.TrainingResult(ctx, m.Campaign, c.Param("result"), userID)
	if err != nil {
		return err
	}
	v := training.ResultView{
		Page: h.PageAt(
			c, "Feedback", "train",
		), Result: r, Protocol: m.Campaign.Rules, Source: site.Lang(m.Campaign.SourceLang), Target: site.Lang(m.Campaign.TargetLang),
		Share: m.Campaign.Settings.TrainingShare, Mine: r.Login == site.Me(c).Login, Open: m.Campaign.State == campaign.Open,
	}
	if r.Explanation != "" {
		v.Explanation = markdown.Render(r.Explanation)
	}
	if v.Before, v.After, err = h.store.Work.TrainingDocument(ctx, m.Campaign, r.SegmentID); err != nil {
		return err
	}
	if m.Role != campaign.Annotator {
		v.Page = h.PageAt(c, "Feedback", "training")
		v.SegmentURL = site.TrainingPath(m, "/segments/"+r.SegmentID)
		v.PersonURL = site.TrainingPath(m, "/people/"+r.Login)
		return h.Render(c, http.StatusOK, training.Result(v))
	}
	if v.Standing, v.Trainee, err = h.store.Training.TrainingStanding(ctx, m.Campaign, site.Me(c).ID); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, training.Result(v))
}
