package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/records"
	"annotate/internal/report"
	"annotate/internal/stat"
	"annotate/internal/store"
)

// A reading is a campaign whose segments are read once, for the report and for its metrics.
type reading struct {
	campaign campaign.Campaign
	plan     metaeval.Plan
	reader   *Reader // nil if no metric can be evaluated
	obstacle string  // why no metric can be evaluated
	preset   metaeval.Preset

	// Once the segments are read:
	evaluated *report.Evaluation // nil if no metric can be evaluated
	notes     []string           // why no metric can be evaluated, or what was left out
}

// plans prepares the reading of each campaign.
func (t *ReportTask) plans(ctx context.Context, st *store.Store) (all []*reading, err error) {
	preset := t.Choices.Preset
	var shared *counted
	if len(t.Beside) > 0 {
		shared = newCounted()
	}
	for i, c := range append([]campaign.Campaign{t.Campaign}, t.Beside...) {
		source, err := Open(ctx, st, c)
		if err != nil {
			return nil, err
		}
		preset = cmp.Or(preset, source.Preset()) // the first campaign's preset applies to all
		r := &reading{campaign: c, preset: preset}
		if r.plan, r.obstacle, err = t.plan(source, i == 0); err != nil {
			return nil, err
		}
		if r.obstacle == "" {
			r.reader = source.Reader(r.plan)
			r.reader.share(shared, i == 0)
		}
		all = append(all, r)
	}
	return all, nil
}

// segments yields the segments of the campaign with the number i and adds each to the reader of its metrics. After the last it evaluates
// the metrics, so that only the scores of one campaign are in memory.
func (t *ReportTask) segments(ctx context.Context, st *store.Store, readings []*reading, i int) iter.Seq2[campaign.Segment, error] {
	return func(yield func(campaign.Segment, error) bool) {
		r := readings[i]
		parts := records.Everything
		if i == 0 {
			parts |= records.Agreement
		}
		for seg, err := range st.Records.Segments(ctx, r.campaign, parts) {
			if err == nil && r.reader != nil {
				r.reader.Add(seg)
			}
			if !yield(seg, err) || err != nil {
				return
			}
		}
		if err := t.evaluate(ctx, readings, i); err != nil {
			yield(campaign.Segment{}, err)
		}
		r.reader = nil
	}
}

// evaluate evaluates the metrics of the campaign with the number i, whose segments have been read. Notes say why metrics
// cannot be evaluated.
func (t *ReportTask) evaluate(ctx context.Context, readings []*reading, i int) error {
	r := readings[i]
	slug := r.campaign.Slug
	note := func(form string, words ...any) { r.notes = append(r.notes, fmt.Sprintf(form, words...)) }
	if r.reader == nil {
		note("The metrics of campaign %s are not judged: %s.", slug, r.obstacle)
		return nil
	}
	data, leftOut, err := r.reader.Data(ctx)
	if err != nil {
		return err
	}
	task := metaeval.Task{
		Preset:       r.preset,
		ByDomain:     true,
		Significance: t.Choices.Significance,
		Joint:        len(readings) > 1,
		Permutations: metaeval.DefaultPermutations,
		Seed:         metaeval.DefaultSeed,
		Progress: func(done, all int) {
			t.say("judging metrics of "+slug, t.share(len(readings), i, .5+.5*float64(done)/float64(max(all, 1))))
		},
	}.WithPlan(r.plan)
	if t.Choices.Intervals {
		task.Intervals = stat.Resamples
	}
	judged, err := metaeval.Evaluate(ctx, data, task)
	if many, ok := errors.AsType[*metaeval.TooManyError](err); ok {
		note("The differences between metrics of %s are not tested: %s with annotate metaeval --metric.", slug, many)
		task.Significance = false
		judged, err = metaeval.Evaluate(ctx, data, task)
	}
	if choice, ok := errors.AsType[*metaeval.ChoiceError](err); ok {
		note("The metrics of %s cannot be judged: %s.", slug, choice)
		return nil
	}
	if err != nil {
		return err
	}
	classes, err := t.classes(ctx, data, task)
	if err != nil {
		return err
	}
	var variants []report.Variant
	if t.Choices.Sensitivity {
		if variants, err = t.variants(ctx, data, task); err != nil {
			return err
		}
	}
	var campaigns []campaign.Campaign
	for _, other := range readings {
		campaigns = append(campaigns, other.campaign)
	}
	r.evaluated = &report.Evaluation{
		Label:       label(r.campaign, campaigns),
		Report:      judged,
		Classes:     classes,
		Sensitivity: variants,
		Notes:       slices.Concat(r.plan.Notes(), leftOut, []string{r.reader.table.built.tokenizer(data)}),
	}
	if i == 0 && r.campaign.Rules.Given != "" && r.reader.OfGold() {
		r.evaluated.SegmentScores = data.Metrics
	}
	return nil
}

