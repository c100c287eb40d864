package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/metaeval"
	"annotate/internal/parallel"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
)

// An exportOf names an export in an address.
type exportOf struct {
	Slug       string `path:"slug"`
	Format     string `path:"format" doc:"as for annotate export --format"`
	Pseudonyms string `query:"pseudonyms" enum:"yes,no" doc:"name people by pseudonyms; without it as the campaign's setting says"`
	Ratings    string `query:"ratings" enum:"all,last,gold"`
	Discarded  string `query:"discarded" enum:"yes,no" doc:"write segments that are discarded or withdrawn"`
	Systems    string `query:"systems" enum:"names,letters"`
}

// A reportOf names a report in an address, by the choices of its page.
type reportOf struct {
	Slug          string   `path:"slug"`
	Human         string   `query:"human"`
	Preset        string   `query:"preset"`
	Significance  string   `query:"significance" enum:"yes"`
	Gold          string   `query:"gold" enum:"yes"`
	Reference     string   `query:"reference"`
	AllReferences string   `query:"all-references" enum:"yes"`
	ByGroup       string   `query:"by-group" enum:"yes"`
	Pseudonyms    string   `query:"pseudonyms" enum:"yes,no"`
	Beside        []string `query:"beside,explode" doc:"slugs of other campaigns; may be repeated"`
	Exclude       []string `query:"exclude-system,explode"`
	Include       []string `query:"include-reference,explode"`
}

// A metaevalOf says how the metrics of a campaign are judged.
type metaevalOf struct {
	Slug string `path:"slug"`
	Body struct {
		Human         string   `json:"human,omitempty" doc:"human score to judge by; without it the gold, or the only one"`
		HumanAsMetric []string `json:"human_as_metric,omitempty"`
		Metrics       []string `json:"metrics,omitempty" doc:"names, with or without their references"`
		Exclude       []string `json:"exclude_systems,omitempty"`
		Reference     string   `json:"reference,omitempty"`
		AllReferences bool     `json:"all_references,omitempty"`
		Include       []string `json:"include_references,omitempty"`
		Preset        string   `json:"preset,omitempty" doc:"as for annotate metaeval --preset"`
		Average       string   `json:"average,omitempty" enum:"item,system"`
		ByDomain      bool     `json:"by_domain,omitempty"`
		Significance  bool     `json:"significance,omitempty"`
		Williams      bool     `json:"williams,omitempty"`
		Details       bool     `json:"details,omitempty"`
		Permutations  int      `json:"permutations,omitempty" minimum:"1"`
		Intervals     int      `json:"intervals,omitempty" minimum:"0" doc:"resamples of documents for 95 % intervals of every statistic; 0: no intervals"`
		Beside        []string `json:"beside,omitempty" doc:"slugs of further campaigns; the result then has the meta score over all"`
		Seed          *uint64  `json:"seed,omitempty"`
	}
}

