package metaeval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"annotate/internal/stat"
)

// A Task says what is asked of [Data]. Its zero value evaluates all metrics
// against the only human score.
type Task struct {
	Human         string   // the human score to judge by; empty: the only one
	HumanAsMetric []string // other human scores, judged like metrics
	Metrics       []string // by name, or by the part of it before the last "-"; empty: all
	Exclude       []string // systems left out
	Preset        Preset   // empty: WMT23
	ByDomain      bool
	Significance  bool
	Williams      bool // test differences of Pearson's r of systems
	// Average says of what the segment-level Pearson, Spearman and Kendall are: of all
	// translations pooled, or the mean by item or by system. The meta score and the
	// significance tests keep to the pooled ones.
	Average      Grouping
	Permutations int // sign flips and resamplings; 0: DefaultPermutations
	Seed         uint64
	// Progress, if set, hears how much of the work is done, from several
	// goroutines; never without any work.
	Progress func(done, total int)
}

// Defaults of mt-metrics-eval.
const (
	DefaultPermutations = 1000
	DefaultSeed         = 4
)

// A Report is the meta-evaluation of a language pair. What is undefined in it
// is NaN.
type Report struct {
	LanguagePair string
	Human        string
	Preset       Preset
	Seed         uint64
	Permutations int
	Systems      []string       // in byte order
	SystemScores []float64      // the human scores of Systems
	Segments     int            // that have a human score
	Lengths      []int          // of Segments, those in each of the LengthGroups; nil: lengths are not known
	Metrics      []Result       // best first
	Domains      []DomainReport // with Task.ByDomain
	NoDomain     int            // with Task.ByDomain: of Segments, those in none
	Tests        []Test         // with Task.Significance: of each part of the meta score and of itself
	Williams     []Test         // with Task.Williams: one, of Pearson's r of systems
	Average      Grouping       // of the segment-level Pearson, Spearman and Kendall
	LeftOut      []LeftOut
}

// A DomainReport is the evaluation of a domain as if it were all there is.
type DomainReport struct {
	Domain   string
	Segments int
	Metrics  []Result
	Tests    []Test
}

// A Result is what is known of a metric.
type Result struct {
	Name          string
	Group         string
	LowerIsBetter bool // its scores were negated
	System        SystemStats
	Segment       SegmentStats
	// SystemScores are the scores of Report.Systems as the metric gives them, not
	// negated.
	SystemScores []float64
	Lengths      []LengthStats // of each of the LengthGroups; nil in domains and where lengths are not known
	Meta         float64
	Rank         int // by Meta, from 1; with significance tests the cluster

	pooledEpsilon float64 // of Segment.AccTPooled
	averaged      bool    // Segment has averages, and pooled the coefficients without groups
	pooled        coefficients
}

type coefficients struct{ pearson, spearman, kendall float64 }

// SystemStats are statistics of the scores of systems.
type SystemStats struct {
	Acc, Pearson, Spearman, Kendall, SPA float64
	Agree, Pairs                         int // Acc is their ratio
}

// SegmentStats are statistics of the scores of translations.
type SegmentStats struct {
	AccT, Epsilon              float64
	AccTPooled                 float64 // only with MENT
	Pearson, Spearman, Kendall float64 // see Task.Average
	MAE, MSE                   float64 // see RescaledErrors; of all translations pooled
}

// LeftOut is a metric that lacks scores of systems.
type LeftOut struct {
	Metric  string
	Systems []string // in byte order
}

// A ChoiceError names something that the data do not have, and what they have.
type ChoiceError struct {
	What  string // "human score", "metric", "system", "reference"
	Name  string // empty: it has to be chosen
	Known []string
}

