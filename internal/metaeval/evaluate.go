package metaeval

import (
	"cmp"
	"context"
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
	Joint         bool       // keep permutations and resamples, by which [Overall] tests differences and gives intervals over several reports
	Williams      bool       // run Williams' tests of system-level Pearson's r
	// Average selects how segment-level Pearson, Spearman and Kendall are computed:
	// over all translations at once, or as the mean by item or by system. The meta
	// score and the permutation tests always use the pooled coefficients.
	Average      Grouping
	Permutations int // number of sign flips and of permutations; 0: DefaultPermutations
	Seed         uint64
	// Intervals is the number of bootstrap resamples for [Result.Intervals]. 0: no intervals.
	Intervals int
	// Progress, if set, is called with the number of steps done and the total. Several
	// goroutines call it. It is not called if there is nothing to do.
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
	Resamples    int            // of the intervals; see Task.Intervals
	Systems      []string       // in byte order
	SystemScores []float64      // the human score of each of the Systems
	Segments     int            // how many segments have a human score
	Lengths      []int          // how many of these are in each of the LengthGroups; nil if lengths are unknown
	Qualities    Qualities      // of the translations with a human score; zero if the score does not count errors
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
	Qualities    Qualities     // of the translations with both scores; zero in domains, and if one of the scores does not count errors
	// Intervals are 95 % confidence intervals, in the order of the columns of [Report.Tables]; nil without
	// Task.Intervals. Each resample draws documents with replacement, or segments if documents are unknown; in a domain
	// it draws those of the domain. If a system score is not the mean of segment scores, as with corpus BLEU,
	// statistics of systems have no intervals. The threshold of acc_t_pooled stays that of all segments.
	Intervals []stat.Interval
	// MAEInterval and MSEInterval are those of Segment.MAE and Segment.MSE, by the same resamples. The range by which scores are
	// rescaled stays that of all segments.
	MAEInterval, MSEInterval stat.Interval
	Meta                     float64
	Rank                     int // by Meta, from 1; with significance tests the number of the cluster

	pooledEpsilon float64      // the tie threshold of Segment.AccTPooled
	averaged      bool         // the coefficients of Segment are averages over groups
	pooled        coefficients // if averaged, the pooled coefficients
	drawn         *drawnMeta   // with Task.Intervals and Task.Joint
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
		Seed: t.Seed, Permutations: t.Permutations, Resamples: t.Intervals, Systems: sub.systems, SystemScores: sub.human.system,
		LeftOut: left, NoSystem: references, Average: t.Average,
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
	done.total += int64(t.Intervals * (len(subsets) + len(sub.lengths)))
	for i, sub := range subsets {
		results, tests, err := sub.evaluate(ctx, t, done)
		if err != nil {
			return Report{}, err
		}
		if err := sub.addIntervals(ctx, t, results, done); err != nil {
			return Report{}, err
		}
		if i == 0 {
			r.Segments, r.Metrics, r.Tests = sub.ratedSegments(), results, tests
			sub.qualities(&r)
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
	segmentLevel := func(ctx context.Context, m scorer, r *Result, _ *share) error {
		return sub.segmentLevel(ctx, m, r, t.Average)
	}
	return append(out, statistic{3, segmentLevel}, statistic{1, sub.systemLevel})
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
	sub.rated = newRated(sub.human.segment, sub.lengths)
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
		Name:   name,
		System: SystemStats{Acc: missing, Pearson: missing, Spearman: missing, Kendall: missing, SPA: missing},
		Segment: SegmentStats{
			AccT:       missing,
			Epsilon:    missing,
			AccTPooled: missing,
			Pearson:    missing,
			Spearman:   missing,
			Kendall:    missing,
			MAE:        missing,
			MSE:        missing,
		},
		Meta: missing,
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

// segmentLevel computes the statistics of segments, but for pooled accuracy.
func (sub subset) segmentLevel(ctx context.Context, m scorer, r *Result, by Grouping) error {
	if !sub.bySegment(m) {
		for range sub.lengths {
			r.Lengths = append(r.Lengths, LengthStats{Kendall: missing, Spearman: missing})
		}
		return nil
	}
	h, v := sub.rated.with(m.segment)
	order := stat.NewOrdering(v)
	s := &r.Segment
	s.Pearson = stat.Pearson(h.scores, v)
	s.Spearman, s.Kendall = rankCorrelations(h.order, order)
	s.MAE, s.MSE = RescaledErrors(h.scores, v)
	r.Lengths = h.byLength(order)
	if by != Pooled {
		r.averaged, r.pooled = true, coefficients{s.Pearson, s.Spearman, s.Kendall}
		s.Pearson, _ = Average(stat.Pearson, sub.human.segment, m.segment, by)
		s.Spearman, _ = Average(stat.Spearman, sub.human.segment, m.segment, by)
		s.Kendall, _ = Average(stat.TauB, sub.human.segment, m.segment, by)
	}
	c, err := h.byItem(v, order).best(ctx)
	s.AccT, s.Epsilon = c.Acc, c.Epsilon
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
	of := ratedRows(sub.human.segment)
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
