package setup

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/judge"
	"annotate/internal/judgeruns"
	"annotate/internal/server/site"
	"annotate/internal/wire"
	"annotate/internal/wording"
	"annotate/web/templates/segments"
	"annotate/web/templates/setup"
)

// A judgesPage is the part of the page of judges beside the list.
type judgesPage struct {
	form     setup.JudgeForm
	wrong    map[string]string // errors of the form by field
	forecast *setup.JudgeForecast
	suggest  *setup.JudgeSuggest
	failed   string // error of the latest act; empty if it succeeded
}

// judges lists the judges of a campaign with their progress. If the address names a method, the page
// has a forecast. If it names a judge as suggest, the page says what suggestions of its errors would change.
func (h *Handlers) judges(c *echo.Context) error {
	sent := c.QueryParams()
	if name := sent.Get("suggest"); name != "" && site.Here(c).Campaign.Rules.MarksErrors() && site.Here(c).ShownRole() == campaign.Lead {
		f, err := h.store.Intake.ForecastSuggestions(c.Request().Context(), site.Here(c).Campaign, name)
		if err != nil {
			return err
		}
		return h.showJudges(c, http.StatusOK,
			judgesPage{form: newJudgeForm(h.Config.Judges), suggest: &setup.JudgeSuggest{Judge: name, SuggestionForecast: f}})
	}
	if !sent.Has("method") || site.Here(c).Campaign.Archived {
		return h.showJudges(c, http.StatusOK, judgesPage{form: newJudgeForm(h.Config.Judges)})
	}
	v := judgesPage{form: readJudgeForm(sent)}
	if err := h.predict(c, &v); err != nil {
		return err
	}
	return h.showJudges(c, http.StatusOK, v)
}

// predict adds the forecast for the form, or the errors of the form.
func (h *Handlers) predict(c *echo.Context, v *judgesPage) error {
	var o judgeruns.Options
	if o, v.wrong = judgeOptions(v.form, h.Config.Judges.BaseURL); len(v.wrong) > 0 {
		return nil
	}
	f, err := h.store.JudgeRuns.Predict(c.Request().Context(), site.Here(c).Campaign, o)
	if err != nil {
		v.wrong, err = judgeFault(err)
		return err
	}
	v.forecast = &setup.JudgeForecast{JudgeForecast: f, Asks: o.Method.Asks(o.Variant), MaxTokens: int(o.MaxTokens)}
	return nil
}

