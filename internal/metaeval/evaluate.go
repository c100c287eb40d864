package metaeval

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

// A Task holds the options of an evaluation of [Data]. The zero value evaluates all
// metrics against the only human score.
type Task struct {
	Human         string     // the human score to judge by; empty: the only one
	HumanAsMetric []string   // other human scores to evaluate as if they were metrics
	Metrics       []string   // full names, or names without their last "-" and what follows; empty: all metrics
	Exclude       []string   // systems to leave out
	Optional      []string   // systems to leave out unless every metric has scores of them; see [Plan]
	NoSystem      []NoSystem // members of Exclude that are references, for the report
	Preset        Preset     // empty: WMT23
	ByDomain      bool       // evaluate each domain too
	Significance  bool       // run permutation tests between metrics
	Williams      bool       // run Williams' tests of system-level Pearson's r
	// Average selects how segment-level Pearson, Spearman and Kendall are computed:
	// over all translations at once, or as the mean by item or by system. The meta
	// score and the permutation tests always use the pooled coefficients.
	Average      Grouping
	Permutations int // number of sign flips and of permutations; 0: DefaultPermutations
	Seed         uint64
	// Progress, if set, is called with the number of steps done and the total. Several
	// goroutines call it. It is not called where there is nothing to do.
	Progress func(done, total int)
}

// Defaults of mt-metrics-eval.
const (
	DefaultPermutations = 1000
	DefaultSeed         = 4
)

// A Report is the meta-evaluation of a language pair. Undefined values are NaN.
type Report struct {
	LanguagePair string
	Human        string
	Preset       Preset
	Seed         uint64
	Permutations int
	Systems      []string       // in byte order
	SystemScores []float64      // the human score of each of the Systems
	Segments     int            // how many segments have a human score
	Lengths      []int          // how many of these are in each of the LengthGroups; nil if lengths are unknown
	Metrics      []Result       // best first
	Domains      []DomainReport // set with Task.ByDomain
	NoDomain     int            // with Task.ByDomain, how many of Segments are in no domain
	Tests        []Test         // with Task.Significance, one for each part of the meta score and one for the meta score
	Williams     []Test         // with Task.Williams, one test, of system-level Pearson's r
	Average      Grouping       // how segment-level Pearson, Spearman and Kendall are computed
	LeftOut      []LeftOut
	NoSystem     []NoSystem // the references with human scores that are left out of the systems
}

// A DomainReport is the evaluation of one domain, as if the data had no other segments.
type DomainReport struct {
	Domain   string
	Segments int
	Metrics  []Result
	Tests    []Test
}

// A Result holds the statistics of one metric.
type Result struct {
	Name          string
	Group         string
	LowerIsBetter bool // the statistics are of the negated scores
	Others        bool // the metric is an annotator, compared with the mean of the others
	System        SystemStats
	Segment       SegmentStats
	// SystemScores are the metric's scores of Report.Systems. They are never negated.
	SystemScores []float64
	Lengths      []LengthStats // one for each of the LengthGroups; nil in domains and where lengths are unknown
	Meta         float64
	Rank         int // by Meta, from 1; with significance tests the number of the cluster

	pooledEpsilon float64      // the tie threshold of Segment.AccTPooled
	averaged      bool         // the coefficients of Segment are averages over groups
	pooled        coefficients // if averaged, the pooled coefficients
}

type coefficients struct{ pearson, spearman, kendall float64 }

// SystemStats are statistics of the scores of systems.
type SystemStats struct {
	Acc, Pearson, Spearman, Kendall, SPA float64
	Agree, Pairs                         int // Acc is Agree/Pairs
}

// SegmentStats are statistics of the scores of translations.
type SegmentStats struct {
	AccT, Epsilon              float64
	AccTPooled                 float64 // computed only if [Preset.Pools]
	Pearson, Spearman, Kendall float64 // see Task.Average
	MAE, MSE                   float64 // see RescaledErrors; over all translations at once
}

