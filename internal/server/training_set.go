package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/markdown"
	"annotate/internal/qualification"
	"annotate/internal/readmodel"
	"annotate/internal/transfer"
	"annotate/internal/wording"
	"annotate/web/templates"
	"annotate/web/templates/training"
)

// training shows a lead the training set and everybody who trains on it.
func (s *Server) training(c echo.Context) error {
	return s.showTrainingSet(c, http.StatusOK, training.TrainingView{})
}

// showTrainingSet renders the page; v has what was refused.
func (s *Server) showTrainingSet(c echo.Context, status int, v training.TrainingView) error {
	m, ctx := here(c), c.Request().Context()
	v.Page, v.Clock, v.Protocol = s.pageAt(c, "Training", "training"), s.clock(m.campaign.Settings.Location()), m.campaign.Rules
	v.Source = lang(m.campaign.SourceLang)
	var err error
	if v.Rules, err = s.store.TrainingRules(ctx, m.campaign); err != nil {
		return err
	}
	if v.Segments, err = s.store.TrainingSet(ctx, m.campaign); err != nil {
		return err
	}
	if v.People, err = s.store.Trainees(ctx, m.campaign); err != nil {
		return err
	}
	return s.render(c, status, training.Training(v))
}

// changeTraining switches the training on or off.
func (s *Server) changeTraining(c echo.Context) error {
	m, ask := here(c), c.FormValue("ask")
	err := s.store.ChangeTraining(c.Request().Context(), m.campaign.ID, ask == "new" || ask == "all", ask == "all", me(c).ID)
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showTrainingSet(c, http.StatusUnprocessableEntity, training.TrainingView{Errors: map[string]string{"ask": invalidText(err)}})
	}
	if err != nil {
		return err
	}
	said := map[string]string{"new": "New annotators train before they get work.", "all": "All annotators train before they get further work."}[ask]
	if said == "" {
		said = "Nobody is asked to train."
	}
	return s.done(c, said, trainingPath(m, ""))
}

const trainingChoices = 50 // segments on a page of those that can be added

// askTrainingSegments lists segments of the campaign, for a choice.
func (s *Server) askTrainingSegments(c echo.Context) error {
	return s.showTrainingChoice(c, http.StatusOK, "")
}

func (s *Server) showTrainingChoice(c echo.Context, status int, wrong string) error {
	m, ctx := here(c), c.Request().Context()
	v := training.TrainingChoiceView{
		Page: s.pageAt(c, "Add training segments", "training"), Paging: templates.Paging{Number: max(1, atoi(c.QueryParam("page"))), Size: trainingChoices},
		Text: c.QueryParam("text"), Source: lang(m.campaign.SourceLang),
	}
	if wrong != "" {
		v.Errors = map[string]string{"": wrong}
	}
	var err error
	v.Segments, v.Total, err = s.store.Segments(ctx, m.campaign.ID, desk.SegmentFilter{Text: v.Text, Offset: (v.Number - 1) * trainingChoices, Limit: trainingChoices})
	if err != nil {
		return err
	}
	set, err := s.store.TrainingSet(ctx, m.campaign)
	if err != nil {
		return err
	}
	v.There = make(map[string]bool, len(set))
	for _, t := range set {
		v.There[t.DocID+"\n"+t.SegmentID] = true
	}
	return s.render(c, status, training.TrainingChoice(v))
}

// addTrainingSegments copies the segments chosen into the training set.
func (s *Server) addTrainingSegments(c echo.Context) error {
	m := here(c)
	if err := c.Request().ParseForm(); err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "the form could not be read")
	}
	chosen := c.Request().PostForm["segment"]
	if len(chosen) == 0 {
		return s.showTrainingChoice(c, http.StatusUnprocessableEntity, "Choose at least one segment.")
	}
	n, err := transfer.AddTraining(c.Request().Context(), s.store, m.campaign, chosen, me(c).ID)
	if err != nil {
		return err
	}
	return s.done(c, wording.Counted(n, "segment")+" came into the training set. Next: enter the answers.", trainingPath(m, ""))
}

