package command

import (
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/api"
	"annotate/internal/metaeval"
	"annotate/internal/spreadsheet"
	"annotate/internal/store"
	"annotate/web"
)

// evaluateCampaigns evaluates the metrics of each campaign with its own human scores.
func (a *App) evaluateCampaigns(
	ctx context.Context, slugs []string, choice metaeval.Choice, metrics metricsFile, task metaeval.Task,
) (reports []metaeval.Report, err error) {
	for i, slug := range slugs {
		if slices.Contains(slugs[:i], slug) {
			return nil, Usage("campaign %s is named twice; name it once", slug)
		}
	}
	task.Joint = len(slugs) > 1
	err = a.WithStore(ctx, func(_ Config, st *store.Store) error {
		var all []api.Judging
		for _, slug := range slugs {
			c, err := FindCampaign(ctx, st, slug)
			if err != nil {
				return err
			}
			j, err := api.PlanJudging(ctx, st, c, choice, task)
			if err != nil {
				return fmt.Errorf("campaign %s: %w", slug, badChoice(err))
			}
			if len(all) > 0 && j.Task.Preset != all[0].Task.Preset {
				return Usage("the campaigns are judged by different presets, %s and %s; choose one with --preset", all[0].Task.Preset, j.Task.Preset)
			}
			all = append(all, j)
		}
		for _, j := range all {
			report, err := a.evaluateCampaign(ctx, j, metrics)
			if err != nil {
				return fmt.Errorf("campaign %s: %w", j.Slug, err)
			}
			reports = append(reports, report)
		}
		return nil
	})
	return reports, err
}

func (a *App) evaluateCampaign(ctx context.Context, j api.Judging, metrics metricsFile) (metaeval.Report, error) {
	p := a.NewProgress()
	data, notes, err := j.Read(ctx, func(segments int) { p.Say("read %d segments of %s", segments, j.Slug) })
	p.Clear()
	for _, note := range notes {
		fmt.Fprintf(a.Stderr, "annotate: %s: %s\n", j.Slug, note)
	}
	if err != nil {
		return metaeval.Report{}, err
	}
	metrics.declare(&data)
	return a.evaluate(ctx, data, j.Plan, j.Task)
}

// writeReports writes the reports of campaigns or language pairs. If there are several, it adds the meta
// score over all of them.
func (a *App) writeReports(ctx context.Context, format string, details bool, names []string, reports []metaeval.Report) error {
	switch format {
	case "html":
		return web.WriteReport(ctx, a.Stdout, asReport(reportLabels(names, reports), reports))
	case "markdown", "latex":
		return writeTables(a.Stdout, format, asReport(reportLabels(names, reports), reports))
	}
	if len(reports) == 1 {
		return a.writeReport(format, details, reports[0])
	}
	overall, test := metaeval.Overall(reports)
	switch format {
	case "json":
		return api.WriteJSON(a.Stdout, api.MetaevalsOf(reports, details))
	case "csv":
		return a.writeReportsCSV(names, reports, overall)
	}
	for i, r := range reports {
		fmt.Fprintf(a.Stdout, "%s\n\n", names[i])
		if err := a.writeReport(format, details, r); err != nil {
			return err
		}
		fmt.Fprintln(a.Stdout)
	}
	fmt.Fprintf(a.Stdout, "all: %s\n\n", strings.Join(names, ", "))
	return a.writeOverall(overall, test)
}

// writeReportsCSV writes a column for the campaign or language pair, which is empty in the rows of
// the overall meta score.
func (a *App) writeReportsCSV(names []string, reports []metaeval.Report, overall []metaeval.OverallResult) error {
	w := csv.NewWriter(a.Stdout)
	for i, r := range reports {
		addCSV(w, r, i == 0, names[i])
	}
	width := len(reports[0].Tables()[0].Columns) - 1 // without the meta score
	for _, o := range overall {
		first := reports[0]
		cells := []string{
			"",
			"",
			first.Human,
			string(first.Preset),
			strconv.FormatUint(first.Seed, 10),
			strconv.Itoa(first.Permutations),
			"",
			strconv.Itoa(o.Rank),
			spreadsheet.Escape(o.Name),
			fullNumber(o.Meta),
		}
		cells = append(cells, make([]string, width)...)
		if hasIntervals(first) {
			cells = append(cells, fullNumber(o.Interval.Low), fullNumber(o.Interval.High))
			cells = append(cells, make([]string, 2*width)...)
		}
		w.Write(cells)
	}
	w.Flush()
	return w.Error()
}

// writeOverall writes the overall meta score, and the test of its differences, as text.
func (a *App) writeOverall(overall []metaeval.OverallResult, test *metaeval.Test) error {
	meta := metaeval.Column{Name: "meta"}
	lines := [][]string{{"rank", "metric", "meta"}}
	drawn := slices.ContainsFunc(overall, func(o metaeval.OverallResult) bool { return o.Interval.Resamples > 0 })
	if drawn {
		lines[0] = append(lines[0], fmt.Sprintf("%.0f %% interval", 100*metaeval.Level))
	}
	for _, o := range overall {
		line := []string{strconv.Itoa(o.Rank), o.Name, shown(meta, o.Meta)}
		if drawn {
			line = append(line, shownInterval(meta, o.Interval))
		}
		lines = append(lines, line)
	}
	var b strings.Builder
	align(&b, lines)
	if test != nil {
		addTest(&b, *test)
	}
	_, err := a.Stdout.Write([]byte(b.String()))
	return err
}