// LeftOut names a metric that is left out because it lacks scores of some systems.
type LeftOut struct {
	Metric  string
	Systems []string // the systems without scores, in byte order
}

// Evaluate computes the statistics of the metrics. It returns a *[ChoiceError] if
// the task names a scorer or system that the data lack, a *[TooManyError], and the
// error of ctx if ctx is done.
func Evaluate(ctx context.Context, d Data, t Task) (Report, error) {
	t.Preset = cmp.Or(t.Preset, WMT23)
	if t.Permutations == 0 {
		t.Permutations = DefaultPermutations
	}
	sub, left, references, err := chooseSubset(d, t)
	if err != nil {
		return Report{}, err
	}
	if t.Significance && len(sub.metrics) > MaxTested {
		return Report{}, &TooManyError{len(sub.metrics)}
	}
	r := Report{
		LanguagePair: d.LanguagePair, Human: sub.human.name, Preset: t.Preset,
		Seed: t.Seed, Permutations: t.Permutations, Systems: sub.systems, SystemScores: sub.human.system, LeftOut: left, NoSystem: references, Average: t.Average,
	}
	for _, segments := range sub.lengths {
		r.Lengths = append(r.Lengths, countRated(sub.human.segment, segments))
	}
	if t.Williams {
		r.Williams = []Test{sub.williams()}
	}
	subsets := []subset{sub}
	var domains []string
	if t.ByDomain {
		domains = slices.Compact(slices.Sorted(slices.Values(d.Domains)))
		domains = slices.DeleteFunc(domains, func(name string) bool { return name == "" })
		for _, name := range domains {
			subsets = append(subsets, sub.domain(name))
		}
	}
	done := &progress{report: t.Progress}
	for _, sub := range subsets {
		done.total += int64(sub.steps(t))
	}
	for i, sub := range subsets {
		results, tests, err := sub.evaluate(ctx, t, done)
		if err != nil {
			return Report{}, err
		}
		if i == 0 {
			r.Segments, r.Metrics, r.Tests = sub.ratedSegments(), results, tests
			continue
		}
		r.Domains = append(r.Domains, DomainReport{domains[i-1], sub.ratedSegments(), results, tests})
	}
	if t.ByDomain {
		r.NoDomain = r.Segments
		for _, domain := range r.Domains {
			r.NoDomain -= domain.Segments
		}
	}
	return r, nil
}

// A subset holds the scores that are evaluated together: those of the chosen systems,
// on all segments or on those of one domain.
type subset struct {
	systems []string
	domains []string // the domain of each segment
	lengths [][]int  // the segments of each of the LengthGroups; nil if lengths are unknown
	human   scorer
	metrics []scorer
	others  []subset // for each annotator with Scores.Others: the annotator as the only metric
}

// A scorer holds the scores of the systems of a subset, in the order of these systems.
type scorer struct {
	name     string
	group    string
	negated  bool // the scores are negated
	system   []float64
	segment  [][]float64 // rows are systems; nil if there are no segment scores
	byDomain map[string]map[string]float64
}

// unnegated returns the system scores as they were before any negation.
func (s scorer) unnegated() []float64 {
	out := slices.Clone(s.system)
	if s.negated {
		for i := range out {
			out[i] = -out[i]
		}
	}
	return out
}

