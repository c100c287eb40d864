package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/metaeval"
	"annotate/internal/stat"
	"annotate/internal/store"
	"annotate/internal/wording"
)

// A Judging is a planned evaluation of the metrics of a campaign with its own human scores.
type Judging struct {
	Slug   string
	Plan   metaeval.Plan
	Task   metaeval.Task
	source *evaluation.Source
}

// PlanJudging checks the choice against the names of a campaign before the campaign is read. The error is a
// *[metaeval.ChoiceError] or a *[campaign.InvalidError] if the choice does not fit.
func PlanJudging(ctx context.Context, st *store.Store, c campaign.Campaign, choice metaeval.Choice, task metaeval.Task) (j Judging, err error) {
	source, err := evaluation.Open(ctx, st, c)
	if err != nil {
		return j, err
	}
	if len(source.Humans) == 0 {
		return j, campaign.Invalid(
			"",
			"there are no human scores to judge metrics by: no segment is in gold, and no averages were imported; import ratings, or wait until segments are rated",
		)
	}
	plan, err := source.Plan(choice)
	if err != nil {
		return j, err
	}
	task.Preset = cmp.Or(task.Preset, source.Preset())
	return Judging{c.Slug, plan, task, source}, nil
}

// Read reads the scores that the plan needs, and says what it leaves out. read is called with the number of segments read so far.
func (j Judging) Read(ctx context.Context, read func(segments int)) (data metaeval.Data, notes []string, err error) {
	data, notes, err = j.source.Read(ctx, j.Plan, read)
	if err != nil {
		return data, nil, err
	}
	switch none := len(data.Metrics)+len(j.Plan.HumanAsMetric) == 0; {
	case none && slices.ContainsFunc(j.Plan.Metrics, j.source.Imported):
		err = campaign.Invalid("", "no metric is left to judge; import the scores that are missing, or leave out systems with --exclude-system")
	case none:
		err = campaign.Invalid("", "no metric to judge: import scores, or references that BLEU and chrF can compare with")
	}
	return data, notes, err
}

// Metaevals are evaluations of several campaigns, with the meta score over all of them.
type Metaevals struct {
	Campaigns []Metaeval  `json:"campaigns"`
	Meta      []MetaScore `json:"meta"`
	// Significance tests the meta score over all campaigns.
	Significance []MetaevalTest `json:"significance,omitempty"`
}

// A MetaScore is the meta score of a metric.
type MetaScore struct {
	Name string `json:"name"`
	Meta Number `json:"meta"`
	Rank int    `json:"rank,omitempty"` // the number of the cluster; 0 without significance tests
	// Interval has the lower and the upper bound of meta.
	Interval *[2]Number `json:"interval,omitempty"`
}

// MetaevalsOf returns reports on several campaigns as they are written.
func MetaevalsOf(reports []metaeval.Report, details bool) Metaevals {
	out := Metaevals{Campaigns: []Metaeval{}, Meta: []MetaScore{}}
	for _, r := range reports {
		out.Campaigns = append(out.Campaigns, MetaevalOf(r, details))
	}
	overall, test := metaeval.Overall(reports)
	for _, o := range overall {
		m := MetaScore{Name: o.Name, Meta: Number(o.Meta)}
		if test != nil {
			m.Rank = o.Rank
		}
		if o.Interval.Resamples > 0 {
			m.Interval = boundsOf(o.Interval)
		}
		out.Meta = append(out.Meta, m)
	}
	if test != nil {
		out.Significance = testsOf([]metaeval.Test{*test})
	}
	return out
}

// A Metaeval is an evaluation of the metrics of a campaign.
type Metaeval struct {
	LanguagePair string                    `json:"language_pair"`
	Human        string                    `json:"human"`
	Preset       metaeval.Preset           `json:"preset"`
	Seed         uint64                    `json:"seed"`
	Permutations int                       `json:"permutations"`
	Resamples    int                       `json:"resamples,omitempty"` // of the intervals
	Average      string                    `json:"average,omitempty"`   // how segment-level pearson, spearman and kendall are averaged; empty if pooled
	Systems      []string                  `json:"systems"`
	Segments     int                       `json:"segments"`
	Metrics      []MetaevalResult          `json:"metrics"`
	Domains      map[string]MetaevalDomain `json:"domains"`
	Significance []MetaevalTest            `json:"significance,omitempty"`
	Williams     []MetaevalTest            `json:"williams,omitempty"`
	Details      *MetaevalDetails          `json:"details,omitempty"`
}