func (h *Handlers) showJudges(c *echo.Context, status int, shown judgesPage) error {
	m, ctx := site.Here(c), c.Request().Context()
	version, err := h.versionOfJudges(c)
	if err != nil {
		return err
	}
	judges, err := h.store.Records.Judges(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	runs, err := h.store.JudgeRuns.JudgeRuns(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	v := setup.JudgesView{
		Page: h.PageAt(c, "Judges", "judges"), Version: version,
		Runs: !m.Campaign.Archived, Marks: m.Campaign.Rules.MarksErrors(), Failed: shown.failed,
		ModelServer: h.Config.Judges.BaseURL, HasKey: h.Config.Judges.HasKey, Object: "translation", Form: shown.form, Wrong: shown.wrong,
		Forecast: shown.forecast, Suggest: shown.suggest,
	}
	if m.Campaign.Rules.OfSegments() {
		v.Object = "source"
	}
	for _, method := range judge.Methods() {
		if method.OfSource != m.Campaign.Rules.OfSegments() {
			continue
		}
		v.Methods = append(
			v.Methods,
			setup.JudgeMethod{
				Name:      method.Name,
				Title:     method.Title,
				Least:     method.Calls.Least,
				Usual:     method.Calls.Usual,
				Most:      method.Calls.Most,
				Spans:     method.Spans,
				Threshold: method.Needs.LogProbs,
				Variants:  method.VariantNames(),
			},
		)
	}
	for _, j := range judges {
		row := setup.JudgeRow{Judge: j, State: setup.JudgeImported}
		for _, r := range runs {
			if r.JudgeID == j.ID {
				row = h.judgeRow(m.Campaign, j, r)
			}
		}
		v.Judges = append(v.Judges, row)
	}
	if f := v.Forecast; f != nil {
		for _, r := range runs {
			if r.Name == f.Judge {
				f.Used, f.Resumes = int(r.Tokens()), true
			}
		}
	}
	return h.Render(c, status, setup.Judges(v))
}

// judgeRow returns the row of a judge that was run.
func (h *Handlers) judgeRow(of campaign.Campaign, j campaign.Judge, r judgeruns.JudgeRun) setup.JudgeRow {
	row := setup.JudgeRow{
		Judge: j, State: r.State.Words(j.Unparsable), Reason: r.Reason,
		Running: r.State == judgeruns.JudgeRunning && !r.Interrupted, Open: j.Left,
		Failed: int(r.Failed), Calls: int(r.Calls), Tokens: int(r.Tokens()), MaxTokens: int(r.Settings.MaxTokens),
		Since: r.Since, ChangedAt: r.ChangedAt,
		Again: resumeForm(r), Elsewhere: notResumable(r),
	}
	if m, err := judge.Lookup(r.Method); err == nil {
		row.ScoresOnly = !m.Spans
	}
	switch {
	case r.Interrupted:
		row.State, row.Reason = setup.JudgeInterrupted, "the program that ran it was stopped; all replies and judgements are kept"
	case row.Running && r.Stopping:
		row.State = setup.JudgeStopping
	}
	if row.Running {
		row.Trouble = h.JudgeRuns.trouble(of.ID, j.Name)
	}
	return row
}

// unreadOfJudge lists the judgements of a judge that are unparsable or have words that stand in neither
// text.
func (h *Handlers) unreadOfJudge(c *echo.Context) error {
	m, judge := site.Here(c), c.QueryParam("judge")
	v := setup.UnreadJudgementsView{
		Page: h.PageAt(c, "Unread answers of "+judge, "judges"), Judge: judge,
		Paging: site.Paging(c, segments.RowsPerPage, 0),
	}
	var err error
	v.Rows, v.Total, err = h.store.Records.UnreadJudgements(c.Request().Context(), m.Campaign.ID, judge, (v.Number-1)*v.Size, v.Size)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, setup.UnreadJudgements(v))
}

// judgesVersion returns the version of the list, by which an open page of judges sees changes.
func (h *Handlers) judgesVersion(c *echo.Context) error {
	version, err := h.versionOfJudges(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wire.Version{Version: version})
}

// versionOfJudges returns a number that changes with every change of the list on the page of judges. It
// is so small that scripts can read it exactly.
func (h *Handlers) versionOfJudges(c *echo.Context) (int64, error) {
	ctx, of := c.Request().Context(), site.Here(c).Campaign
	imported, err := h.store.Desk.Version(ctx, of.ID)
	if err != nil {
		return 0, err
	}
	runs, err := h.store.JudgeRuns.JudgeRuns(ctx, of.ID)
	if err != nil {
		return 0, err
	}
	sum := fnv.New32a()
	fmt.Fprint(sum, imported)
	for _, r := range runs {
		fmt.Fprintf(
			sum, "%s %s %q %t %t %d %d %d %q\n", r.JudgeID, r.State, r.Reason, r.Interrupted, r.Stopping, r.Calls, r.Failed, r.ChangedAt.UnixMicro(),
			h.JudgeRuns.trouble(of.ID, r.Name),
		)
	}
	return int64(sum.Sum32()), nil
}

// startJudge starts or resumes a run of a judge.
func (h *Handlers) startJudge(c *echo.Context) error {
	m := site.Here(c)
	sent, err := c.FormValues()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	v := judgesPage{form: readJudgeForm(sent)}
	o, wrong := judgeOptions(v.form, h.Config.Judges.BaseURL)
	if len(wrong) > 0 {
		v.wrong = wrong
		return h.showJudges(c, http.StatusUnprocessableEntity, v)
	}
	o.ByID = site.Me(c).ID
	_, err = h.JudgeRuns.start(c.Request().Context(), m.Campaign, o)
	switch {
	case err == nil:
		return h.Done(c, "The judge "+o.JudgeName()+" is running. It goes on when this page is closed.", "/campaigns/"+m.Campaign.Slug+"/judges")
	case errors.Is(err, campaign.ErrConflict):
		v.failed = site.Sentence(site.InWords(err))
		return h.showJudges(c, http.StatusConflict, v)
	}
	if v.wrong, err = judgeFault(err); err != nil {
		return err
	}
	return h.showJudges(c, http.StatusUnprocessableEntity, v)
}

// stopJudge asks a running judge to stop.
func (h *Handlers) stopJudge(c *echo.Context) error {
	m, name := site.Here(c), c.FormValue("judge")
	err := h.store.JudgeRuns.StopJudge(c.Request().Context(), m.Campaign.ID, name, site.Me(c).ID)
	if errors.Is(err, campaign.ErrNotFound) {
		return h.showJudges(c, http.StatusUnprocessableEntity,
			judgesPage{form: newJudgeForm(h.Config.Judges), failed: "This judge is not running."})
	}
	if err != nil {
		return err
	}
	return h.Done(c, "The judge "+name+" stops in a moment. All replies are kept.", "/campaigns/"+m.Campaign.Slug+"/judges")
}

// suggestFromJudge turns the errors that a judge marked into suggestions.
func (h *Handlers) suggestFromJudge(c *echo.Context) error {
	m := site.Here(c)
	got, err := h.store.Intake.SuggestFromJudge(c.Request().Context(), m.Campaign, c.FormValue("judge"), site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.showJudges(c, http.StatusUnprocessableEntity,
			judgesPage{form: newJudgeForm(h.Config.Judges), failed: site.Sentence(invalid.Msg)})
	}
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s for %s.",
		wording.Counted(got.Report.Suggestions, "suggestion"), wording.Counted(got.Report.SuggestedTo, "translation"))
	if got.Begun > 0 {
		said += fmt.Sprintf(
			" %s %s left out, because annotators have begun the segments.", wording.Counted(got.Begun, "translation"),
			wording.Choose(got.Begun, "was", "were"),
		)
	}
	if got.Unfit > 0 {
		said += fmt.Sprintf(
			" %s %s left out, because the protocol does not allow %s.", wording.Counted(got.Unfit, "error"),
			wording.Choose(got.Unfit, "was", "were"),
			wording.Choose(got.Unfit, "it", "them"),
		)
	}
	said += " You can undo this under Import, until annotators begin the segments."
	return h.Done(c, said, "/campaigns/"+m.Campaign.Slug+"/judges")
}
