package metaeval

import (
	"cmp"
	"context"
	"time"

	"annotate/internal/metaeval"
	"annotate/internal/report"
	"annotate/internal/report/gather"
	"annotate/internal/report/page"
)

// writeReportsHTML writes the metrics section of a report as a page. It shows all
// reports, each with its label.
func (a *app) writeReportsHTML(ctx context.Context, labels []string, reports []metaeval.Report) error {
	var all []report.Evaluation
	for i, r := range reports {
		all = append(all, report.Evaluation{Label: labels[i], Report: r})
	}
	title := "Metrics"
	if len(all) == 1 {
		title += " of " + all[0].Label
	}
	return page.Write(ctx, a.Stdout, report.Metrics(title, all, report.Options{Program: gather.Program(), Now: time.Now()}))
}

// reportLabels returns the language pair of each report if no other report has it, else
// the campaign.
func reportLabels(campaigns []string, reports []metaeval.Report) []string {
	seen := map[string]int{}
	for _, r := range reports {
		seen[r.LanguagePair]++
	}
	labels := make([]string, len(reports))
	for i, r := range reports {
		labels[i] = campaigns[i]
		if seen[r.LanguagePair] == 1 {
			labels[i] = cmp.Or(r.LanguagePair, campaigns[i])
		}
	}
	return labels
}