type MetaevalDomain struct {
	Segments     int              `json:"segments"`
	Metrics      []MetaevalResult `json:"metrics"`
	Significance []MetaevalTest   `json:"significance,omitempty"`
}

type MetaevalResult struct {
	Name          string `json:"name"`
	Group         string `json:"group,omitempty"`
	LowerIsBetter bool   `json:"lower_is_better,omitempty"` // the scores are negated
	ComparedWith  string `json:"compared_with,omitempty"`   // "others" for an annotator
	System        struct {
		Acc      Number `json:"acc"`
		Pearson  Number `json:"pearson"`
		Spearman Number `json:"spearman"`
		Kendall  Number `json:"kendall"`
		SPA      Number `json:"spa"`
	} `json:"system"`
	Segment struct {
		AccT       Number `json:"acc_t"`
		Epsilon    Number `json:"epsilon"`
		AccTPooled Number `json:"acc_t_pooled"`
		Pearson    Number `json:"pearson"`
		Spearman   Number `json:"spearman"`
		Kendall    Number `json:"kendall"`
	} `json:"segment"`
	Meta Number `json:"meta"`
	Rank Number `json:"rank"` // undefined if there is none
	// Intervals are the lower and the upper bound of each statistic, such as system_acc and segment_acc_t.
	Intervals map[string][2]Number `json:"intervals,omitempty"`
}

// MetaevalTest has p-values: p[i][j], for i < j, is that of the hypothesis that metrics[i]
// is no better than metrics[j].
type MetaevalTest struct {
	Statistic string     `json:"statistic"`
	Metrics   []string   `json:"metrics"`
	Clusters  []int      `json:"clusters"`
	P         [][]Number `json:"p"`
}

// MetaevalOf returns a report on metrics as it is written; details adds its further tables.
func MetaevalOf(r metaeval.Report, details bool) Metaeval {
	out := Metaeval{
		LanguagePair: r.LanguagePair, Human: r.Human, Preset: r.Preset, Seed: r.Seed, Permutations: r.Permutations, Resamples: r.Resamples,
		Systems: append([]string{}, r.Systems...), Segments: r.Segments,
		Domains: map[string]MetaevalDomain{}, Significance: testsOf(r.Tests), Williams: testsOf(r.Williams),
	}
	if r.Average != metaeval.Pooled {
		out.Average = r.Average.String()
	}
	if details {
		out.Details = detailsOf(r)
	}
	columns := r.Tables()[0].Columns
	out.Metrics = resultsOf(r.Metrics, columns)
	for _, d := range r.Domains {
		out.Domains[d.Domain] = MetaevalDomain{d.Segments, resultsOf(d.Metrics, columns), testsOf(d.Tests)}
	}
	return out
}

// boundsOf returns the bounds of an interval.
func boundsOf(in stat.Interval) *[2]Number { return &[2]Number{Number(in.Low), Number(in.High)} }

// resultsOf returns results as they are written. columns are those of their intervals.
func resultsOf(results []metaeval.Result, columns []metaeval.Column) []MetaevalResult {
	out := make([]MetaevalResult, len(results))
	for i, r := range results {
		o := &out[i]
		o.Name, o.Meta, o.Rank = r.Name, Number(r.Meta), Number(r.Rank)
		if r.Rank == 0 {
			o.Rank = Number(math.NaN())
		}
		if r.Others {
			o.ComparedWith = "others"
		}
		o.LowerIsBetter, o.Group = r.LowerIsBetter, r.Group
		for k, in := range r.Intervals {
			if o.Intervals == nil {
				o.Intervals = map[string][2]Number{}
			}
			o.Intervals[columns[k].Key()] = *boundsOf(in)
		}
		o.System.Acc, o.System.Pearson, o.System.Spearman = Number(r.System.Acc), Number(r.System.Pearson), Number(r.System.Spearman)
		o.System.Kendall, o.System.SPA = Number(r.System.Kendall), Number(r.System.SPA)
		o.Segment.AccT, o.Segment.Epsilon, o.Segment.AccTPooled = Number(r.Segment.AccT), Number(r.Segment.Epsilon), Number(r.Segment.AccTPooled)
		o.Segment.Pearson, o.Segment.Spearman, o.Segment.Kendall = Number(r.Segment.Pearson), Number(r.Segment.Spearman), Number(r.Segment.Kendall)
	}
	return out
}

