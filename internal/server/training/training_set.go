package training

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/markdown"
	"annotate/internal/qualification"
	"annotate/internal/readmodel"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
	"annotate/internal/wording"
	"annotate/web/templates/training"
)

// training shows a lead the training set and everybody who trains on it.
func (h *Handlers) training(c *echo.Context) error {
	return h.showTrainingSet(c, http.StatusOK, training.TrainingView{})
}

// showTrainingSet renders the page; v has what was refused.
func (h *Handlers) showTrainingSet(c *echo.Context, status int, v training.TrainingView) error {
	m, ctx := site.Here(c), c.Request().Context()
	v.Page, v.Protocol = h.PageAt(c, "Training", "training"), m.Campaign.Rules
	v.Source = site.Lang(m.Campaign.SourceLang)
	var err error
	if v.Rules, err = h.store.Training.TrainingRules(ctx, m.Campaign); err != nil {
		return err
	}
	if v.Segments, err = h.store.Training.TrainingSet(ctx, m.Campaign); err != nil {
		return err
	}
	if v.People, err = h.store.Training.Trainees(ctx, m.Campaign); err != nil {
		return err
	}
	return h.Render(c, status, training.Training(v))
}

// changeTraining switches the training on or off.
func (h *Handlers) changeTraining(c *echo.Context) error {
	m, ask := site.Here(c), c.FormValue("ask")
	err := h.store.Training.ChangeTraining(c.Request().Context(), m.Campaign.ID, ask == "new" || ask == "all", ask == "all", site.Me(c).ID)
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.showTrainingSet(c, http.StatusUnprocessableEntity,
			training.TrainingView{Errors: map[string]string{"ask": site.InvalidText(err)}})
	}
	if err != nil {
		return err
	}
	said := map[string]string{"new": "New annotators train before they get work.",
		"all": "All annotators train before they get further work."}[ask]
	if said == "" {
		said = "Nobody is asked to train."
	}
	return h.Done(c, said, site.TrainingPath(m, ""))
}

const trainingChoices = 50 // segments on a page of those that can be added

// askTrainingSegments lists segments of the campaign, for a choice.
func (h *Handlers) askTrainingSegments(c *echo.Context) error {
	return h.showTrainingChoice(c, http.StatusOK, "")
}

func (h *Handlers) showTrainingChoice(c *echo.Context, status int, wrong string) error {
	m, ctx := site.Here(c), c.Request().Context()
	v := training.TrainingChoiceView{
		Page: h.PageAt(c, "Add training segments", "training"), Paging: site.Paging(c, trainingChoices, 0),
		Text: c.QueryParam("text"), Source: site.Lang(m.Campaign.SourceLang),
	}
	if wrong != "" {
		v.Errors = map[string]string{"": wrong}
	}
	var err error
	v.Segments, v.Total, err = h.store.Desk.Segments(
		ctx, m.Campaign.ID, desk.SegmentFilter{Text: v.Text, Offset: (v.Number - 1) * trainingChoices, Limit: trainingChoices},
	)
	if err != nil {
		return err
	}
	set, err := h.store.Training.TrainingSet(ctx, m.Campaign)
	if err != nil {
		return err
	}
	v.There = make(map[string]bool, len(set))
	for _, t := range set {
		v.There[t.DocID+"\n"+t.SegmentID] = true
	}
	return h.Render(c, status, training.TrainingChoice(v))
}

// addTrainingSegments copies the segments chosen into the training set.
func (h *Handlers) addTrainingSegments(c *echo.Context) error {
	m := site.Here(c)
	if err := c.Request().ParseForm(); err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "the form could not be read")
	}
	chosen := c.Request().PostForm["segment"]
	if len(chosen) == 0 {
		return h.showTrainingChoice(c, http.StatusUnprocessableEntity, "Choose at least one segment.")
	}
	n, err := transfer.AddTraining(c.Request().Context(), h.store, m.Campaign, chosen, site.Me(c).ID)
	if err != nil {
		return err
	}
	return h.Done(c, wording.Counted(n, "segment")+" came into the training set. Next: enter the answers.", site.TrainingPath(m, ""))
}

