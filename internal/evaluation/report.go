package evaluation

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/judge"
	"annotate/internal/metaeval"
	"annotate/internal/metric"
	"annotate/internal/records"
	"annotate/internal/report"
	"annotate/internal/store"
)

// A ReportTask describes the report to compute.
type ReportTask struct {
	Campaign campaign.Campaign
	Beside   []campaign.Campaign // the campaigns of Choices.Beside, in their order
	Choices  Choices
	Now      func() time.Time // nil: time.Now
	// Progress, if set, is called with a description of the current step and the share
	// of all work that is done. Several goroutines call it, one at a time.
	Progress func(words string, share float64)

	mu sync.Mutex
}

// intervalResamples is how many resamples the intervals of metrics are made of.
const intervalResamples = 1000

// attempts is how often [ComputeReport] tries to read a campaign that changes
// meanwhile.
const attempts = 3

// ComputeReport reads the campaign and computes its report. It reads segments, decisions and
// metrics one after the other. If the campaign changes meanwhile, it starts again. If
// the campaign changes during every attempt, the stamp of the report has the state
// before the last attempt, so that the report counts as out of date.
//
// The error is that of the database or of ctx, or a *[campaign.InvalidError] if the
// choices name something that does not exist.
func ComputeReport(ctx context.Context, st *store.Store, t *ReportTask) (report.Report, error) {
	for attempt := 1; ; attempt++ {
		before, err := ReportState(ctx, st, t.Campaign, t.Beside)
		if err != nil {
			return report.Report{}, err
		}
		c, err := st.Records.Campaign(ctx, t.Campaign.Slug) // its settings may have changed
		if err != nil {
			return report.Report{}, err
		}
		t.Campaign = c
		r, err := t.computeOnce(ctx, st, before)
		if err != nil {
			return report.Report{}, err
		}
		after, err := ReportState(ctx, st, t.Campaign, t.Beside)
		if err != nil || after == before || attempt == attempts {
			return r, err
		}
	}
}

func (t *ReportTask) computeOnce(ctx context.Context, st *store.Store, state string) (report.Report, error) {
	readings, err := t.plans(ctx, st)
	if err != nil {
		return report.Report{}, err
	}
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	total, err := segments(ctx, st, t.Campaign)
	if err != nil {
		return report.Report{}, err
	}
	done, err := st.Desk.Interventions(ctx, t.Campaign.ID)
	if err != nil {
		return report.Report{}, err
	}
	c := t.Campaign
	c.Settings.Pseudonyms = t.Choices.For(c).Pseudonyms == "yes"
	people, err := st.Accounts.PseudonymsOf(ctx, c)
	if err != nil {
		return report.Report{}, err
	}
	flagged, err := flagged(ctx, st, c, people)
	if err != nil {
		return report.Report{}, err
	}
	checked, err := checked(ctx, st, c, people)
	if err != nil {
		return report.Report{}, err
	}
	judges, calls, err := t.judges(ctx, st)
	if err != nil {
		return report.Report{}, err
	}
	var sides []report.Side
	for i, r := range readings {
		if len(readings) > 1 {
			sides = append(sides, report.Side{Label: r.campaign.Slug, Campaign: r.campaign, Segments: t.segments(ctx, st, readings, i)})
		}
	}
	chain, err := stagesOf(ctx, st, c)
	if err != nil {
		return report.Report{}, err
	}
	var notes []string
	r, err := report.Compute(ctx, report.Input{
		Campaign: c, Interventions: people.Interventions(done), Flagged: flagged, Checked: checked, Judges: judges, AgentCalls: calls,
		Segments: people.Segments(t.segments(ctx, st, readings, 0)), Sides: sides, Chain: chain,
		Metrics: func(context.Context) (all []report.Evaluation, err error) {
			for _, r := range readings {
				if r.evaluated != nil {
					all = append(all, *r.evaluated)
				}
				notes = append(notes, r.notes...)
			}
			return all, nil
		},
		Options: report.Options{
			Program: Program(),
			Now:     now(),
			State:   state,
			Seed:    metaeval.DefaultSeed,
			Gold:    t.Choices.Gold,
			Prices:  t.Choices.Prices,
			Systems: t.Choices.Systems,
			ByGroup: t.Choices.ByGroup,
			Progress: func(read int) {
				switch {
				case read < 0:
					t.say("counting", .9)
				case read%200 == 0:
					t.say(fmt.Sprintf("reading ratings: %d of %d segments", read, total), t.share(len(readings), 0, .5*float64(read)/float64(max(read, total))))
				}
			},
		},
	})
	if err != nil {
		return report.Report{}, err
	}
	for i := range r.Sections {
		if r.Sections[i].ID == report.MetricsSection {
			r.Sections[i].Paragraphs = append(r.Sections[i].Paragraphs, notes...)
		}
	}
	return r, nil
}