func testsOf(tests []metaeval.Test) []MetaevalTest {
	var out []MetaevalTest
	for _, t := range tests {
		o := MetaevalTest{Statistic: t.Statistic, Metrics: append([]string{}, t.Metrics...), Clusters: []int{}, P: [][]Number{}}
		for i, name := range t.Metrics {
			o.Clusters = append(o.Clusters, t.Clusters[name])
			row := make([]Number, len(t.P[i]))
			for j, p := range t.P[i] {
				row[j] = Number(p)
			}
			o.P = append(o.P, row)
		}
		out = append(out, o)
	}
	return out
}

// MetaevalDetails has the further tables of a report on metrics.
type MetaevalDetails struct {
	SystemScores []SystemScores   `json:"system_scores"`
	Rescaled     []RescaledErrors `json:"rescaled_errors"`
	Lengths      []LengthResults  `json:"lengths"` // null if the lengths of the sources are unknown
}

// SystemScores has the scores of a system. They are never negated.
type SystemScores struct {
	System  string            `json:"system"`
	Human   Number            `json:"human"`
	Metrics map[string]Number `json:"metrics"`
}

// RescaledErrors are the errors of a metric in [0, 1]; see [metaeval.RescaledErrors].
type RescaledErrors struct {
	Name string `json:"name"`
	MAE  Number `json:"mae"`
	MSE  Number `json:"mse"`
	// The lower and the upper bounds of both, if the report has intervals.
	MAEInterval *[2]Number `json:"mae_interval,omitempty"`
	MSEInterval *[2]Number `json:"mse_interval,omitempty"`
}

// LengthResults is a group of segments whose sources have From to To tokens.
type LengthResults struct {
	Name     string        `json:"name"`
	From     int           `json:"from"`
	To       *int          `json:"to"` // null if there is no upper limit
	Segments int           `json:"segments"`
	Metrics  []LengthStats `json:"metrics"`
}

type LengthStats struct {
	Name     string `json:"name"`
	Kendall  Number `json:"kendall"`
	Spearman Number `json:"spearman"`
	// The lower and the upper bounds of both, if the report has intervals.
	KendallInterval  *[2]Number `json:"kendall_interval,omitempty"`
	SpearmanInterval *[2]Number `json:"spearman_interval,omitempty"`
}

func detailsOf(r metaeval.Report) *MetaevalDetails {
	out := &MetaevalDetails{SystemScores: []SystemScores{}, Rescaled: []RescaledErrors{}}
	for i, system := range r.Systems {
		s := SystemScores{system, Number(r.SystemScores[i]), map[string]Number{}}
		for _, m := range r.Metrics {
			s.Metrics[m.Name] = Number(m.SystemScores[i])
		}
		out.SystemScores = append(out.SystemScores, s)
	}
	for _, m := range r.Metrics {
		e := RescaledErrors{Name: m.Name, MAE: Number(m.Segment.MAE), MSE: Number(m.Segment.MSE)}
		if r.Resamples > 0 {
			e.MAEInterval, e.MSEInterval = boundsOf(m.MAEInterval), boundsOf(m.MSEInterval)
		}
		out.Rescaled = append(out.Rescaled, e)
	}
	for i, segments := range r.Lengths {
		g := metaeval.LengthGroups[i]
		l := LengthResults{Name: g.Name, From: g.From, Segments: segments}
		if g.To > 0 {
			l.To = &g.To
		}
		for _, m := range r.Metrics {
			of := m.Lengths[i]
			own := LengthStats{Name: m.Name, Kendall: Number(of.Kendall), Spearman: Number(of.Spearman)}
			if r.Resamples > 0 {
				own.KendallInterval, own.SpearmanInterval = boundsOf(of.KendallInterval), boundsOf(of.SpearmanInterval)
			}
			l.Metrics = append(l.Metrics, own)
		}
		out.Lengths = append(out.Lengths, l)
	}
	return out
}