// share returns the share of all work that is done, given the share that is done of campaign i. The report
// itself is a tenth of all work.
func (t *ReportTask) share(campaigns, i int, done float64) float64 {
	return .9 * (float64(i) + done) / float64(campaigns)
}

// classes evaluates the metrics among the systems of each class that has at least two systems with scores.
func (t *ReportTask) classes(ctx context.Context, data metaeval.Data, task metaeval.Task) (all []report.ClassEvaluation, err error) {
	classes := report.Classes(t.Choices.Systems)
	task.Significance, task.ByDomain, task.Progress = false, false, nil
	data.Lengths = nil // no table has classes by length
	left := task.Exclude
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		task.Exclude = slices.Clone(left)
		for _, system := range data.Systems {
			if !slices.Contains(classes[class], system) && !slices.Contains(task.Exclude, system) {
				task.Exclude = append(task.Exclude, system)
			}
		}
		if len(data.Systems)-len(task.Exclude) < 2 {
			continue
		}
		judged, err := metaeval.Evaluate(ctx, data, task)
		if _, ok := errors.AsType[*metaeval.ChoiceError](err); ok {
			continue // the metrics have no scores of these systems
		}
		if err != nil {
			return nil, err
		}
		all = append(all, report.ClassEvaluation{Class: class, Metrics: judged.Metrics})
	}
	return all, nil
}

// variants evaluates the metrics by other presets, by other human scores, and without each system.
func (t *ReportTask) variants(ctx context.Context, data metaeval.Data, task metaeval.Task) (all []report.Variant, err error) {
	task.Significance, task.ByDomain, task.Intervals, task.Progress = false, false, 0, nil
	add := func(kind report.VariantKind, name string, change func(*metaeval.Task)) {
		other := task
		change(&other)
		judged, bad := metaeval.Evaluate(ctx, data, other)
		if _, ok := errors.AsType[*metaeval.ChoiceError](bad); ok || err != nil {
			return // the choice leaves nothing to evaluate
		}
		if err = bad; err == nil {
			all = append(all, report.Variant{Kind: kind, Name: name, Metrics: judged.Metrics})
		}
	}
	for _, preset := range metaeval.Presets {
		if preset != task.Preset {
			add(report.OtherPreset, string(preset), func(o *metaeval.Task) { o.Preset = preset })
		}
	}
	for _, human := range data.Humans {
		if human.Name != task.Human {
			add(report.OtherHuman, human.Name, func(o *metaeval.Task) { o.Human = human.Name })
		}
	}
	for _, system := range data.Judged(task.Human) {
		if !slices.Contains(task.Exclude, system) {
			add(report.WithoutSystem, system, func(o *metaeval.Task) { o.Exclude = append(slices.Clone(task.Exclude), system) })
		}
	}
	return all, err
}

// plan selects the scores to evaluate in a campaign. obstacle says why none can be
// evaluated yet. In the first campaign all chosen names must exist; otherwise the error
// is a *[campaign.InvalidError]. Other campaigns ignore chosen names that they lack.
func (t *ReportTask) plan(source *Source, first bool) (plan metaeval.Plan, obstacle string, err error) {
	choice := metaeval.Choice{
		Human:         t.Choices.Human,
		Exclude:       t.Choices.Exclude,
		Include:       t.Choices.Include,
		Reference:     t.Choices.Reference,
		AllReferences: t.Choices.AllReferences,
	}
	if !first {
		choice = source.Known(choice)
	}
	if len(source.Humans) == 0 && choice.Human == "" {
		return plan, "there is no human score to judge by yet", nil
	}
	plan, err = source.Plan(choice)
	if err == nil && t.Choices.Sensitivity {
		for _, name := range source.Humans {
			if source.human(name).annotator == "" && !slices.Contains(plan.Humans, name) {
				plan.Humans = append(plan.Humans, name)
			}
		}
	}
	wrong, ok := errors.AsType[*metaeval.ChoiceError](err)
	switch {
	case !ok:
		return plan, "", err
	case wrong.Name == "":
		return plan, fmt.Sprintf("it has several human scores, %s, and one has to be chosen to judge by", strings.Join(wrong.Known, ", ")), nil
	}
	return plan, "", campaign.Invalid(string(wrong.Field), wrong.Error())
}