func (e *ChoiceError) Error() string {
	switch {
	case len(e.Known) == 0 && e.Name == "":
		return "there is no " + e.What
	case len(e.Known) == 0:
		return fmt.Sprintf("there is no %s %q, nor any other", e.What, e.Name)
	case e.Name == "":
		return fmt.Sprintf("there are several %ss; use one of %s", e.What, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("there is no %s %q; use one of %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// Evaluate judges the metrics of the data. The error is a *[ChoiceError] where
// the task names what is not there, or that of ctx.
func Evaluate(ctx context.Context, d Data, t Task) (Report, error) {
	if t.Preset == "" {
		t.Preset = WMT23
	}
	if t.Permutations == 0 {
		t.Permutations = DefaultPermutations
	}
	b, left, err := choose(d, t)
	if err != nil {
		return Report{}, err
	}
	r := Report{
		LanguagePair: d.LanguagePair, Human: b.human.name, Preset: t.Preset,
		Seed: t.Seed, Permutations: t.Permutations, Systems: b.systems, SystemScores: b.human.system, LeftOut: left, Average: t.Average,
	}
	for _, segments := range b.lengths {
		r.Lengths = append(r.Lengths, ratedAmong(b.human.segment, segments))
	}
	if t.Williams {
		r.Williams = []Test{b.williams()}
	}
	boards := []board{b}
	var domains []string
	if t.ByDomain {
		domains = slices.Compact(slices.Sorted(slices.Values(d.Domains)))
		domains = slices.DeleteFunc(domains, func(name string) bool { return name == "" })
		for _, name := range domains {
			boards = append(boards, b.domain(name))
		}
	}
	work := &progress{report: t.Progress}
	for _, b := range boards {
		work.total += int64(b.work(t))
	}
	for i, b := range boards {
		results, tests, err := b.evaluate(ctx, t, work)
		if err != nil {
			return Report{}, err
		}
		if i == 0 {
			r.Segments, r.Metrics, r.Tests = b.rated(), results, tests
			continue
		}
		r.Domains = append(r.Domains, DomainReport{domains[i-1], b.rated(), results, tests})
	}
	if t.ByDomain {
		r.NoDomain = r.Segments
		for _, domain := range r.Domains {
			r.NoDomain -= domain.Segments
		}
	}
	return r, nil
}

// A board is what is evaluated together: the scores of chosen systems.
type board struct {
	systems []string
	domains []string // of each segment
	lengths [][]int  // the segments of each of the LengthGroups; nil: none are told apart
	human   scorer
	metrics []scorer
}

// A scorer has the scores of the systems of a board, in their order.
type scorer struct {
	name     string
	group    string
	lower    bool // its scores were negated
	system   []float64
	segment  [][]float64 // nil: none
	byDomain map[string]map[string]float64
}

// given are the scores of systems as the scorer gives them.
func (s scorer) given() []float64 {
	out := slices.Clone(s.system)
	if s.lower {
		for i := range out {
			out[i] = -out[i]
		}
	}
	return out
}

// choose lays out what the task asks for.
func choose(d Data, t Task) (board, []LeftOut, error) {
	human, err := chooseHuman(d, t.Human)
	if err != nil {
		return board{}, nil, err
	}
	metrics, err := chooseMetrics(d, t)
	if err != nil {
		return board{}, nil, err
	}
	if err := checkSystems(d.Systems, t.Exclude); err != nil {
		return board{}, nil, err
	}
	b := board{domains: d.Domains}
	if d.Lengths != nil {
		b.lengths = byLength(d.Lengths)
	}
	for _, s := range slices.Sorted(slices.Values(d.Systems)) {
		if human.has(s) && !slices.Contains(t.Exclude, s) {
			b.systems = append(b.systems, s)
		}
	}
	b.human = human.on(b.systems, d.Segments)
	var left []LeftOut
	for _, m := range metrics {
		if lacks := m.lacks(b.systems); len(lacks) > 0 {
			left = append(left, LeftOut{m.Name, lacks})
			continue
		}
		b.metrics = append(b.metrics, m.upward().on(b.systems, d.Segments))
	}
	return b, left, nil
}

func chooseHuman(d Data, wanted string) (Scores, error) {
	name, err := matchHuman(names(d.Humans), wanted)
	if err != nil {
		return Scores{}, err
	}
	return d.Humans[slices.IndexFunc(d.Humans, func(s Scores) bool { return s.Name == name })].filled(), nil
}

// filled has for each system that has scores of segments a score of the whole: the
// mean of these, where there is none of its own.
func (s Scores) filled() Scores {
	if s.System == nil {
		return s
	}
	s.System = maps.Clone(s.System)
	for name, row := range s.Segment {
		if v, ok := s.System[name]; !ok || !stat.Defined(v) {
			s.System[name] = stat.Mean(row)
		}
	}
	return s
}

func chooseMetrics(d Data, t Task) ([]Scores, error) {
	chosen, _, err := matchMetrics(names(d.Metrics), t.Metrics)
	if err != nil {
		return nil, err
	}
	var out []Scores
	for _, m := range d.Metrics {
		if slices.Contains(chosen, m.Name) {
			out = append(out, m)
		}
	}
	for i, name := range t.HumanAsMetric {
		if slices.Contains(t.HumanAsMetric[:i], name) {
			continue
		}
		h, err := chooseHuman(d, name)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

func names(scores []Scores) []string {
	out := make([]string, len(scores))
	for i, s := range scores {
		out[i] = s.Name
	}
	return out
}

// has reports whether a system has a score.
func (s Scores) has(system string) bool {
	if v, ok := s.System[system]; ok && stat.Defined(v) {
		return true
	}
	return stat.Defined(stat.Mean(s.Segment[system]))
}

// lacks names the systems without a score at a level that others have one at.
func (s Scores) lacks(systems []string) (names []string) {
	for _, name := range systems {
		v, ok := s.System[name]
		switch {
		case s.System != nil && (!ok || !stat.Defined(v)), s.Segment != nil && !stat.Defined(stat.Mean(s.Segment[name])), !s.has(name):
			names = append(names, name)
		}
	}
	return names
}

// on lays scores out for systems.
func (s Scores) on(systems []string, segments int) scorer {
	out := scorer{name: s.Name, group: s.Group, lower: s.LowerIsBetter, byDomain: s.Domain, system: make([]float64, len(systems))}
	for i, name := range systems {
		v, ok := s.System[name]
		if !ok {
			v = stat.Mean(s.Segment[name])
		}
		out.system[i] = v
	}
	if s.Segment == nil {
		return out
	}
	out.segment = make([][]float64, len(systems))
	for i, name := range systems {
		row := s.Segment[name]
		if row == nil {
			row = slices.Repeat([]float64{missing}, segments)
		}
		if len(row) != segments {
			panic("metaeval: scores of a different number of segments")
		}
		out.segment[i] = row
	}
	return out
}

// domain is the part of the board in a domain.
func (b board) domain(name string) board {
	var segments []int
	for i, d := range b.domains {
		if d == name {
			segments = append(segments, i)
		}
	}
	out := board{systems: b.systems, human: b.human.within(name, b.systems, segments)}
	for _, m := range b.metrics {
		out.metrics = append(out.metrics, m.within(name, b.systems, segments))
	}
	return out
}

func (s scorer) within(domain string, systems []string, segments []int) scorer {
	out := scorer{name: s.name, group: s.group, lower: s.lower, system: make([]float64, len(systems))}
	if s.segment != nil {
		out.segment = columns(s.segment, segments)
	}
	for i, name := range systems {
		v, ok := s.byDomain[domain][name]
		if !ok || !stat.Defined(v) {
			v = missing
			if out.segment != nil {
				v = stat.Mean(out.segment[i])
			}
		}
		out.system[i] = v
	}
	return out
}

// rated is how many segments have a human score.
func (b board) rated() int { return ratedAmong(b.human.segment, indices(width(b.human.segment))) }

// ratedAmong is how many of some segments have a human score.
func ratedAmong(human [][]float64, segments []int) (n int) {
	for _, segment := range segments {
		if slices.ContainsFunc(human, func(row []float64) bool { return stat.Defined(row[segment]) }) {
			n++
		}
	}
	return n
}

// work is how many steps of work there are, of which progress is told.
func (b board) work(t Task) int {
	n := 1 // for soft accuracy
	for _, s := range b.statistics(t) {
		n += s.steps
	}
	n *= len(b.metrics)
	if t.Significance {
		n += testSteps
	}
	return n
}

// A statistic fills in a part of a result. What takes long tells of its steps.
type statistic struct {
	steps   int
	compute func(ctx context.Context, m scorer, r *Result, told *portion) error
}

// pooledSteps are many, since pooled accuracy takes minutes for a large campaign
// where the other statistics take seconds.
const pooledSteps = 100

// statistics are the costly ones first, so that none is left over at the end
// for a single core.
func (b board) statistics(t Task) []statistic {
	var out []statistic
	if t.Preset == MENT {
		out = append(out, statistic{pooledSteps, b.pooledAccuracy})
	}
	correlations := func(_ context.Context, m scorer, r *Result, _ *portion) error {
		b.correlations(m, r, t.Average)
		return nil
	}
	return append(out, statistic{1, b.accuracy}, statistic{1, correlations}, statistic{1, b.lengthStatistics}, statistic{1, b.systemLevel})
}

func (b board) evaluate(ctx context.Context, t Task, work *progress) ([]Result, []Test, error) {
	results := make([]Result, len(b.metrics))
	for i, m := range b.metrics {
		results[i] = undefinedResult(m.name)
		results[i].Group, results[i].LowerIsBetter, results[i].SystemScores = m.group, m.lower, m.given()
	}
	statistics := b.statistics(t)
	errs := make([]error, len(statistics)*len(b.metrics))
	err := each(ctx, len(errs), func(i int) {
		m, s := i%len(b.metrics), statistics[i/len(b.metrics)]
		told := work.portion(s.steps)
		errs[i] = s.compute(ctx, b.metrics[m], &results[m], told)
		told.end()
	})
	if err != nil {
		return nil, nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	if err := b.softAccuracy(ctx, t, results); err != nil {
		return nil, nil, err
	}
	work.add(len(b.metrics))
	for i := range results {
		results[i].Meta = t.Preset.meta(results[i])
	}
	if !t.Significance {
		rank(results)
		return results, nil, nil
	}
	tests, err := b.test(ctx, t, results, work)
	if err != nil {
		return nil, nil, err
	}
	rank(results)
	clusters := tests[len(tests)-1].Clusters
	for i := range results {
		results[i].Rank = clusters[results[i].Name]
	}
	return results, tests, nil
}

func undefinedResult(name string) Result {
	return Result{
		Name:    name,
		System:  SystemStats{Acc: missing, Pearson: missing, Spearman: missing, Kendall: missing, SPA: missing},
		Segment: SegmentStats{AccT: missing, Epsilon: missing, AccTPooled: missing, Pearson: missing, Spearman: missing, Kendall: missing, MAE: missing, MSE: missing},
		Meta:    missing,
	}
}

func (b board) systemLevel(_ context.Context, m scorer, r *Result, _ *portion) error {
	s := &r.System
	s.Agree, s.Pairs = PairwiseAccuracy(b.human.system, m.system)
	s.Acc = stat.Ratio(s.Agree, s.Pairs)
	s.Pearson = stat.Pearson(b.human.system, m.system)
	s.Spearman = stat.Spearman(b.human.system, m.system)
	s.Kendall = stat.TauB(b.human.system, m.system)
	return nil
}

func (b board) correlations(m scorer, r *Result, by Grouping) {
	if !b.bySegment(m) {
		return
	}
	h, v := pool(b.human.segment, m.segment)
	s := &r.Segment
	s.Pearson, s.Spearman, s.Kendall = stat.Pearson(h, v), stat.Spearman(h, v), stat.TauB(h, v)
	s.MAE, s.MSE = RescaledErrors(h, v)
	if by == Pooled {
		return
	}
	r.averaged, r.pooled = true, coefficients{s.Pearson, s.Spearman, s.Kendall}
	s.Pearson, _ = Average(stat.Pearson, b.human.segment, m.segment, by)
	s.Spearman, _ = Average(stat.Spearman, b.human.segment, m.segment, by)
	s.Kendall, _ = Average(stat.TauB, b.human.segment, m.segment, by)
}

func (b board) accuracy(ctx context.Context, m scorer, r *Result, _ *portion) error {
	if !b.bySegment(m) {
		return nil
	}
	c, err := Calibrate(ctx, b.human.segment, m.segment, ByItem)
	r.Segment.AccT, r.Segment.Epsilon = c.Acc, c.Epsilon
	return err
}

func (b board) pooledAccuracy(ctx context.Context, m scorer, r *Result, told *portion) error {
	if !b.bySegment(m) {
		return nil
	}
	c, err := calibrateTold(ctx, b.human.segment, m.segment, Pooled, told)
	r.Segment.AccTPooled, r.pooledEpsilon = c.Acc, c.Epsilon
	return err
}

// bySegment reports whether human score and metric have scores of segments.
func (b board) bySegment(m scorer) bool { return b.human.segment != nil && m.segment != nil }

func (b board) softAccuracy(ctx context.Context, t Task, results []Result) error {
	if b.human.segment == nil {
		return nil
	}
	// A system whose score is known as a whole alone has no segments to flip.
	rated := slices.DeleteFunc(indices(len(b.systems)), func(s int) bool { return !stat.Defined(stat.Mean(b.human.segment[s])) })
	of := func(rows [][]float64) [][]float64 {
		var out [][]float64
		for _, s := range rated {
			out = append(out, rows[s])
		}
		return out
	}
	scores := make([][][]float64, len(b.metrics))
	for i, m := range b.metrics {
		if m.segment != nil {
			scores[i] = of(m.segment)
		}
	}
	values, err := softAccuracies(ctx, of(b.human.segment), scores, t.Seed, t.Permutations)
	for i, v := range values {
		results[i].System.SPA = v
	}
	return err
}