// EvaluateAll is [Evaluate] for several campaigns, with the tests that all of them together need. Notes about a
// campaign begin with its slug. All campaigns need the same preset.
func EvaluateAll(
	ctx context.Context, st *store.Store, campaigns []campaign.Campaign, choice metaeval.Choice, task metaeval.Task,
	say func(words string, share float64),
) (reports []metaeval.Report, notes []string, err error) {
	task.Joint = len(campaigns) > 1
	for i, c := range campaigns {
		r, own, err := Evaluate(ctx, st, c, choice, task, func(words string, share float64) {
			say(c.Slug+": "+words, (float64(i)+share)/float64(len(campaigns)))
		})
		if err != nil {
			return nil, nil, err
		}
		if i > 0 && r.Preset != reports[0].Preset {
			return nil, nil, campaign.Invalid(
				"preset", fmt.Sprintf("the campaigns are judged by different presets, %s and %s; choose one", reports[0].Preset, r.Preset),
			)
		}
		for _, note := range own {
			notes = append(notes, c.Slug+": "+note)
		}
		reports = append(reports, r)
	}
	return reports, notes, nil
}

// Evaluate judges the metrics of a campaign by its human scores, and says what it leaves out. The error is a
// *[campaign.InvalidError] if the choice does not fit.
func Evaluate(
	ctx context.Context, st *store.Store, c campaign.Campaign, choice metaeval.Choice, task metaeval.Task,
	say func(words string, share float64),
) (r metaeval.Report, notes []string, err error) {
	j, err := PlanJudging(ctx, st, c, choice, task)
	if err != nil {
		return r, nil, invalidChoice(err)
	}
	data, notes, err := j.Read(ctx, func(segments int) { say(wording.Counted(segments, "segment")+" read", 0) })
	if err != nil {
		return r, nil, err
	}
	run := j.Task.WithPlan(j.Plan)
	run.Progress = func(done, total int) { say("evaluating", float64(done)/float64(max(1, total))) }
	if r, err = metaeval.Evaluate(ctx, data, run); err != nil {
		return r, nil, invalidChoice(err)
	}
	notes = append(notes, j.Plan.Notes()...)
	for _, left := range r.LeftOut {
		notes = append(notes, left.Metric+" is left out: it has no scores of "+strings.Join(left.Systems, ", "))
	}
	return r, notes, CheckEvaluated(run, r)
}

// CheckEvaluated returns an error if a report on metrics is of no system or of no metric.
func CheckEvaluated(task metaeval.Task, r metaeval.Report) error {
	switch {
	case len(r.Systems) == 0 && len(task.Exclude) == 0:
		return campaign.Invalid("", "no system is left to evaluate: none has a human score "+task.Human)
	case len(r.Systems) == 0:
		return campaign.Invalid("", "no system is left to evaluate: none that is not excluded has a human score "+task.Human)
	case len(r.Metrics) == 0:
		return campaign.Invalid("", fmt.Sprintf("no metric has scores of all %d systems: %s", len(r.Systems), strings.Join(r.Systems, ", ")))
	}
	return nil
}

// choiceFields are the names of the fields of a choice in requests.
var choiceFields = map[metaeval.Field]string{
	metaeval.HumanField: "human", metaeval.HumanAsMetricField: "human_as_metric", metaeval.MetricsField: "metrics",
	metaeval.ExcludeField: "exclude_systems", metaeval.ReferenceField: "reference", metaeval.IncludeField: "include_references",
}

// invalidChoice turns the error of a choice into one that names the field of a request.
func invalidChoice(err error) error {
	if many, ok := errors.AsType[*metaeval.TooManyError](err); ok {
		return campaign.Invalid("significance", many.Error()+" with metrics")
	}
	if choice, ok := errors.AsType[*metaeval.ChoiceError](err); ok {
		return campaign.Invalid(choiceFields[choice.Field], choice.Error())
	}
	return err
}