// stagesOf returns the campaigns of the chain that ends with c, beginning with the first. It returns nil if c
// rates translations and follows no campaign.
func stagesOf(ctx context.Context, st *store.Store, c campaign.Campaign) ([]report.Stage, error) {
	chain, err := st.Records.Chain(ctx, c)
	if err != nil || len(chain) < 2 && !c.Rules.OfSegments() {
		return nil, err
	}
	stages := make([]report.Stage, len(chain))
	for i, k := range chain {
		stage := report.Stage{Campaign: k, Segments: st.Records.Segments(ctx, k, records.Texts|records.Ratings|records.Agreement)}
		if stage.LeftOut, err = st.Desk.FilteredOut(ctx, k); err != nil {
			return nil, err
		}
		if i > 0 {
			if stage.Next, stage.Taken, err = st.Records.TakenOver(ctx, chain[i-1], k); err != nil {
				return nil, err
			}
		}
		stages[len(chain)-1-i] = stage
	}
	return stages, nil
}

func (t *ReportTask) say(words string, share float64) {
	if t.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Progress(words, share)
}

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
		shared = &counted{seed: maphash.MakeSeed(), known: map[uint64][]metric.Counts{}}
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
			r.reader.table.built.counted = shared
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
	if r.reader != nil && r.reader.table.built.counted != nil {
		r.reader.table.built.counted.closed = true
	}
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
		task.Intervals = intervalResamples
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
	task.Significance, task.ByDomain, task.Intervals, task.Progress = false, false, 0, nil
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

// judges returns the line about each judge of the campaigns, and the calls of sub-agents of those that have any. If there are
// several campaigns, the names of judges have the label of their campaign.
func (t *ReportTask) judges(ctx context.Context, st *store.Store) (all []campaign.JudgeAbout, calls []report.AgentCalls, err error) {
	campaigns := append([]campaign.Campaign{t.Campaign}, t.Beside...)
	for _, c := range campaigns {
		judges, err := st.Records.JudgesAbout(ctx, c.ID)
		if err != nil {
			return nil, nil, err
		}
		rounds, err := subAgentRounds(ctx, st, c)
		if err != nil {
			return nil, nil, err
		}
		for _, j := range judges {
			own := rounds[j.Judge]
			if len(campaigns) > 1 {
				j.Judge = label(c, campaigns) + ": " + j.Judge
			}
			all = append(all, j)
			if own != nil {
				calls = append(calls, report.AgentCalls{Judge: j.Judge, Rounds: own})
			}
		}
	}
	return all, calls, nil
}

// subAgentRounds counts the calls of sub-agents by judge, agent and round.
func subAgentRounds(ctx context.Context, st *store.Store, c campaign.Campaign) (map[string]map[string]map[float64]int, error) {
	counts := map[string]map[string]map[float64]int{}
	err := st.Records.EachTrace(ctx, c.ID, judge.RATEAgent, func(name string, trace []campaign.TraceCall) error {
		steps := make([]string, len(trace))
		for i, call := range trace {
			steps[i] = call.Step
		}
		for _, call := range judge.SubAgentCalls(steps) {
			agents := counts[name]
			if agents == nil {
				agents = map[string]map[float64]int{}
				counts[name] = agents
			}
			if agents[call.Agent] == nil {
				agents[call.Agent] = map[float64]int{}
			}
			agents[call.Agent][float64(call.Round)]++
		}
		return nil
	})
	return counts, err
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
	return plan, "", campaign.Invalid(choiceField[wrong.Field], wrong.Error())
}

