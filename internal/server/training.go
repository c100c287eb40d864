package server

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/markdown"
	"annotate/internal/qualification"
	"annotate/web/templates/annotating"
	"annotate/web/templates/training"
)

// ofWork answers requests that only make sense for work: those about a training segment are not
// found.
func (s *Server) ofWork(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if here(c).work.Side == campaign.Training {
			return campaign.ErrNotFound
		}
		return handle(c)
	}
}

// trainPath is the address of the page on which an annotator sees their training.
func trainPath(m membership) string { return "/campaigns/" + m.campaign.Slug + "/train" }

// trainingPath is the address of a page on which leads prepare and follow the training.
func trainingPath(m membership, sub string) string {
	return "/campaigns/" + m.campaign.Slug + "/training" + sub
}

// resultPath is the address of a result, for an annotator or for a lead.
func resultPath(m membership, id string) string {
	if m.role == campaign.Annotator {
		return trainPath(m) + "/results/" + id
	}
	return trainingPath(m, "/results/"+id)
}

// trainingTurn reads what the assignment of the address is for; the zero value if it is work.
func (s *Server) trainingTurn(c echo.Context) (qualification.TrainingTurn, error) {
	if here(c).work.Side != campaign.Training {
		return qualification.TrainingTurn{}, nil
	}
	return s.store.TrainingTurnOf(c.Request().Context(), here(c).work, c.Param("assignment"), me(c).ID)
}

// showTraining changes the annotate page to that of a training segment.
func (s *Server) showTraining(c echo.Context, turn qualification.TrainingTurn, v *annotating.AnnotateView) error {
	m := here(c)
	standing, _, err := s.store.TrainingStanding(c.Request().Context(), m.campaign, me(c).ID)
	if err != nil {
		return err
	}
	v.Training = &annotating.TrainingTurn{Answers: turn.Answers, Practises: turn.Practises, Standing: standing}
	v.DocLength, v.PreviousURL, v.NextURL, v.TakeBackURL, v.Announcements = 1, "", "", "", nil
	if v.Before, v.After, err = s.store.TrainingDocument(c.Request().Context(), m.campaign, turn.SegmentID); err != nil {
		return err
	}
	for i := range v.Cards {
		v.Cards[i].Earlier, v.Cards[i].Later = nil, nil
	}
	switch {
	case m.role != campaign.Annotator:
		v.BackURL = trainingPath(m, "/segments/"+turn.SegmentID)
	case turn.Practises:
		v.BackURL = "/work"
	default:
		v.BackURL = trainPath(m)
	}
	if turn.Practises || turn.Answers {
		v.GuideClosedURL = ""
	}
	return nil
}

// answerTraining tells a script where to go on after it submitted a training segment: to the
// feedback, or back to the segment whose answer a lead entered.
func (s *Server) answerTraining(c echo.Context) error {
	m := here(c)
	turn, err := s.trainingTurn(c)
	if err != nil {
		return err
	}
	if !turn.Answers {
		return answerWith(c, resultPath(m, turn.ResultID))
	}
	if err := s.flash(c, "The answer is stored."); err != nil {
		return err
	}
	return answerWith(c, trainingPath(m, "/segments/"+turn.SegmentID))
}

// train shows an annotator where they stand in the training.
func (s *Server) train(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	standing, trainee, err := s.store.TrainingStanding(ctx, m.campaign, me(c).ID)
	if err != nil {
		return err
	}
	v := training.TrainView{Page: s.pageAt(c, "Training", "train"), Standing: standing, Trainee: trainee, Share: m.campaign.Settings.TrainingShare, Open: m.campaign.State == campaign.Open}
	if v.Results, err = s.store.TrainingResults(ctx, m.campaign, me(c).ID); err != nil {
		return err
	}
	if v.MustAccept, err = s.store.MustAccept(ctx, m.campaign.ID, me(c).ID); err != nil {
		return err
	}
	if v.Practises, err = s.store.MayPractise(ctx, m.campaign, me(c).ID); err != nil {
		return err
	}
	return s.render(c, http.StatusOK, training.Train(v))
}

// nextTraining goes to the annotator's next training segment, or to the page that says how the
// training went.
func (s *Server) nextTraining(c echo.Context) error {
	m := here(c)
	id, err := s.store.NextTraining(c.Request().Context(), m.campaign.ID, me(c).ID)
	if err == nil && id != "" {
		return redirect(c, assignmentPath(m, id))
	}
	path, why, refused := s.refusedPath(c, err)
	switch {
	case why != "":
		return s.done(c, why, path)
	case path != "":
		return redirect(c, path)
	case err == nil, errors.Is(err, campaign.ErrConflict): // the attempt is over, or nothing is to be trained
		return redirect(c, trainPath(m))
	}
	return refused
}

// practise goes to a segment to practise on.
func (s *Server) practise(c echo.Context) error {
	m := here(c)
	id, err := s.store.Practise(c.Request().Context(), m.campaign.ID, me(c).ID)
	if statusOf(err) == http.StatusConflict {
		return s.done(c, m.campaign.Title+": "+inWords(err)+".", "/work")
	}
	if err != nil {
		return err
	}
	return redirect(c, assignmentPath(m, id))
}

// result shows an annotator how a submission of theirs compares with the answer.
func (s *Server) result(c echo.Context) error { return s.showResult(c, me(c).ID) }

// traineeResult shows the same to a lead, of anybody.
func (s *Server) traineeResult(c echo.Context) error { return s.showResult(c, "") }

func (s *Server) showResult(c echo.Context, userID string) error {
	m, ctx := here(c), c.Request().Context()
	r, err := s.store.TrainingResult(ctx, m.campaign, c.Param("result"), userID)
	if err != nil {
		return err
	}
	v := training.ResultView{
		Page: s.pageAt(c, "Feedback", "train"), Result: r, Protocol: m.campaign.Rules, Source: lang(m.campaign.SourceLang), Target: lang(m.campaign.TargetLang),
		Share: m.campaign.Settings.TrainingShare, Mine: r.Login == me(c).Login, Open: m.campaign.State == campaign.Open,
	}
	if r.Explanation != "" {
		v.Explanation = markdown.Render(r.Explanation)
	}
	if v.Before, v.After, err = s.store.TrainingDocument(ctx, m.campaign, r.SegmentID); err != nil {
		return err
	}
	if m.role != campaign.Annotator {
		v.Page = s.pageAt(c, "Feedback", "training")
		v.SegmentURL = trainingPath(m, "/segments/"+r.SegmentID)
		v.PersonURL = trainingPath(m, "/people/"+r.Login)
		return s.render(c, http.StatusOK, training.Result(v))
	}
	if v.Standing, v.Trainee, err = s.store.TrainingStanding(ctx, m.campaign, me(c).ID); err != nil {
		return err
	}
	return s.render(c, http.StatusOK, training.Result(v))
}