// ProgramRoutes lists the operations of this group for programs, with the people who may use each.
func (h *Handlers) ProgramRoutes() []site.Route {
	return []site.Route{
		site.Sends(h.Site, site.Op{
			ID: "export", Method: http.MethodGet, Path: "/campaigns/{slug}/exports/{format}", Tag: "exports", Who: site.Readers,
			Summary: "Write a campaign in a format, at once", About: "Sends what annotate export writes, while it is read.",
		}, h.exportForProgram),
		site.Operation(h.Site, site.Op{
			ID: "start-export", Method: http.MethodPost, Path: "/campaigns/{slug}/exports/{format}", Tag: "exports", Who: site.Readers,
			Status: http.StatusAccepted, Reads: true,
			Summary: "Prepare a file of a campaign", About: "The result of the job is the file.",
		}, func(c *echo.Context, in *exportOf) (site.Job, error) {
			return h.startFile(c, in.Format)
		}),
		site.Operation(h.Site, site.Op{
			ID: "start-report", Method: http.MethodPost, Path: "/campaigns/{slug}/report", Tag: "results", Who: site.Readers,
			Status: http.StatusAccepted, Reads: true,
			Summary: "Compute the report of a campaign",
			About:   "The result of the job is the report as one HTML file, as annotate report writes it.",
		}, func(c *echo.Context, _ *reportOf) (site.Job, error) {
			return h.startReport(c)
		}),
		site.Operation(h.Site, site.Op{
			ID: "start-archive", Method: http.MethodPost, Path: "/campaigns/{slug}/report/archive", Tag: "results", Who: site.Readers,
			Status: http.StatusAccepted, Reads: true,
			Summary: "Prepare the archive of a campaign with its report",
			About:   "The result of the job is a zip archive. The report with the same choices must have been computed.",
		}, func(c *echo.Context, _ *reportOf) (site.Job, error) {
			return h.startFile(c, archiveFile)
		}),
		site.Operation(h.Site, site.Op{
			ID: "start-metaeval", Method: http.MethodPost, Path: "/campaigns/{slug}/metaeval", Tag: "results", Who: site.Readers,
			Status: http.StatusAccepted, Reads: true,
			Summary: "Judge the metrics of a campaign by its human scores",
			About:   "The result of the job is what annotate metaeval --format json prints.",
		}, h.startMetaeval),
	}
}

// exportForProgram sends an export while it is written. After an error in the middle, the answer is broken off, so that nobody
// takes a part for the whole.
func (h *Handlers) exportForProgram(c *echo.Context, in *exportOf) error {
	w, err := h.wantedFormat(c, in.Format)
	if err != nil || in.Format == archiveFile {
		return errors.Join(err, noFormat(in.Format, err == nil))
	}
	site.Attach(c, w.contentType, w.name)
	out := &firstWrite{w: c.Response()}
	_, _, err = transfer.ExportWithNotes(c.Request().Context(), h.store, w.campaign, w.format, w.selection, out)
	switch {
	case err != nil && out.begun:
		h.Logger.Warn("export broken off", "campaign", w.campaign.Slug, "format", w.format, "error", err)
		panic(http.ErrAbortHandler)
	case err != nil:
		c.Response().Header().Del(echo.HeaderContentDisposition)
		return err
	case !out.begun:
		c.Response().WriteHeader(http.StatusOK)
	}
	return nil
}

// noFormat is the error of a format that can't be sent at once.
func noFormat(id string, is bool) error {
	if !is {
		return nil
	}
	return campaign.Invalid("format", id+" is prepared by a job; start it with POST")
}

// A firstWrite knows whether anything was written.
type firstWrite struct {
	w     io.Writer
	begun bool
}

func (f *firstWrite) Write(p []byte) (int, error) {
	f.begun = f.begun || len(p) > 0
	return f.w.Write(p)
}

func (h *Handlers) startFile(c *echo.Context, id string) (site.Job, error) {
	w, err := h.wantedFormat(c, id)
	if errors.Is(err, campaign.ErrNotFound) {
		err = campaign.Invalid(
			"format",
			fmt.Sprintf("there is no export %q of this campaign; use %s", id, strings.Join(format.IDs(format.Outputs(w.campaign.Rules)), ", ")),
		)
	}
	if err != nil {
		return site.Job{}, err
	}
	return site.Track(h.Site, c, "export", h.prepare(w), func(p PreparedFile) (site.Result, error) {
		return site.Result{Notes: p.Notes, Opens: w.key}, nil
	})
}

func (h *Handlers) startReport(c *echo.Context) (site.Job, error) {
	w, err := h.wanted(c)
	if err != nil {
		return site.Job{}, err
	}
	query := c.QueryString()
	return site.Track(h.Site, c, "report", h.Reports.Start(w.campaign, w.beside, w.choices), func(struct{}) (site.Result, error) {
		return site.Result{Opens: "?" + query}, nil
	})
}

