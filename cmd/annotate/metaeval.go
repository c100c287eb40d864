package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/metaeval"
)

func (a *app) metaevalCommand() *cobra.Command {
	var dir, pair, preset, format string
	var task metaeval.Task
	cmd := &cobra.Command{
		Use:   "metaeval (CAMPAIGN… | --mtme DIR --language-pair PAIR)",
		Short: "Judge automatic metrics by human scores",
		Long: `Judge automatic metrics by human scores, with the statistics of the WMT Metrics
shared task and its tool mt-metrics-eval: pairwise accuracy, Pearson, Spearman,
Kendall and soft pairwise accuracy of systems; accuracy with tie calibration,
Pearson, Spearman and Kendall of segments.

A CAMPAIGN is judged by its gold, or by averages that were imported, over the
segments that have them. Metrics are those whose scores were imported, and BLEU,
chrF and chrF++ where every segment has a reference. Several campaigns stand side
by side, with the meta score over all of them. Human scores are those of the
protocol, such as mqm, with -z z-normalised and with -A, -B … by one annotator.

DIR is the folder of a test set as mt-metrics-eval has them, with human-scores,
metric-scores, documents and system-outputs. Systems are those with human
scores; --exclude-system leaves out references and outliers. A metric without
scores of one of them is left out.

The meta score is a mean. Preset wmt23: accuracy and (r+1)/2 of systems, acc_t
and (r+1)/2 of segments. Preset ment: accuracy, Pearson and Spearman of systems,
pooled acc_t, Pearson and Spearman of segments; acc_t_pooled looks at every pair
of translations and is computed for this preset alone.

--by-domain leaves out segments that have no domain and says how many; where none
has one, it says so and gives the table over all alone.

--significance adds permutation tests between metrics for each part of the meta
score and for itself, and ranks are then clusters. csv has no room for p-values.`,
		Example: `  annotate metaeval ment-zh-en ment-en-zh
  annotate metaeval --mtme wmt23 --language-pair en-de --human mqm --exclude-system refA
  annotate metaeval --mtme wmt23 --language-pair en-de --metric BLEU --metric chrF --by-domain --format json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, reportFormats); err != nil {
				return err
			}
			if preset != "" {
				var err error
				if task.Preset, err = metaeval.ParsePreset(preset); err != nil {
					return usage("--preset: %w", err)
				}
			}
			if task.Permutations < 1 {
				return usage("--permutations: must be at least 1, not %d", task.Permutations)
			}
			switch {
			case dir == "" && len(args) > 0:
				if pair != "" {
					return usage("--language-pair goes with --mtme; a campaign has one language pair")
				}
				reports, err := a.evaluateCampaigns(cmd.Context(), args, task)
				if err != nil {
					return err
				}
				if format == "html" {
					return a.writeReportsHTML(cmd.Context(), reportLabels(args, reports), reports)
				}
				return a.writeReports(format, args, reports)
			case dir == "":
				return usage("name a campaign, or an mt-metrics-eval directory: --mtme DIR --language-pair PAIR")
			case len(args) > 0:
				return usage("unexpected argument %q beside --mtme", args[0])
			case pair == "":
				return usage("name the language pair: --language-pair PAIR, such as en-de")
			}
			data, err := a.readMTME(dir, pair, task)
			if err != nil {
				return err
			}
			report, err := a.evaluate(cmd.Context(), data, task)
			if err != nil {
				return err
			}
			if format == "html" {
				return a.writeReportsHTML(cmd.Context(), []string{pair}, []metaeval.Report{report})
			}
			return a.writeReport(format, report)
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "mtme", "", "`DIR` of a test set in the layout of mt-metrics-eval")
	f.StringVar(&pair, "language-pair", "", "language `PAIR`, such as en-de")
	f.StringVar(&task.Human, "human", "", "`NAME` of the human score to judge by (default the gold, or the only one)")
	f.StringArrayVar(&task.HumanAsMetric, "human-as-metric", nil, "`NAME` of a human score to judge like a metric; may be repeated")
	f.StringArrayVar(&task.Metrics, "metric", nil, "`NAME` of a metric, with or without its reference; may be repeated (default all)")
	f.StringArrayVar(&task.Exclude, "exclude-system", nil, "`NAME` of a system to leave out; may be repeated")
	f.StringVar(&preset, "preset", "", "statistics of the meta score: `PRESET` ment or wmt23 (default ment for SQM campaigns, else wmt23)")
	f.BoolVar(&task.ByDomain, "by-domain", false, "evaluate each domain too, as if it were all there is")
	f.BoolVar(&task.Significance, "significance", false, "test differences between metrics; ranks are clusters")
	f.IntVar(&task.Permutations, "permutations", metaeval.DefaultPermutations, "`N` random sign flips and permutations")
	f.Uint64Var(&task.Seed, "seed", metaeval.DefaultSeed, "`N` that random numbers begin with")
	f.StringVar(&format, "format", "text", "`FORMAT`: "+strings.Join(reportFormats, ", "))
	return cmd
}

// readMTME reads what the task needs from an mt-metrics-eval directory.
func (a *app) readMTME(dir, pair string, task metaeval.Task) (metaeval.Data, error) {
	m, err := ingest.OpenMTME(dir, pair)
	if err != nil {
		return metaeval.Data{}, badInput(err)
	}
	humans, err := chosenHumans(m.Humans, task)
	if err != nil {
		return metaeval.Data{}, err
	}
	if len(task.HumanAsMetric) == 0 {
		if err := m.HasMetrics(); err != nil {
			return metaeval.Data{}, badInput(err)
		}
	}
	metrics, err := metaeval.MatchMetrics(m.Metrics, task.Metrics)
	if err != nil {
		return metaeval.Data{}, badChoice(err)
	}
	p := a.newProgress()
	defer p.clear()
	read := 0
	data, err := m.Read(humans, metrics, func(file string) {
		read++
		p.say("read %d files: %s", read, file)
	})
	return data, badInput(err)
}

// chosenHumans are the human scores that the task names, first the one to judge by.
func chosenHumans(all []string, task metaeval.Task) ([]string, error) {
	human, err := metaeval.MatchHuman(all, task.Human)
	if err != nil {
		return nil, badChoice(err)
	}
	humans := []string{human}
	for _, name := range task.HumanAsMetric {
		if !slices.Contains(all, name) {
			return nil, usage("--human-as-metric: %w", &metaeval.ChoiceError{What: "human score", Name: name, Known: all})
		}
		if !slices.Contains(humans, name) {
			humans = append(humans, name)
		}
	}
	return humans, nil
}

// evaluate judges the metrics, and says which are left out.
func (a *app) evaluate(ctx context.Context, data metaeval.Data, task metaeval.Task) (metaeval.Report, error) {
	if task.Human == "" { // other human scores may be among the data as metrics
		task.Human = data.Humans[0].Name
	}
	p := a.newProgress()
	var mu sync.Mutex
	task.Progress = func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		p.say("evaluating: %d %%", 100*done/max(1, total))
	}
	p.say("evaluating: 0 %%")
	report, err := metaeval.Evaluate(ctx, data, task)
	p.clear()
	if err != nil {
		return report, badChoice(err)
	}
	if len(report.Systems) == 0 {
		return report, usage("no system is left to evaluate: %s", noSystem(task))
	}
	for _, left := range report.LeftOut {
		a.noteLeftOut(left)
	}
	if task.ByDomain {
		a.noteDomains(report)
	}
	if len(report.Metrics) == 0 {
		return report, usage("no metric has scores of all %d systems: %s", len(report.Systems), strings.Join(report.Systems, ", "))
	}
	return report, nil
}

// noSystem says why no system takes part.
func noSystem(task metaeval.Task) string {
	if len(task.Exclude) == 0 {
		return "none has a human score " + task.Human
	}
	return "none that is not excluded has a human score " + task.Human
}

// noteLeftOut says which metric is left out, and how it would not be.
func (a *app) noteLeftOut(left metaeval.LeftOut) {
	systems, flags := "system", ""
	if len(left.Systems) > 1 {
		systems = "systems"
	}
	for _, name := range left.Systems {
		flags += " --exclude-system " + shellWord(name)
	}
	fmt.Fprintf(a.stderr, "annotate: %s is left out: it has no scores of %s %s;%s would keep it\n", left.Metric, systems, strings.Join(left.Systems, ", "), flags)
}

// noteDomains says which segments a table by domain is not about.
func (a *app) noteDomains(r metaeval.Report) {
	switch {
	case len(r.Domains) == 0:
		fmt.Fprintln(a.stderr, "annotate: --by-domain: no segment has a domain; there are no tables by domain")
	case r.NoDomain > 0:
		fmt.Fprintf(a.stderr, "annotate: --by-domain: %s no domain, and no part in the tables by domain\n", plural(r.NoDomain, "segment has", "segments have"))
	}
}

// say shows a line in place of the one before, a few times a second.
func (p *progress) say(format string, args ...any) {
	if now := time.Now(); p.w != nil && now.Sub(p.shown) > 200*time.Millisecond {
		p.shown = now
		fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	}
}

// badInput marks a problem of a file as the caller's to mend.
func badInput(err error) error {
	if _, ok := errors.AsType[*campaign.Problem](err); ok {
		return &usageError{err}
	}
	return err
}

// badChoice marks a name that the data do not have as the caller's to mend.
func badChoice(err error) error {
	choice, ok := errors.AsType[*metaeval.ChoiceError](err)
	if !ok {
		return err
	}
	flag := map[string]string{"human score": "--human", "metric": "--metric", "system": "--exclude-system"}[choice.What]
	return usage("%s: %w", cmp.Or(flag, choice.What), err)
}

// shellWord quotes a name that a shell would take apart.
func shellWord(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:/@%", r)
	}) {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}