// chooseSubset selects the scorers and systems that the task names. It also returns the
// metrics that lack scores, and the references that are no systems.
func chooseSubset(d Data, t Task) (sub subset, left []LeftOut, references []NoSystem, err error) {
	human, err := chooseHumanScores(d, t.Human)
	if err != nil {
		return sub, nil, nil, err
	}
	chosen, err := chooseMetrics(d, t)
	if err != nil {
		return sub, nil, nil, err
	}
	if err := checkSystems(d.Systems, t.Exclude); err != nil {
		return sub, nil, nil, err
	}
	sub.domains = d.Domains
	if d.Lengths != nil {
		sub.lengths = byLength(d.Lengths)
	}
	var optional []string
	for _, s := range slices.Sorted(slices.Values(d.Systems)) {
		switch {
		case !human.hasSystem(s) || slices.Contains(t.Exclude, s):
		case slices.Contains(t.Optional, s):
			optional = append(optional, s)
		default:
			sub.systems = append(sub.systems, s)
		}
	}
	var metrics []Scores
	for _, m := range chosen {
		if systems := m.missingSystems(sub.systems); len(systems) > 0 {
			left = append(left, LeftOut{m.Name, systems})
		} else {
			metrics = append(metrics, m)
		}
	}
	for _, n := range t.NoSystem {
		if human.hasSystem(n.Reference) {
			references = append(references, n)
		}
	}
	for _, s := range optional {
		var lacking []string
		for _, m := range metrics {
			if len(m.missingSystems([]string{s})) > 0 {
				lacking = append(lacking, m.Name)
			}
		}
		if len(lacking) > 0 {
			references = append(references, NoSystem{Reference: s, Lacking: lacking})
		} else {
			sub.systems = append(sub.systems, s)
		}
	}
	slices.Sort(sub.systems)
	sub.human = human.forSystems(sub.systems, d.Segments)
	for _, m := range metrics {
		s := m.higherIsBetter().forSystems(sub.systems, d.Segments)
		if m.Others == nil {
			sub.metrics = append(sub.metrics, s)
			continue
		}
		own := sub
		own.human, own.metrics, own.others = Scores{Name: human.Name, Segment: m.Others}.forSystems(sub.systems, d.Segments), []scorer{s}, nil
		sub.others = append(sub.others, own)
	}
	return sub, left, references, nil
}

func chooseHumanScores(d Data, wanted string) (Scores, error) {
	name, err := matchHuman(names(d.Humans), wanted)
	if err != nil {
		return Scores{}, err
	}
	return d.Humans[slices.IndexFunc(d.Humans, func(s Scores) bool { return s.Name == name })].withSystemMeans(), nil
}

// withSystemMeans fills gaps in s.System: a system that has segment scores but no
// system score gets the mean of its segment scores.
func (s Scores) withSystemMeans() Scores {
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
		h, err := chooseHumanScores(d, name)
		if err != nil {
			return nil, &ChoiceError{HumanAsMetricField, name, names(d.Humans)}
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

// hasSystem reports whether a system has a score.
func (s Scores) hasSystem(system string) bool {
	if v, ok := s.System[system]; ok && stat.Defined(v) {
		return true
	}
	return stat.Defined(stat.Mean(s.Segment[system]))
}

// missingSystems lists the systems that lack a score. Where the scorer has system
// scores, each system must have one; where it has segment scores, each system must have
// at least one.
func (s Scores) missingSystems(systems []string) (names []string) {
	for _, name := range systems {
		v, ok := s.System[name]
		switch {
		case s.System != nil && (!ok || !stat.Defined(v)), s.Segment != nil && !stat.Defined(stat.Mean(s.Segment[name])), !s.hasSystem(name):
			names = append(names, name)
		}
	}
	return names
}

// forSystems returns the scores of the given systems, in their order. A system without
// segment scores gets a row of NaN.
func (s Scores) forSystems(systems []string, segments int) scorer {
	out := scorer{name: s.Name, group: s.Group, negated: s.LowerIsBetter, byDomain: s.Domain, system: make([]float64, len(systems))}
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
			panic("metaeval: the number of scores differs from the number of segments")
		}
		out.segment[i] = row
	}
	return out
}

// domain returns the part of the subset that lies in one domain.
func (sub subset) domain(name string) subset {
	var segments []int
	for i, d := range sub.domains {
		if d == name {
			segments = append(segments, i)
		}
	}
	out := subset{systems: sub.systems, human: sub.human.inDomain(name, sub.systems, segments)}
	for _, m := range sub.metrics {
		out.metrics = append(out.metrics, m.inDomain(name, sub.systems, segments))
	}
	for _, own := range sub.others {
		out.others = append(out.others, own.domain(name))
	}
	return out
}

