package setup

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/judgeruns"
	"annotate/internal/server/site"
	"annotate/web/templates/setup"
)

// JudgeOptions are the options of annotate judge run.
type JudgeOptions struct {
	Method      string   `json:"method"`
	Variant     string   `json:"variant,omitempty"`
	Model       string   `json:"model,omitempty" doc:"without it the server's default"`
	As          string   `json:"as,omitempty" doc:"name of the judge"`
	Concurrency int      `json:"concurrency,omitempty" minimum:"0"`
	Retries     *int     `json:"retries,omitempty" minimum:"0"`
	MaxTokens   int64    `json:"max_tokens,omitempty" minimum:"0"`
	Threshold   *float64 `json:"threshold,omitempty"`
	Seed        *uint64  `json:"seed,omitempty"`
	Fresh       bool     `json:"fresh,omitempty"`
}

type judgeCall struct {
	InCampaign
	Body JudgeOptions
}

type ofJudge struct {
	Slug  string `path:"slug"`
	Judge string `path:"judge"`
}

// judgeOperations lists the operations of judges.
func (h *Handlers) judgeOperations() []site.Route {
	return []site.Route{
		site.Operation(h.Site, site.Op{
			ID: "list-judges", Method: http.MethodGet, Path: "/campaigns/{slug}/judges", Tag: "judges", Who: site.Readers,
			Summary: "Judges of a campaign", About: "As annotate judge list --json.",
		}, func(c *echo.Context, _ *InCampaign) (api.Judges, error) {
			return api.ReadJudges(c.Request().Context(), h.store, site.Here(c).Campaign)
		}),
		site.Operation(h.Site, site.Op{
			ID: "forecast-judge", Method: http.MethodPost, Path: "/campaigns/{slug}/judges/forecast", Tag: "judges", Who: site.Readers, Reads: true,
			Summary: "What a run of a judge would take", About: "As annotate judge run --dry-run.",
		}, h.forecastForProgram),
		site.Operation(h.Site, site.Op{
			ID: "run-judge", Method: http.MethodPost, Path: "/campaigns/{slug}/judges", Tag: "judges",
			Who: site.Readers, Status: http.StatusAccepted,
			Summary: "Run a judge, or resume its run", About: "The result of the job is the judge.",
		}, h.judgeForProgram),
		site.Operation(h.Site, site.Op{
			ID: "stop-judge", Method: http.MethodPost, Path: "/campaigns/{slug}/judges/{judge}/stop", Tag: "judges", Who: site.Readers,
			Summary: "Stop a judge", About: "All replies are kept, and the same call of run-judge resumes the run.",
		}, func(c *echo.Context, in *ofJudge) (None, error) {
			err := h.store.JudgeRuns.StopJudge(c.Request().Context(), site.Here(c).Campaign.ID, in.Judge, site.Me(c).ID)
			if errors.Is(err, campaign.ErrNotFound) {
				err = fmt.Errorf("the judge %s is not running: %w", in.Judge, campaign.ErrConflict)
			}
			return None{}, err
		}),
	}
}

// form returns the options as the page of judges has them, so that one function reads both.
func (o JudgeOptions) form(cfg site.JudgeConfig) setup.JudgeForm {
	f := newJudgeForm(cfg)
	f.Method, f.Variant, f.As, f.Fresh = o.Method, o.Variant, o.As, o.Fresh
	if o.Model != "" {
		f.Model = o.Model
	}
	if o.Concurrency > 0 {
		f.Concurrency = strconv.Itoa(o.Concurrency)
	}
	if o.Retries != nil {
		f.Retries = strconv.Itoa(*o.Retries)
	}
	if o.MaxTokens > 0 {
		f.MaxTokens = strconv.FormatInt(o.MaxTokens, 10)
	}
	if o.Threshold != nil {
		f.Threshold = strconv.FormatFloat(*o.Threshold, 'g', -1, 64)
	}
	if o.Seed != nil {
		f.Seed = strconv.FormatUint(*o.Seed, 10)
	}
	return f
}

func (h *Handlers) forecastForProgram(c *echo.Context, in *judgeCall) (api.JudgeForecast, error) {
	o, err := firstWrong(judgeOptions(in.Body.form(h.Config.Judges), h.Config.Judges.BaseURL))
	if err != nil {
		return api.JudgeForecast{}, err
	}
	f, err := h.store.JudgeRuns.Predict(c.Request().Context(), site.Here(c).Campaign, o)
	return api.JudgeForecastOf(f, o.Method.Asks(o.Variant)), err
}

func (h *Handlers) judgeForProgram(c *echo.Context, in *judgeCall) (site.Job, error) {
	of := site.Here(c).Campaign
	o, err := firstWrong(judgeOptions(in.Body.form(h.Config.Judges), h.Config.Judges.BaseURL))
	if err != nil {
		return site.Job{}, err
	}
	o.ByID = site.Me(c).ID
	j, err := h.JudgeRuns.start(c.Request().Context(), of, o)
	if err != nil {
		return site.Job{}, err
	}
	name := o.JudgeName()
	return site.Track(h.Site, c, "judge", j, func(judgeruns.Progress) (site.Result, error) {
		return site.Result{Opens: name}, nil
	})
}

// openJudge answers how far the judge is whose run a job was.
func (h *Handlers) openJudge(c *echo.Context, name string) error {
	all, err := api.ReadJudges(c.Request().Context(), h.store, site.Here(c).Campaign)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all.Judges, func(j api.Judge) bool { return j.Name == name })
	if i < 0 {
		return campaign.ErrNotFound
	}
	return c.JSON(http.StatusOK, all.Judges[i])
}

// firstWrong returns the options of a form, or the error of its first field that is wrong.
func firstWrong(o judgeruns.Options, wrong map[string]string) (judgeruns.Options, error) {
	for _, field := range slices.Sorted(maps.Keys(wrong)) {
		return o, campaign.Invalid(field, wrong[field])
	}
	return o, nil
}