// importTraining reads a file into the training set.
func (h *Handlers) importTraining(c *echo.Context) error {
	m, r := site.Here(c), c.Request()
	err := site.ReadUpload(c, site.MaxTraining)
	if wrong := site.Wrong(err); wrong != nil {
		return h.showTrainingSet(c, http.StatusRequestEntityTooLarge, training.TrainingView{Errors: wrong})
	}
	if err != nil {
		return err
	}
	files, done, err := site.OpenUploads(site.Uploads(r.MultipartForm))
	if err != nil {
		return err
	}
	defer done()
	report, err := transfer.ImportTraining(r.Context(), h.store, m.Campaign,
		transfer.Request{Format: c.FormValue("format"), Files: files, ByID: site.Me(c).ID})
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		return h.showTrainingSet(
			c, http.StatusUnprocessableEntity, training.TrainingView{Errors: map[string]string{"file": "nothing was imported"}, Problems: problems},
		)
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.showTrainingSet(c, http.StatusUnprocessableEntity, training.TrainingView{Errors: map[string]string{"file": invalid.Msg}})
	}
	if err != nil {
		return err
	}
	return h.Done(c, wording.Counted(report.Segments, "segment")+" came into the training set. Next: enter the answers.", site.TrainingPath(m, ""))
}

// trainingSegment shows a lead one segment of the training set.
func (h *Handlers) trainingSegment(c *echo.Context) error {
	return h.showTrainingSegment(c, http.StatusOK, nil, nil)
}

// showTrainingSegment renders the page; typed is the form as it was sent, if it was refused.
func (h *Handlers) showTrainingSegment(c *echo.Context, status int, typed *training.TrainingForm, wrong map[string]string) error {
	m, ctx := site.Here(c), c.Request().Context()
	segment, texts, err := h.store.Training.TrainingSegment(ctx, m.Campaign, c.Param("segment"))
	if err != nil {
		return err
	}
	v := training.TrainingSegmentView{
		Page: h.PageAt(c, "Training segment "+segment.SegmentID, "training"), Protocol: m.Campaign.Rules,
		Segment: segment, Texts: texts, Source: site.Lang(m.Campaign.SourceLang), Target: site.Lang(m.Campaign.TargetLang), Errors: wrong,
		Form: training.TrainingForm{
			Explanation: segment.Explanation,
			Tolerance:   strconv.FormatFloat(segment.Tolerance, 'f', -1, 64),
			Practice:    segment.Practice,
		},
	}
	if segment.Explanation != "" {
		v.Explanation = markdown.Render(segment.Explanation)
	}
	if typed != nil {
		v.Form = *typed
	}
	if v.Results, err = h.store.Training.ResultsOf(ctx, m.Campaign, segment.ID); err != nil {
		return err
	}
	return h.Render(c, status, training.TrainingSegment(v))
}

// changeTrainingSegment stores what a lead says about a training segment.
func (h *Handlers) changeTrainingSegment(c *echo.Context) error {
	m, ctx, id := site.Here(c), c.Request().Context(), c.Param("segment")
	form := training.TrainingForm{Explanation: c.FormValue("explanation"), Tolerance: site.Trimmed(c, "tolerance"), Practice: c.FormValue("use") == "practice"}
	act := c.FormValue("act")
	change := qualification.TrainingChange{Practice: form.Practice, Tolerance: -1, Explanation: form.Explanation}
	if act == "remove" || act == "restore" {
		segment, _, err := h.store.Training.TrainingSegment(ctx, m.Campaign, id)
		if err != nil {
			return err
		}
		change = changeOf(segment)
		change.Removed = act == "remove"
	} else if form.Tolerance != "" {
		tolerance, err := strconv.ParseFloat(form.Tolerance, 64)
		if err != nil || tolerance < 0 {
			return h.showTrainingSegment(c, http.StatusUnprocessableEntity, &form,
				map[string]string{"tolerance": "must be a number of points, 0 or more"})
		}
		change.Tolerance = tolerance
	}
	if problems := markdown.Check(form.Explanation); len(problems) > 0 && act != "remove" && act != "restore" {
		return h.showTrainingSegment(c, http.StatusUnprocessableEntity, &form, map[string]string{"explanation": problems[0].Error()})
	}
	err := h.store.Training.ChangeTrainingSegment(ctx, m.Campaign.ID, id, change, site.Me(c).ID)
	if wrong := site.Wrong(err); wrong != nil {
		return h.showTrainingSegment(c, http.StatusUnprocessableEntity, &form, wrong)
	}
	if err != nil {
		return err
	}
	switch act {
	case "remove":
		return h.Done(c, "The segment is no part of the training set any more.", site.TrainingPath(m, ""))
	case "restore":
		return h.Done(c, "The segment is part of the training set again.", site.TrainingPath(m, "/segments/"+id))
	}
	return h.Done(c, "The training segment was saved.", site.TrainingPath(m, "/segments/"+id))
}