// inDomain returns the scores on the segments of one domain. The score of a system is
// the scorer's own score for that domain if it has one, else the mean over the
// segments.
func (s scorer) inDomain(domain string, systems []string, segments []int) scorer {
	out := scorer{name: s.name, group: s.group, negated: s.negated, system: make([]float64, len(systems))}
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

// ratedSegments returns the number of segments with a human score.
func (sub subset) ratedSegments() int {
	return countRated(sub.human.segment, indices(width(sub.human.segment)))
}

// countRated returns how many of the segments have a human score of at least one
// system.
func countRated(human [][]float64, segments []int) (n int) {
	for _, segment := range segments {
		if slices.ContainsFunc(human, func(row []float64) bool { return stat.Defined(row[segment]) }) {
			n++
		}
	}
	return n
}

// steps returns the number of steps that progress counts for the subset.
func (sub subset) steps(t Task) int {
	n := 1 // soft pairwise accuracy
	for _, s := range sub.statistics(t) {
		n += s.steps
	}
	n *= len(sub.metrics)
	for _, own := range sub.others {
		n += own.steps(Task{Preset: t.Preset})
	}
	if t.Significance {
		n += testShare
	}
	return n
}

// A statistic computes a part of a result. compute may report progress through its
// share while it runs.
type statistic struct {
	steps   int
	compute func(ctx context.Context, m scorer, r *Result, steps *share) error
}

// pooledShare is large because pooled accuracy takes minutes for a large campaign,
// where the other statistics take seconds.
const pooledShare = 100

// statistics lists the slow statistics first. Otherwise a slow one could run on a
// single core at the end.
func (sub subset) statistics(t Task) []statistic {
	var out []statistic
	if t.Preset.Pools() {
		out = append(out, statistic{pooledShare, sub.pooledAccuracy})
	}
	correlations := func(_ context.Context, m scorer, r *Result, _ *share) error {
		sub.correlations(m, r, t.Average)
		return nil
	}
	return append(out, statistic{1, sub.accuracy}, statistic{1, correlations}, statistic{1, sub.lengthStatistics}, statistic{1, sub.systemLevel})
}

// evaluate computes the results, best first, and with Task.Significance the tests.
func (sub subset) evaluate(ctx context.Context, t Task, work *progress) ([]Result, []Test, error) {
	results, err := sub.results(ctx, t, work)
	if err != nil {
		return nil, nil, err
	}
	var tests []Test
	if t.Significance {
		if tests, err = sub.test(ctx, t, results, work); err != nil {
			return nil, nil, err
		}
	}
	for _, own := range sub.others {
		result, err := own.results(ctx, t, work)
		if err != nil {
			return nil, nil, err
		}
		result[0].Others = true
		results = append(results, result...)
	}
	rank(results)
	if t.Significance {
		clusters := tests[len(tests)-1].Clusters
		for i := range results {
			results[i].Rank = clusters[results[i].Name]
		}
	}
	return results, tests, nil
}

// results computes the results of the metrics, without ranks.
func (sub subset) results(ctx context.Context, t Task, work *progress) ([]Result, error) {
	results := make([]Result, len(sub.metrics))
	for i, m := range sub.metrics {
		results[i] = UndefinedResult(m.name)
		results[i].Group, results[i].LowerIsBetter, results[i].SystemScores = m.group, m.negated, m.unnegated()
	}
	statistics := sub.statistics(t)
	errs := make([]error, len(statistics)*len(sub.metrics))
	err := parallel.Each(ctx, len(errs), func(i int) {
		m, s := i%len(sub.metrics), statistics[i/len(sub.metrics)]
		steps := work.share(s.steps)
		errs[i] = s.compute(ctx, sub.metrics[m], &results[m], steps)
		steps.end()
	})
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if err := sub.softAccuracy(ctx, t, results); err != nil {
		return nil, err
	}
	work.add(len(sub.metrics))
	for i := range results {
		results[i].Meta = t.Preset.meta(results[i])
	}
	return results, nil
}

// UndefinedResult is the result of a metric whose statistics are all undefined (NaN).
func UndefinedResult(name string) Result {
	return Result{
		Name:    name,
		System:  SystemStats{Acc: missing, Pearson: missing, Spearman: missing, Kendall: missing, SPA: missing},
		Segment: SegmentStats{AccT: missing, Epsilon: missing, AccTPooled: missing, Pearson: missing, Spearman: missing, Kendall: missing, MAE: missing, MSE: missing},
		Meta:    missing,
	}
}

func (sub subset) systemLevel(_ context.Context, m scorer, r *Result, _ *share) error {
	s := &r.System
	s.Agree, s.Pairs = PairwiseAccuracy(sub.human.system, m.system)
	s.Acc = stat.Ratio(s.Agree, s.Pairs)
	s.Pearson = stat.Pearson(sub.human.system, m.system)
	s.Spearman = stat.Spearman(sub.human.system, m.system)
	s.Kendall = stat.TauB(sub.human.system, m.system)
	return nil
}

func (sub subset) correlations(m scorer, r *Result, by Grouping) {
	if !sub.bySegment(m) {
		return
	}
	h, v := pool(sub.human.segment, m.segment)
	s := &r.Segment
	s.Pearson, s.Spearman, s.Kendall = stat.Pearson(h, v), stat.Spearman(h, v), stat.TauB(h, v)
	s.MAE, s.MSE = RescaledErrors(h, v)
	if by == Pooled {
		return
	}
	r.averaged, r.pooled = true, coefficients{s.Pearson, s.Spearman, s.Kendall}
	s.Pearson, _ = Average(stat.Pearson, sub.human.segment, m.segment, by)
	s.Spearman, _ = Average(stat.Spearman, sub.human.segment, m.segment, by)
	s.Kendall, _ = Average(stat.TauB, sub.human.segment, m.segment, by)
}

func (sub subset) accuracy(ctx context.Context, m scorer, r *Result, _ *share) error {
	if !sub.bySegment(m) {
		return nil
	}
	c, err := Calibrate(ctx, sub.human.segment, m.segment, ByItem)
	r.Segment.AccT, r.Segment.Epsilon = c.Acc, c.Epsilon
	return err
}

func (sub subset) pooledAccuracy(ctx context.Context, m scorer, r *Result, steps *share) error {
	if !sub.bySegment(m) {
		return nil
	}
	c, err := calibrateReporting(ctx, sub.human.segment, m.segment, Pooled, steps)
	r.Segment.AccTPooled, r.pooledEpsilon = c.Acc, c.Epsilon
	return err
}

// bySegment reports whether the human score and the metric both have segment scores.
func (sub subset) bySegment(m scorer) bool { return sub.human.segment != nil && m.segment != nil }

func (sub subset) softAccuracy(ctx context.Context, t Task, results []Result) error {
	if sub.human.segment == nil {
		return nil
	}
	// Systems without human segment scores are left out: they have nothing to flip.
	rated := slices.DeleteFunc(indices(len(sub.systems)), func(s int) bool { return !stat.Defined(stat.Mean(sub.human.segment[s])) })
	of := func(rows [][]float64) [][]float64 {
		var out [][]float64
		for _, s := range rated {
			out = append(out, rows[s])
		}
		return out
	}
	scores := make([][][]float64, len(sub.metrics))
	for i, m := range sub.metrics {
		if m.segment != nil {
			scores[i] = of(m.segment)
		}
	}
	values, err := softAccuracies(ctx, of(sub.human.segment), scores, t.Permutations, t.Seed)
	for i, v := range values {
		results[i].System.SPA = v
	}
	return err
}