// openFile sends the file that a job has prepared, by its key.
func (h *Handlers) openFile(c *echo.Context, key string) error {
	p, ok := h.Files.find(key)
	if !ok {
		return campaign.ErrNotFound
	}
	return h.sendPrepared(c, p)
}

// openReport sends the report that a job has computed, by the query that asked for it.
func (h *Handlers) openReport(c *echo.Context, query string) error {
	choices, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return err
	}
	w, err := h.wantedBy(c, choices)
	if err != nil {
		return err
	}
	r, err := h.kept(c, w)
	if err == nil && r == nil {
		err = campaign.ErrNotFound
	}
	if err != nil {
		return err
	}
	return h.reportFile(c, w, *r)
}

func (h *Handlers) startMetaeval(c *echo.Context, in *metaevalOf) (site.Job, error) {
	of, b := site.Here(c).Campaign, in.Body
	choice := metaeval.Choice{
		Human:         b.Human,
		HumanAsMetric: b.HumanAsMetric,
		Metrics:       b.Metrics,
		Exclude:       b.Exclude,
		Reference:     b.Reference,
		AllReferences: b.AllReferences,
		Include:       b.Include,
	}
	task := metaeval.Task{
		ByDomain:     b.ByDomain,
		Significance: b.Significance,
		Williams:     b.Williams,
		Permutations: metaeval.DefaultPermutations,
		Intervals:    b.Intervals,
		Seed:         metaeval.DefaultSeed,
	}
	if b.Preset != "" {
		var err error
		if task.Preset, err = metaeval.ParsePreset(b.Preset); err != nil {
			return site.Job{}, campaign.Invalid("preset", err.Error())
		}
	}
	if b.Permutations > 0 {
		task.Permutations = b.Permutations
	}
	if b.Seed != nil {
		task.Seed = *b.Seed
	}
	switch b.Average {
	case "item":
		task.Average = metaeval.ByItem
	case "system":
		task.Average = metaeval.BySystem
	}
	if task.Permutations > metaeval.MaxPermutations {
		return site.Job{}, campaign.Invalid("permutations", fmt.Sprintf("must be from 1 to %d", metaeval.MaxPermutations))
	}
	if task.Intervals > metaeval.MaxPermutations {
		return site.Job{}, campaign.Invalid("intervals", fmt.Sprintf("must be from 0 to %d", metaeval.MaxPermutations))
	}
	if choice.Reference != "" && choice.AllReferences {
		return site.Job{}, campaign.Invalid("reference", "a standard reference and all references exclude each other; choose one")
	}
	all := []campaign.Campaign{of}
	if len(b.Beside) > 0 {
		w, err := h.wantedBy(c, url.Values{"beside": b.Beside})
		if err != nil {
			return site.Job{}, err
		}
		all = append(all, w.beside...)
	}
	var ids []string
	for _, x := range all {
		ids = append(ids, x.ID)
	}
	j := h.Computing.Start(
		fmt.Sprintf("metaeval %v %+v %+v %v", ids, choice, task, b.Details),
		func(ctx context.Context, say parallel.Say) (site.Result, error) {
			if len(all) > 1 {
				reports, notes, err := api.EvaluateAll(ctx, h.store, all, choice, task, say)
				if err != nil {
					return site.Result{}, err
				}
				return site.Result{JSON: api.MetaevalsOf(reports, b.Details), Notes: notes}, nil
			}
			r, notes, err := api.Evaluate(ctx, h.store, of, choice, task, say)
			if err != nil {
				return site.Result{}, err
			}
			return site.Result{JSON: api.MetaevalOf(r, b.Details), Notes: notes}, nil
		},
		site.LogFailure(h.Logger, "metaeval", of),
	)
	return site.Track(h.Site, c, "metaeval", j, func(r site.Result) (site.Result, error) { return r, nil })
}