// choiceField maps the field of a *[metaeval.ChoiceError] to a key of the query.
var choiceField = map[metaeval.Field]string{
	metaeval.HumanField: "human", metaeval.ExcludeField: "exclude-system", metaeval.ReferenceField: "reference", metaeval.IncludeField: "include-reference",
}

// label returns the name of a campaign in tables that show several campaigns.
func label(c campaign.Campaign, all []campaign.Campaign) string {
	pair := c.LanguagePair()
	for _, other := range all {
		if other.ID != c.ID && other.LanguagePair() == pair {
			return c.Slug
		}
	}
	return cmp.Or(pair, c.Slug)
}

// flagged lists the annotators who have flags.
func flagged(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms) ([]report.Flagged, error) {
	p, err := st.Desk.Progress(ctx, c)
	var out []report.Flagged
	for _, a := range p.Annotators {
		if len(a.Flags) > 0 {
			out = append(out, report.Flagged{Annotator: people.Login(a.User.Login), Flags: a.Flags})
		}
	}
	slices.SortFunc(out, func(a, b report.Flagged) int { return strings.Compare(a.Annotator, b.Annotator) })
	return out, err
}

// checked lists the annotators who have taken checks.
func checked(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms) ([]report.Checked, error) {
	judged, err := st.Desk.JudgedChecks(ctx, c)
	var out []report.Checked
	for _, a := range judged {
		out = append(out, report.Checked{Annotator: people.Login(a.Login), Results: a.Results})
	}
	slices.SortFunc(out, func(a, b report.Checked) int { return strings.Compare(a.Annotator, b.Annotator) })
	return out, err
}

func segments(ctx context.Context, st *store.Store, c campaign.Campaign) (n int, err error) {
	p, err := st.Desk.Progress(ctx, c)
	for _, count := range p.Segments {
		n += count
	}
	return n, err
}

// ReportState returns a text that identifies the state of the data of a report. It changes
// with the data of the campaign and of the campaigns beside it.
func ReportState(ctx context.Context, st *store.Store, c campaign.Campaign, beside []campaign.Campaign) (string, error) {
	var parts []string
	chain, err := st.Records.Chain(ctx, c)
	if err != nil {
		return "", err
	}
	for _, c := range slices.Concat([]campaign.Campaign{c}, beside, chain[1:]) {
		state, err := st.Desk.ReportState(ctx, c.ID)
		if err != nil {
			return "", err
		}
		if len(parts) > 0 {
			state = c.Slug + ":" + state
		}
		parts = append(parts, state)
	}
	return strings.Join(parts, " "), nil
}

// KeepReport stores a report of a campaign. It replaces the stored report with the same
// choices.
func KeepReport(ctx context.Context, st *store.Store, c campaign.Campaign, choices Choices, r report.Report) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := gob.NewEncoder(z).Encode(r); err != nil {
		return fmt.Errorf("store the report of %s: %w", c.Slug, err)
	}
	if err := z.Close(); err != nil {
		return err
	}
	return st.Desk.KeepReport(
		ctx, c.ID,
		desk.KeptReport{Choices: choices.Key(), State: r.Stamp.State, Program: r.Stamp.Program, ComputedAt: r.Stamp.ComputedAt, Body: b.Bytes()},
	)
}

// KeptReport returns the stored report of a campaign for the choices. The error is
// ErrNotFound if there is none, or if another version of the program stored it in a
// form that this one cannot read.
func KeptReport(ctx context.Context, st *store.Store, c campaign.Campaign, choices Choices) (report.Report, error) {
	var r report.Report
	kept, err := st.Desk.KeptReport(ctx, c.ID, choices.Key())
	if err != nil {
		return r, err
	}
	z, err := gzip.NewReader(bytes.NewReader(kept.Body))
	if err == nil {
		err = gob.NewDecoder(z).Decode(&r)
	}
	if err != nil {
		return report.Report{}, fmt.Errorf("the stored report of %s can't be read (%v): %w", c.Slug, err, campaign.ErrNotFound)
	}
	return r, nil
}

// Program returns the name of this program and the version that Go recorded when it built the
// program: the tag, or "(devel)" and the commit if it is known.
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "annotate (devel)"
	}
	v := "annotate " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && info.Main.Version == "(devel)" {
			v += " " + s.Value
		}
	}
	return v
}