// importTraining reads a file into the training set.
func (s *Server) importTraining(c echo.Context) error {
	m, r := here(c), c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, s.cfg.MaxUpload)
	if err := r.ParseMultipartForm(uploadMemory); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return err
		}
		return echo.NewHTTPError(http.StatusBadRequest, "The upload could not be read. Choose the file again and send it once more.")
	}
	files, done, err := open(r.MultipartForm.File["file"])
	if err != nil {
		return err
	}
	defer done()
	report, err := transfer.ImportTraining(r.Context(), s.store, m.campaign, transfer.Request{Format: c.FormValue("format"), Files: files, ByID: me(c).ID})
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		return s.showTrainingSet(c, http.StatusUnprocessableEntity, training.TrainingView{Errors: map[string]string{"file": "nothing was imported"}, Problems: problems})
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showTrainingSet(c, http.StatusUnprocessableEntity, training.TrainingView{Errors: map[string]string{"file": invalid.Msg}})
	}
	if err != nil {
		return err
	}
	return s.done(c, wording.Counted(report.Segments, "segment")+" came into the training set. Next: enter the answers.", trainingPath(m, ""))
}

// trainingSegment shows a lead one segment of the training set.
func (s *Server) trainingSegment(c echo.Context) error {
	return s.showTrainingSegment(c, http.StatusOK, nil, nil)
}

// showTrainingSegment renders the page; typed is the form as it was sent, if it was refused.
func (s *Server) showTrainingSegment(c echo.Context, status int, typed *training.TrainingForm, wrong map[string]string) error {
	m, ctx := here(c), c.Request().Context()
	segment, texts, err := s.store.TrainingSegment(ctx, m.campaign, c.Param("segment"))
	if err != nil {
		return err
	}
	v := training.TrainingSegmentView{
		Page: s.pageAt(c, "Training segment "+segment.SegmentID, "training"), Clock: s.clock(m.campaign.Settings.Location()), Protocol: m.campaign.Rules,
		Segment: segment, Texts: texts, Source: lang(m.campaign.SourceLang), Target: lang(m.campaign.TargetLang), Errors: wrong,
		Form: training.TrainingForm{Explanation: segment.Explanation, Tolerance: strconv.FormatFloat(segment.Tolerance, 'f', -1, 64), Practice: segment.Practice},
	}
	if segment.Explanation != "" {
		v.Explanation = markdown.Render(segment.Explanation)
	}
	if typed != nil {
		v.Form = *typed
	}
	if v.Results, err = s.store.ResultsOf(ctx, m.campaign, segment.ID); err != nil {
		return err
	}
	return s.render(c, status, training.TrainingSegment(v))
}

// changeTrainingSegment stores what a lead says about a training segment.
func (s *Server) changeTrainingSegment(c echo.Context) error {
	m, ctx, id := here(c), c.Request().Context(), c.Param("segment")
	form := training.TrainingForm{Explanation: c.FormValue("explanation"), Tolerance: trimmed(c, "tolerance"), Practice: c.FormValue("use") == "practice"}
	act := c.FormValue("act")
	change := qualification.TrainingChange{Practice: form.Practice, Tolerance: -1, Explanation: form.Explanation}
	if act == "remove" || act == "restore" {
		segment, _, err := s.store.TrainingSegment(ctx, m.campaign, id)
		if err != nil {
			return err
		}
		change = changeOf(segment)
		change.Removed = act == "remove"
	} else if form.Tolerance != "" {
		tolerance, err := strconv.ParseFloat(form.Tolerance, 64)
		if err != nil || tolerance < 0 {
			return s.showTrainingSegment(c, http.StatusUnprocessableEntity, &form, map[string]string{"tolerance": "must be a number of points, 0 or more"})
		}
		change.Tolerance = tolerance
	}
	if problems := markdown.Check(form.Explanation); len(problems) > 0 && act != "remove" && act != "restore" {
		return s.showTrainingSegment(c, http.StatusUnprocessableEntity, &form, map[string]string{"explanation": problems[0].Error()})
	}
	err := s.store.ChangeTrainingSegment(ctx, m.campaign.ID, id, change, me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showTrainingSegment(c, http.StatusUnprocessableEntity, &form, map[string]string{invalid.Field: invalid.Msg})
	}
	if err != nil {
		return err
	}
	switch act {
	case "remove":
		return s.done(c, "The segment is no part of the training set any more.", trainingPath(m, ""))
	case "restore":
		return s.done(c, "The segment is part of the training set again.", trainingPath(m, "/segments/"+id))
	}
	return s.done(c, "The training segment was saved.", trainingPath(m, "/segments/"+id))
}

