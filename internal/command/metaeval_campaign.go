package command

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/metaeval"
	"annotate/internal/spreadsheet"
	"annotate/internal/store"
)

// evaluateCampaigns evaluates the metrics of each campaign with its own human scores.
func (a *App) evaluateCampaigns(ctx context.Context, slugs []string, choice metaeval.Choice, metrics metricsFile, task metaeval.Task) (reports []metaeval.Report, err error) {
	for i, slug := range slugs {
		if slices.Contains(slugs[:i], slug) {
			return nil, Usage("campaign %s is named twice; name it once", slug)
		}
	}
	err = a.WithStore(ctx, func(_ Config, st *store.Store) error {
		var all []judging
		for _, slug := range slugs {
			c, err := FindCampaign(ctx, st, slug)
			if err != nil {
				return err
			}
			j, err := planJudging(ctx, st, c, choice, task)
			if err != nil {
				return fmt.Errorf("campaign %s: %w", slug, err)
			}
			if len(all) > 0 && j.task.Preset != all[0].task.Preset {
				return Usage("the campaigns are judged by different presets, %s and %s; choose one with --preset", all[0].task.Preset, j.task.Preset)
			}
			all = append(all, j)
		}
		for _, j := range all {
			report, err := a.evaluateCampaign(ctx, j, metrics)
			if err != nil {
				return fmt.Errorf("campaign %s: %w", j.slug, err)
			}
			reports = append(reports, report)
		}
		return nil
	})
	return reports, err
}

// A judging is a planned evaluation of a campaign.
type judging struct {
	slug   string
	source *evaluation.Source
	plan   metaeval.Plan
	task   metaeval.Task
}

// planJudging checks the choice against the names of a campaign, before any campaign is
// read.
func planJudging(ctx context.Context, st *store.Store, c campaign.Campaign, choice metaeval.Choice, task metaeval.Task) (j judging, err error) {
	source, err := evaluation.Open(ctx, st, c)
	if err != nil {
		return j, err
	}
	if len(source.Humans) == 0 {
		return j, Usage("there are no human scores to judge metrics by: no segment is in gold, and no averages were imported; import ratings, or wait until segments are rated")
	}
	plan, err := source.Plan(choice)
	if err != nil {
		return j, badChoice(err)
	}
	task.Preset = cmp.Or(task.Preset, source.Preset())
	return judging{c.Slug, source, plan, task}, nil
}

func (a *App) evaluateCampaign(ctx context.Context, j judging, metrics metricsFile) (metaeval.Report, error) {
	p := a.NewProgress()
	data, notes, err := j.source.Read(ctx, j.plan, func(segments int) { p.Say("read %d segments of %s", segments, j.slug) })
	p.Clear()
	if err != nil {
		return metaeval.Report{}, err
	}
	for _, note := range notes {
		fmt.Fprintf(a.Stderr, "annotate: %s: %s\n", j.slug, note)
	}
	switch none := len(data.Metrics)+len(j.plan.HumanAsMetric) == 0; {
	case none && slices.ContainsFunc(j.plan.Metrics, j.source.Imported):
		return metaeval.Report{}, Usage("no metric is left to judge; import the scores that are missing, or leave out systems with --exclude-system")
	case none:
		return metaeval.Report{}, Usage("no metric to judge: import scores, or references that BLEU and chrF can compare with")
	}
	metrics.declare(&data)
	return a.evaluate(ctx, data, j.plan, j.task)
}

// writeReports writes the reports as text, JSON or CSV. If there are several, it adds the meta score over all
// of them.
func (a *App) writeReports(format string, details bool, campaigns []string, reports []metaeval.Report) error {
	if len(reports) == 1 {
		return a.writeReport(format, details, reports[0])
	}
	overall := metaeval.Overall(reports)
	switch format {
	case "json":
		return a.writeReportsJSON(details, reports, overall)
	case "csv":
		return a.writeReportsCSV(campaigns, reports, overall)
	}
	for i, r := range reports {
		fmt.Fprintf(a.Stdout, "%s\n\n", campaigns[i])
		if err := a.writeReport(format, details, r); err != nil {
			return err
		}
		fmt.Fprintln(a.Stdout)
	}
	fmt.Fprintf(a.Stdout, "all: %s\n\n", strings.Join(campaigns, ", "))
	return a.writeOverall(overall)
}

func (a *App) writeReportsJSON(details bool, reports []metaeval.Report, overall []metaeval.OverallResult) error {
	type meta struct {
		Name string `json:"name"`
		Meta Number `json:"meta"`
	}
	out := struct {
		Campaigns []reportJSON `json:"campaigns"`
		Meta      []meta       `json:"meta"`
	}{Meta: []meta{}}
	for _, r := range reports {
		out.Campaigns = append(out.Campaigns, asJSON(r, details))
	}
	for _, o := range overall {
		out.Meta = append(out.Meta, meta{o.Name, Number(o.Meta)})
	}
	return WriteJSON(a.Stdout, out)
}

// writeReportsCSV writes a column for the campaign, which is empty in the rows of the
// overall meta score.
func (a *App) writeReportsCSV(campaigns []string, reports []metaeval.Report, overall []metaeval.OverallResult) error {
	w := csv.NewWriter(a.Stdout)
	for i, r := range reports {
		addCSV(w, r, i == 0, campaigns[i])
	}
	width := len(reports[0].Tables()[0].Columns) - 1 // without the meta score
	for _, o := range overall {
		first := reports[0]
		cells := []string{"", "", first.Human, string(first.Preset), strconv.FormatUint(first.Seed, 10), strconv.Itoa(first.Permutations), "", strconv.Itoa(o.Rank), spreadsheet.Escape(o.Name), fullNumber(o.Meta)}
		w.Write(append(cells, make([]string, width)...))
	}
	w.Flush()
	return w.Error()
}

// writeOverall writes the overall meta score as text.
func (a *App) writeOverall(overall []metaeval.OverallResult) error {
	meta := metaeval.Column{Name: "meta"}
	lines := [][]string{{"rank", "metric", "meta"}}
	for _, o := range overall {
		lines = append(lines, []string{strconv.Itoa(o.Rank), o.Name, shown(meta, o.Meta)})
	}
	var b strings.Builder
	align(&b, lines)
	_, err := a.Stdout.Write([]byte(b.String()))
	return err
}
