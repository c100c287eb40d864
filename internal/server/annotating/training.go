package annotating

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/qualification"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
	"annotate/web/templates/training"
)

// ofWork answers requests that only make sense for work: those about a training segment are not
// found.
func (h *Handlers) ofWork(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		if site.Here(c).Work.Side == campaign.Training {
			return campaign.ErrNotFound
		}
		return handle(c)
	}
}

// trainingTurn reads what the assignment of the address is for; the zero value if it is work.
func (h *Handlers) trainingTurn(c *echo.Context) (qualification.TrainingTurn, error) {
	if site.Here(c).Work.Side != campaign.Training {
		return qualification.TrainingTurn{}, nil
	}
	return h.training.TrainingTurnOf(c.Request().Context(), site.Here(c).Work, c.Param("assignment"), site.Me(c).ID)
}

// showTraining changes the annotate page to that of a training segment.
func (h *Handlers) showTraining(c *echo.Context, turn qualification.TrainingTurn, v *annotating.AnnotateView) error {
	m := site.Here(c)
	standing, _, err := h.training.TrainingStanding(c.Request().Context(), m.Campaign, site.Me(c).ID)
	if err != nil {
		return err
	}
	v.Training = &annotating.TrainingTurn{Answers: turn.Answers, Practises: turn.Practises, Standing: standing}
	v.DocLength, v.PreviousURL, v.NextURL, v.TakeBackURL, v.Announcements = 1, "", "", "", nil
	if v.Before, v.After, err = h.work.TrainingDocument(c.Request().Context(), m.Campaign, turn.SegmentID); err != nil {
		return err
	}
	for i := range v.Cards {
		v.Cards[i].Earlier, v.Cards[i].Later = nil, nil
	}
	switch {
	case m.Role != campaign.Annotator:
		v.BackURL = site.TrainingPath(m, "/segments/"+turn.SegmentID)
	case turn.Practises:
		v.BackURL = "/work"
	default:
		v.BackURL = site.TrainPath(m)
	}
	if turn.Practises || turn.Answers {
		v.GuideClosedURL = ""
	}
	return nil
}

// answerTraining tells a script where to go on after it submitted a training segment: to the
// feedback, or back to the segment whose answer a lead entered.
func (h *Handlers) answerTraining(c *echo.Context) error {
	m := site.Here(c)
	turn, err := h.trainingTurn(c)
	if err != nil {
		return err
	}
	if !turn.Answers {
		return answerWith(c, site.ResultPath(m, turn.ResultID))
	}
	h.Flash(c, "The answer is stored.")
	return answerWith(c, site.TrainingPath(m, "/segments/"+turn.SegmentID))
}

// train shows an annotator where they stand in the training.
func (h *Handlers) train(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	standing, trainee, err := h.training.TrainingStanding(ctx, m.Campaign, site.Me(c).ID)
	if err != nil {
		return err
	}
	v := training.TrainView{
		Page:     h.PageAt(c, "Training", "train"),
		Standing: standing,
		Trainee:  trainee,
		Share:    m.Campaign.Settings.TrainingShare,
		Open:     m.Campaign.State == campaign.Open,
	}
	if v.Results, err = h.training.TrainingResults(ctx, m.Campaign, site.Me(c).ID); err != nil {
		return err
	}
	if v.MustAccept, err = h.training.MustAccept(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
		return err
	}
	if v.Practises, err = h.training.MayPractise(ctx, m.Campaign, site.Me(c).ID); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, training.Train(v))
}

// nextTraining goes to the annotator's next training segment, or to the page that says how the
// training went.
func (h *Handlers) nextTraining(c *echo.Context) error {
	m := site.Here(c)
	id, err := h.training.NextTraining(c.Request().Context(), m.Campaign.ID, site.Me(c).ID)
	if err == nil && id != "" {
		return site.Redirect(c, site.AssignmentPath(m, id))
	}
	path, why, refused := h.refusedPath(c, err)
	switch {
	case why != "":
		return h.Done(c, why, path)
	case path != "":
		return site.Redirect(c, path)
	case err == nil, errors.Is(err, campaign.ErrConflict): // the attempt is over, or nothing is to be trained
		return site.Redirect(c, site.TrainPath(m))
	}
	return refused
}

// practise goes to a segment to practise on.
func (h *Handlers) practise(c *echo.Context) error {
	m := site.Here(c)
	id, err := h.training.Practise(c.Request().Context(), m.Campaign.ID, site.Me(c).ID)
	if site.StatusOf(err) == http.StatusConflict {
		return h.Done(c, m.Campaign.Title+": "+site.InWords(err)+".", "/work")
	}
	if err != nil {
		return err
	}
	return site.Redirect(c, site.AssignmentPath(m, id))
}
