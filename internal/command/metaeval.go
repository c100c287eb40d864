package command

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/metaeval"
	"annotate/internal/wording"
)

// MetaevalCommand makes the command metaeval.
func (a *App) MetaevalCommand() *cobra.Command {
	var dir, preset, average, file, format string
	var pairs []string
	var choice metaeval.Choice
	var task metaeval.Task
	var details bool
	cmd := &cobra.Command{
		Use:   "metaeval (CAMPAIGN… | --mtme DIR --language-pair PAIR…)",
		Short: "Judge automatic metrics by human scores",
		Long: `Judge automatic metrics by human scores, with the statistics of the WMT Metrics
shared task and its tool mt-metrics-eval: pairwise accuracy, Pearson, Spearman,
Kendall and soft pairwise accuracy of systems; accuracy with tie calibration,
Pearson, Spearman and Kendall of segments.

A CAMPAIGN is evaluated with its gold or with imported averages, over the segments
that have them. The metrics are those with imported scores, and BLEU, chrF and chrF++
if every segment has a reference. With several campaigns or language pairs the command
also prints the meta score over all of them. Human scores have the names of the protocol, such as mqm,
with -z if they are z-normalised and with -A, -B … for a single annotator.

--human-as-metric compares an annotator such as mqm-A with the mean of the other
annotators, on the translations that others rated too. With --significance such an
annotator is in no test and has no rank.

DIR is the folder of a test set in the layout of mt-metrics-eval, with human-scores,
metric-scores, documents, system-outputs and references. The systems are those with
human scores. Leave out outliers with --exclude-system. A metric that lacks scores of a
system is left out.

The last part of a metric's name, as in BLEU-refA, is a reference if there is a
reference of that name or if several metrics share it. src is no reference. Without
--metric, the command judges the metrics that use no reference and those that use the
standard reference, which --reference names. By default it is the first in byte order.
--all-references judges the metrics of all references.

A reference with human scores is judged as a system only if no metric compares with it
and every metric has scores of it. Otherwise the command leaves it out and says so.
--include-reference NAME judges NAME as a system, and leaves out the metrics that compare
with it.

The meta score is a mean. With preset wmt23 it is the mean of accuracy and (r+1)/2 of
systems and of acc_t and (r+1)/2 of segments. With preset ment it is the mean of
accuracy, Pearson and Spearman of systems and of pooled acc_t, Pearson and Spearman of
segments. acc_t_pooled compares all pairs of translations and is computed only for this
preset. With preset wmt24 it is the mean of soft pairwise accuracy of systems and of acc_t
of segments.

--metrics-file names a JSON file such as
  {"metrics": [{"name": "COMET", "group": "neural"},
               {"name": "TER-refA", "group": "surface", "lower_is_better": true}],
   "reference": "refA", "exclude_systems": ["refA"]}
"metrics" lists the metrics to judge, with names as for --metric; without it all
metrics are judged. "group" and "lower_is_better" replace what an import declared.
"reference" and "exclude_systems" work like the flags and are combined with them.

--by-domain evaluates each domain too. Segments without a domain are left out there,
and the command prints their number.

--details adds to json the further tables of html, markdown and latex: the scores of the
systems by each metric; mean absolute and mean squared errors of the metrics, with
scores rescaled so that the lowest is 0 and the highest 1; and Kendall and Spearman for
short, medium and long sources (up to 12, up to 27, and more tokens).

--intervals N adds the 95 % confidence interval of every statistic. The command draws whole
documents (segments if documents are unknown) with replacement N times and computes every
statistic again, with a new tie threshold except for acc_t_pooled. The interval contains
the middle of these values, and a little more if there are few documents. For Pearson's r
of systems, the command leaves out one document at a time, and the interval contains every
r that fits the data. A metric with a system score that is not the mean of its segments,
such as corpus BLEU, has no intervals of statistics of systems. Intervals do not say how
the metric does on other systems. With --by-domain each domain draws its own documents, and
the results by length of --details draw those with sources of that length. Errors keep the
range by which all scores are rescaled. The meta score over several campaigns or language
pairs has an interval if they have the same documents in the same order, which are then
drawn together, or none in common.

--significance adds permutation tests between metrics, for each part of the meta score
and for the meta score. Ranks are then numbers of clusters. With several campaigns or
language pairs it also tests the meta score over all of them. csv does not contain
p-values.`,
		Example: `  annotate metaeval ment-zh-en ment-en-zh
  annotate metaeval --mtme wmt23 --language-pair en-de --human mqm
  annotate metaeval --mtme wmt24 --language-pair en-de --language-pair ja-zh --preset wmt24 --significance
  annotate metaeval --mtme wmt23 --language-pair en-de --metric BLEU --metric chrF --by-domain --format json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := CheckFormat(format, reportFormats); err != nil {
				return err
			}
			if details && (format == "text" || format == "csv") {
				return Usage("--details works only with --format json; text and csv do not contain the details, and the other formats always do")
			}
			if preset != "" {
				var err error
				if task.Preset, err = metaeval.ParsePreset(preset); err != nil {
					return Usage("--preset: %w", err)
				}
			}
			if task.Permutations < 1 || task.Permutations > metaeval.MaxPermutations {
				return Usage("--permutations: must be from 1 to %d, not %d", metaeval.MaxPermutations, task.Permutations)
			}
			if task.Intervals < 0 || task.Intervals > metaeval.MaxPermutations {
				return Usage("--intervals: must be from 0 to %d, not %d", metaeval.MaxPermutations, task.Intervals)
			}
			switch average {
			case "item":
				task.Average = metaeval.ByItem
			case "system":
				task.Average = metaeval.BySystem
			case "":
			default:
				return Usage("--average: must be item or system, not %q", average)
			}
			metrics, err := readMetricsFile(file)
			if err != nil {
				return err
			}
			metrics.choose(&choice)
			if choice.Reference != "" && choice.AllReferences {
				return Usage("--reference and --all-references exclude each other")
			}
			names := args
			var reports []metaeval.Report
			switch {
			case dir == "" && len(args) > 0:
				if len(pairs) > 0 {
					return Usage("--language-pair works only with --mtme; a campaign has one language pair")
				}
				reports, err = a.evaluateCampaigns(cmd.Context(), args, choice, metrics, task)
			case dir == "":
				return Usage("name a campaign, or an mt-metrics-eval directory: --mtme DIR --language-pair PAIR")
			case len(args) > 0:
				return Usage("unexpected argument %q beside --mtme", args[0])
			case len(pairs) == 0:
				return Usage("name the language pair: --language-pair PAIR, such as en-de")
			default:
				names = pairs
				reports, err = a.evaluateMTME(cmd.Context(), dir, pairs, choice, metrics, task)
			}
			if err != nil {
				return err
			}
			return a.writeReports(cmd.Context(), format, details, names, reports)
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "mtme", "", "`DIR` of a test set in the layout of mt-metrics-eval")
	f.StringArrayVar(&pairs, "language-pair", nil, "language `PAIR`, such as en-de; may be repeated")
	f.StringVar(&choice.Human, "human", "", "`NAME` of the human score to judge by (default the gold, or the only one)")
	f.StringArrayVar(&choice.HumanAsMetric, "human-as-metric", nil, "`NAME` of a human score to evaluate like a metric; may be repeated")
	f.StringArrayVar(
		&choice.Metrics, "metric", nil,
		"`NAME` of a metric, with or without its reference; may be repeated (default those of the standard reference)",
	)
	f.StringArrayVar(&choice.Exclude, "exclude-system", nil, "`NAME` of a system to leave out; may be repeated")
	f.StringVar(&choice.Reference, "reference", "", "`NAME` of the standard reference (default the first in byte order)")
	f.StringArrayVar(&choice.Include, "include-reference", nil, "`NAME` of a reference to judge as a system; may be repeated")
	f.BoolVar(&choice.AllReferences, "all-references", false, "judge the metrics of all references")
	f.StringVar(&file, "metrics-file", "", "`FILE` that names metrics and declares their direction and group (see above)")
	f.StringVar(&average, "average", "", "average Pearson, Spearman and Kendall of segments by `GROUP`: item or system (default: not averaged, but pooled)")
	f.BoolVar(&task.Williams, "williams", false, "test differences of Pearson's r of systems by Williams' test")
	f.StringVar(&preset, "preset", "", "statistics of the meta score: `PRESET` ment, wmt23 or wmt24 (default ment for SQM campaigns, else wmt23)")
	f.BoolVar(&task.ByDomain, "by-domain", false, "evaluate each domain too, as if there were no other segments")
	f.BoolVar(&details, "details", false, "add system scores, rescaled errors and results by length to json")
	f.IntVar(&task.Intervals, "intervals", 0, "add confidence intervals of every statistic, from `N` resamples of documents (usual: 1000)")
	f.BoolVar(&task.Significance, "significance", false, "test differences between metrics; ranks are clusters")
	f.IntVar(&task.Permutations, "permutations", metaeval.DefaultPermutations, "`N` random sign flips and permutations")
	f.Uint64Var(&task.Seed, "seed", metaeval.DefaultSeed, "`N`, the seed of the random numbers")
	f.StringVar(&format, "format", "text", "`FORMAT`: "+strings.Join(reportFormats, ", "))
	return cmd
}

// evaluateMTME evaluates the metrics of language pairs of an mt-metrics-eval directory.
func (a *App) evaluateMTME(
	ctx context.Context, dir string, pairs []string, choice metaeval.Choice, metrics metricsFile, task metaeval.Task,
) (reports []metaeval.Report, err error) {
	// Scores of a test set take some 10 MB, so it does not pay to look for free memory often.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	task.Joint = len(pairs) > 1
	for i, pair := range pairs {
		if slices.Contains(pairs[:i], pair) {
			return nil, Usage("language pair %s is named twice; name it once", pair)
		}
		data, plan, err := a.readMTME(ctx, dir, pair, choice)
		if err != nil {
			return nil, err
		}
		metrics.declare(&data)
		report, err := a.evaluate(ctx, data, plan, task)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// readMTME reads the scores that the choice selects from an mt-metrics-eval directory.
func (a *App) readMTME(
	ctx context.Context, dir, pair string, choice metaeval.Choice,
) (data metaeval.Data, plan metaeval.Plan, err error) {
	m, err := ingest.OpenDirectory(ctx, dir, pair)
	if err != nil {
		return data, plan, badInput(err)
	}
	p := a.NewProgress()
	defer p.Clear()
	read := 0
	say := func(file string) {
		read++
		p.Say("read %d files: %s", read, file)
	}
	var judges []metaeval.Scores // the human scores that metrics are evaluated against, which the plan reads
	plan, err = metaeval.NewPlan(metaeval.Catalogue{
		Humans: m.Humans, Metrics: m.Metrics, References: m.References, Systems: m.Systems,
		Judged: func(human string) ([]string, error) {
			scores, err := m.Read(ctx, []string{human}, nil, say)
			judges = scores.Humans
			return scores.Judged(human), err
		},
	}, choice)
	if err != nil {
		return data, plan, badChoice(badInput(err))
	}
	if len(choice.HumanAsMetric) == 0 {
		if err := m.HasMetrics(); err != nil {
			return data, plan, badInput(err)
		}
	}
	data, err = m.Read(ctx, plan.Humans[1:], plan.Metrics, say)
	data.Humans = slices.Concat(judges, data.Humans)
	return data, plan, badInput(err)
}

// evaluate evaluates the metrics of a plan and prints which ones are left out.
func (a *App) evaluate(ctx context.Context, data metaeval.Data, plan metaeval.Plan, task metaeval.Task) (metaeval.Report, error) {
	task = task.WithPlan(plan)
	a.noteReferences(plan)
	p := a.NewProgress()
	var mu sync.Mutex
	task.Progress = func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		p.Say("evaluating: %d %%", 100*done/max(1, total))
	}
	p.Say("evaluating: 0 %%")
	report, err := metaeval.Evaluate(ctx, data, task)
	p.Clear()
	if err != nil {
		return report, badChoice(err)
	}
	if len(report.Systems) == 0 {
		return report, api.CheckEvaluated(task, report)
	}
	for _, n := range report.NoSystem {
		fmt.Fprintf(a.Stderr, "annotate: %v; --include-reference %s would judge it\n", n, shellWord(n.Reference))
	}
	for _, left := range report.LeftOut {
		a.noteLeftOut(left, report)
	}
	if task.ByDomain {
		a.noteDomains(report)
	}
	return report, api.CheckEvaluated(task, report)
}

// noteLeftOut names a metric that is left out, and the flags that would keep it.
func (a *App) noteLeftOut(left metaeval.LeftOut, report metaeval.Report) {
	if len(left.Systems) == len(report.Systems) {
		fmt.Fprintf(a.Stderr, "annotate: %s is left out: it has no scores of any system\n", left.Metric)
		return
	}
	systems, flags := "system", ""
	if len(left.Systems) > 1 {
		systems = "systems"
	}
	for _, name := range left.Systems {
		flags += " --exclude-system " + shellWord(name)
	}
	fmt.Fprintf(
		a.Stderr, "annotate: %s is left out: it has no scores of %s %s;%s would keep it\n", left.Metric, systems,
		strings.Join(left.Systems, ", "),
		flags,
	)
}

// noteReferences prints what is left out or doubtful because of references, and the flags
// that would change it.
func (a *App) noteReferences(plan metaeval.Plan) {
	for _, note := range plan.Notes() {
		fmt.Fprintf(a.Stderr, "annotate: %s\n", note)
	}
	if plan.SkipsOthers() {
		fmt.Fprintln(a.Stderr, "annotate: --reference NAME, --all-references or --metric NAME would take metrics of other references")
	}
}

// noteDomains prints how many segments have no domain.
func (a *App) noteDomains(r metaeval.Report) {
	switch {
	case len(r.Domains) == 0:
		fmt.Fprintln(a.Stderr, "annotate: --by-domain: no segment has a domain; there are no tables by domain")
	case r.NoDomain > 0:
		fmt.Fprintf(
			a.Stderr, "annotate: --by-domain: %s left out of the tables by domain\n",
			wording.Counted(r.NoDomain, "segment has no domain and is", "segments have no domain and are"),
		)
	}
}

// badInput turns a problem in a file into a [UsageError].
func badInput(err error) error {
	if _, ok := errors.AsType[*campaign.Problem](err); ok {
		return &UsageError{Err: err}
	}
	return err
}

// badChoice turns a name that does not exist into a [UsageError] that names the flag.
func badChoice(err error) error {
	if many, ok := errors.AsType[*metaeval.TooManyError](err); ok {
		return Usage("--significance: %w with --metric", many)
	}
	choice, ok := errors.AsType[*metaeval.ChoiceError](err)
	if !ok {
		return err
	}
	return Usage("--%s: %w", choice.Field, err)
}

// shellWord quotes a name for a shell if that is necessary.
func shellWord(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:/@%", r)
	}) {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}