func changeOf(t readmodel.TrainingSegment) qualification.TrainingChange {
	return qualification.TrainingChange{Practice: t.Practice, Removed: t.Removed, Tolerance: t.Tolerance, Explanation: t.Explanation}
}

// openAnswer goes to the annotate page on which a lead enters the answer.
func (s *Server) openAnswer(c echo.Context) error {
	return s.goToTurn(c, s.store.OpenAnswer)
}

// tryTraining goes to the annotate page as an annotator who trains on the segment sees it.
func (s *Server) tryTraining(c echo.Context) error {
	return s.goToTurn(c, s.store.TryTraining)
}

func (s *Server) goToTurn(c echo.Context, open func(ctx context.Context, campaignID, segmentID, userID string) (string, error)) error {
	m := here(c)
	id, err := open(c.Request().Context(), m.campaign.ID, c.Param("segment"), me(c).ID)
	if err != nil {
		return err
	}
	return redirect(c, assignmentPath(m, id))
}

// trainee shows a lead how an annotator trains.
func (s *Server) trainee(c echo.Context) error {
	return s.showTrainee(c, http.StatusOK, "", nil)
}

func (s *Server) showTrainee(c echo.Context, status int, reason string, wrong map[string]string) error {
	m, ctx := here(c), c.Request().Context()
	people, err := s.store.Trainees(ctx, m.campaign)
	if err != nil {
		return err
	}
	for _, p := range people {
		if p.Login != c.Param("login") {
			continue
		}
		v := training.TraineeView{Page: s.pageAt(c, "Training of "+p.Login, "training"), Clock: s.clock(m.campaign.Settings.Location()), Person: p, Share: m.campaign.Settings.TrainingShare, Reason: reason, Errors: wrong}
		u, err := s.store.UserByLogin(ctx, p.Login)
		if err != nil {
			return err
		}
		if v.Results, err = s.store.TrainingResults(ctx, m.campaign, u.ID); err != nil {
			return err
		}
		return s.render(c, status, training.Trainee(v))
	}
	return campaign.ErrNotFound
}

// decideTrainee does what a lead decides about the training of an annotator.
func (s *Server) decideTrainee(c echo.Context) error {
	m, login := here(c), c.Param("login")
	err := s.store.DecideTrainee(c.Request().Context(), m.campaign.ID, login, qualification.TraineeAct(c.FormValue("act")), trimmed(c, "reason"), me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showTrainee(c, http.StatusUnprocessableEntity, trimmed(c, "reason"), map[string]string{invalid.Field: invalid.Msg})
	}
	if errors.Is(err, campaign.ErrConflict) && !m.campaign.Archived {
		return s.showTrainee(c, http.StatusConflict, trimmed(c, "reason"), map[string]string{"": sentence(inWords(err))})
	}
	if err != nil {
		return err
	}
	return s.done(c, "It is noted, and holds at once.", trainingPath(m, "/people/"+login))
}
