package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"annotate/internal/evaluation"
	"annotate/internal/metaeval"
	"annotate/internal/report"
	"annotate/internal/wording"
)

// asReport makes the metrics section of a report, in which the label of each evaluation
// stands.
func asReport(labels []string, reports []metaeval.Report) report.Report {
	var all []report.Evaluation
	for i, r := range reports {
		all = append(all, report.Evaluation{Label: labels[i], Report: r})
	}
	title := "Metrics"
	if len(all) == 1 {
		title += " of " + all[0].Label
	}
	return report.Metrics(title, all, report.Options{Program: evaluation.Program(), Now: time.Now()})
}

// writeTables writes the paragraphs and tables of a report as Markdown or LaTeX.
// Paragraphs are comments in LaTeX.
func writeTables(w io.Writer, format string, r report.Report) error {
	write, paragraph := report.Markdown, wording.Markdown
	if format == "latex" {
		write, paragraph = report.LaTeX, func(p string) string { return "% " + strings.NewReplacer("\n", " ", "\r", " ").Replace(p) }
	}
	for _, s := range r.Sections {
		for _, p := range append(slices.Clone(s.Paragraphs), s.Note) {
			fmt.Fprintf(w, "%s\n\n", paragraph(p))
		}
	}
	for i, t := range r.Tables() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := write(w, t); err != nil {
			return err
		}
	}
	return nil
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