func changeOf(t readmodel.TrainingSegment) qualification.TrainingChange {
	return qualification.TrainingChange{Practice: t.Practice, Removed: t.Removed, Tolerance: t.Tolerance, Explanation: t.Explanation}
}

// openAnswer goes to the annotate page on which a lead enters the answer.
func (h *Handlers) openAnswer(c *echo.Context) error {
	return h.goToTurn(c, h.store.Training.OpenAnswer)
}

// tryTraining goes to the annotate page as an annotator who trains on the segment sees it.
func (h *Handlers) tryTraining(c *echo.Context) error {
	return h.goToTurn(c, h.store.Training.TryTraining)
}

func (h *Handlers) goToTurn(c *echo.Context, open func(ctx context.Context, campaignID, segmentID, userID string) (string, error)) error {
	m := site.Here(c)
	id, err := open(c.Request().Context(), m.Campaign.ID, c.Param("segment"), site.Me(c).ID)
	if err != nil {
		return err
	}
	return site.Redirect(c, site.AssignmentPath(m, id))
}

// trainee shows a lead how an annotator trains.
func (h *Handlers) trainee(c *echo.Context) error {
	return h.showTrainee(c, http.StatusOK, "", nil)
}

func (h *Handlers) showTrainee(c *echo.Context, status int, reason string, wrong map[string]string) error {
	m, ctx := site.Here(c), c.Request().Context()
	people, err := h.store.Training.Trainees(ctx, m.Campaign)
	if err != nil {
		return err
	}
	for _, p := range people {
		if p.Login != c.Param("login") {
			continue
		}
		v := training.TraineeView{
			Page:   h.PageAt(c, "Training of "+p.Login, "training"),
			Person: p,
			Share:  m.Campaign.Settings.TrainingShare,
			Reason: reason,
			Errors: wrong,
		}
		u, err := h.store.Accounts.UserByLogin(ctx, p.Login)
		if err != nil {
			return err
		}
		if v.Results, err = h.store.Training.TrainingResults(ctx, m.Campaign, u.ID); err != nil {
			return err
		}
		return h.Render(c, status, training.Trainee(v))
	}
	return campaign.ErrNotFound
}

// decideTrainee does what a lead decides about the training of an annotator.
func (h *Handlers) decideTrainee(c *echo.Context) error {
	m, login := site.Here(c), c.Param("login")
	err := h.store.Training.DecideTrainee(
		c.Request().Context(), m.Campaign.ID, login, qualification.TraineeAct(c.FormValue("act")), site.Trimmed(c, "reason"), site.Me(c).ID,
	)
	if wrong := site.Wrong(err); wrong != nil {
		return h.showTrainee(c, http.StatusUnprocessableEntity, site.Trimmed(c, "reason"), wrong)
	}
	if errors.Is(err, campaign.ErrConflict) && !m.Campaign.Archived {
		return h.showTrainee(c, http.StatusConflict, site.Trimmed(c, "reason"), map[string]string{"": site.Sentence(site.InWords(err))})
	}
	if err != nil {
		return err
	}
	return h.Done(c, "It is noted, and holds at once.", site.TrainingPath(m, "/people/"+login))
}
