package metaeval

import (
	"context"
	"math"
	"slices"

	"annotate/internal/stat"
)

// Level is the level of the confidence intervals of [Result.Intervals].
const Level = 0.95

// ResamplingUnits groups segments by document, with documents in their order. A bootstrap that draws
// whole groups keeps the correlation between segments of a document (Davison and Hinkley 1997, "Bootstrap
// Methods and their Application", section 3.8). If each segment is a document of its own, or if there is
// only one document, each segment is a group. The groups have indices into documents.
func ResamplingUnits(documents []string) (units [][]int) {
	at := map[string]int{}
	for i, name := range documents {
		doc, ok := at[name]
		if !ok {
			doc = len(units)
			at[name] = doc
			units = append(units, nil)
		}
		units[doc] = append(units[doc], i)
	}
	if len(units) > 1 {
		return units
	}
	units = nil
	for i := range documents {
		units = append(units, []int{i})
	}
	return units
}

// addIntervals sets the intervals of the subset's metrics and annotators.
func (sub subset) addIntervals(ctx context.Context, t Task, results []Result, work *progress) error {
	if t.Intervals == 0 {
		return nil
	}
	subsets := append([]subset{sub}, sub.others...)
	units := sub.units(indices(width(sub.human.segment)))
	var errors []unitErrors
	for _, s := range subsets {
		for _, m := range s.metrics {
			errors = append(errors, newUnitErrors(s.human.segment, m.segment, units))
		}
	}
	drawn, err := drawUnits(ctx, t, units, work, func(sample, segments []int) (all []drawnStatistics) {
		for _, s := range subsets {
			all = append(all, s.resampled(ctx, t, segments, results)...)
		}
		for i := range all {
			all[i].mae, all[i].mse = errors[i].of(sample)
		}
		return all
	})
	if err != nil {
		return err
	}
	of := func(place int, value func(drawnStatistics) float64) stat.Interval {
		return intervalOf(drawn, len(units), func(all []drawnStatistics) float64 { return value(all[place]) })
	}
	var same []string
	for _, unit := range units {
		if sub.same != nil {
			same = append(same, sub.same[unit[0]])
		}
	}
	place := 0
	for _, s := range subsets {
		for _, m := range s.metrics {
			r := &results[slices.IndexFunc(results, func(r Result) bool { return r.Name == m.name })]
			if t.Joint {
				r.drawn = &drawnMeta{units: len(units), same: same}
				for _, all := range drawn {
					r.drawn.draws = append(r.drawn.draws, all[place].meta)
				}
			}
			for k := range r.values(t.Preset) {
				r.Intervals = append(r.Intervals, of(place, func(d drawnStatistics) float64 { return d.values[k] }))
			}
			if s.human.hasMeans() && m.hasMeans() {
				r.Intervals[systemPearsonColumn] = PearsonInterval(s.human.segment, m.segment, units, Level)
			}
			r.MAEInterval, r.MSEInterval = of(place, func(d drawnStatistics) float64 { return d.mae }), of(place,
				func(d drawnStatistics) float64 { return d.mse })
			place++
		}
	}
	return sub.addLengthIntervals(ctx, t, results, work)
}

// addLengthIntervals sets the intervals of the statistics by length. Each group draws the documents that have segments of it.
func (sub subset) addLengthIntervals(ctx context.Context, t Task, results []Result, work *progress) error {
	subsets := append([]subset{sub}, sub.others...)
	for group, segments := range sub.lengths {
		units := sub.units(segments)
		drawn, err := drawUnits(ctx, t, units, work, func(_, segments []int) (all []LengthStats) {
			for _, s := range subsets {
				h := newRated(drawnColumns(s.human.segment, segments), nil)
				for _, m := range s.metrics {
					if !s.bySegment(m) {
						all = append(all, LengthStats{Kendall: missing, Spearman: missing})
						continue
					}
					both, v := h.with(drawnColumns(m.segment, segments))
					all = append(all, ofLength(both.order, stat.NewOrdering(v)))
				}
			}
			return all
		})
		if err != nil {
			return err
		}
		place := 0
		for _, s := range subsets {
			for _, m := range s.metrics {
				r := &results[slices.IndexFunc(results, func(r Result) bool { return r.Name == m.name })]
				own := &r.Lengths[group]
				own.KendallInterval = intervalOf(drawn, len(units), func(all []LengthStats) float64 { return all[place].Kendall })
				own.SpearmanInterval = intervalOf(drawn, len(units), func(all []LengthStats) float64 { return all[place].Spearman })
				place++
			}
		}
	}
	return nil
}

// drawUnits computes statistics in each resample of units, which are groups of segments. sample has the drawn units, and segments the
// segments of these. It returns nil if there are fewer than two units. Resamples run side by side, each on one core.
func drawUnits[T any](ctx context.Context, t Task, units [][]int, work *progress, statistics func(sample, segments []int) T) ([]T, error) {
	if len(units) < 2 {
		work.add(t.Intervals)
		return nil, ctx.Err()
	}
	drawn, err := stat.Resample(ctx, len(units), t.Intervals, t.Seed, func(sample []int) T {
		var segments []int
		for _, unit := range sample {
			segments = append(segments, units[unit]...)
		}
		defer work.add(1)
		return statistics(sample, segments)
	})
	if err == nil {
		err = ctx.Err()
	}
	return drawn, err
}

// intervalOf is the interval of a value of each resample of units.
func intervalOf[T any](drawn []T, units int, value func(T) float64) stat.Interval {
	values := make([]float64, len(drawn))
	for i, d := range drawn {
		values[i] = value(d)
	}
	in := stat.PercentileInterval(values, stat.ExpandedLevel(Level, units))
	in.Units = units
	return in
}

// drawnStatistics are the statistics of a metric in a resample.
type drawnStatistics struct {
	values   []float64 // see [Result.values]
	mae, mse float64
	meta     metaParts
}

// unitErrors has the sums of the rescaled errors of a metric in each unit. A resample keeps the range by which scores are rescaled, since
// the lowest and the highest of fewer different scores lie closer together.
type unitErrors struct {
	absolute, squared []float64
	counts            []int
}

func newUnitErrors(human, metric [][]float64, units [][]int) (u unitErrors) {
	if human == nil || metric == nil {
		return u
	}
	all, own := pool(human, metric)
	h, ok := newRange(all)
	m, also := newRange(own)
	if !ok || !also {
		return u
	}
	u = unitErrors{make([]float64, len(units)), make([]float64, len(units)), make([]int, len(units))}
	for i, unit := range units {
		for system, row := range human {
			for _, k := range unit {
				if v := metric[system][k]; stat.Defined(row[k], v) {
					d := m.rescale(v) - h.rescale(row[k])
					u.absolute[i] += math.Abs(d)
					u.squared[i] += d * d
					u.counts[i]++
				}
			}
		}
	}
	return u
}

// of returns both errors in a sample of units.
func (u unitErrors) of(sample []int) (mae, mse float64) {
	if u.counts == nil {
		return missing, missing
	}
	n := 0
	for _, i := range sample {
		mae, mse, n = mae+u.absolute[i], mse+u.squared[i], n+u.counts[i]
	}
	return mae / float64(n), mse / float64(n) // NaN if n is 0
}

// units groups those of the segments that have a human score. If there are several documents, but these segments are
// all of one, they are one group, which has no intervals.
func (sub subset) units(segments []int) (units [][]int) {
	rated := slices.DeleteFunc(slices.Clone(segments), func(k int) bool { return countRated(sub.human.segment, []int{k}) == 0 })
	if sub.documents == nil {
		for _, k := range rated {
			units = append(units, []int{k})
		}
		return units
	}
	var names []string
	for _, k := range rated {
		names = append(names, sub.documents[k])
	}
	if units = ResamplingUnits(names); sub.several && len(slices.Compact(slices.Sorted(slices.Values(names)))) == 1 {
		return [][]int{rated}
	}
	for _, unit := range units {
		for i, k := range unit {
			unit[i] = rated[k]
		}
	}
	return units
}

// resampled returns the statistics of each metric over the given segments, which may repeat. They are
// NaN once ctx is done.
func (sub subset) resampled(ctx context.Context, t Task, segments []int, all []Result) []drawnStatistics {
	own := subset{systems: sub.systems, human: sub.human.resampled(segments)}
	own.rated = newRated(own.human.segment, nil)
	results := make([]Result, len(sub.metrics))
	for i, m := range sub.metrics {
		m = m.resampled(segments)
		own.metrics = append(own.metrics, m)
		r := &results[i]
		*r = UndefinedResult(m.name)
		_ = own.systemLevel(ctx, m, r, nil)
		if own.segmentLevel(ctx, m, r, t.Average) != nil {
			break // ctx is done
		}
		if t.Preset.Pools() && own.bySegment(m) {
			epsilon := all[slices.IndexFunc(all, func(r Result) bool { return r.Name == m.name })].pooledEpsilon
			if c := newPooled(pool(own.human.segment, m.segment)); c.groups > 0 {
				r.Segment.AccTPooled = float64(newSearch(c).rightAt(epsilon).right) / float64(c.unit)
			}
		}
	}
	if len(own.metrics) == len(sub.metrics) {
		_ = own.softAccuracy(ctx, t, results)
	}
	out := make([]drawnStatistics, len(results))
	for i := range results {
		results[i].Meta = t.Preset.meta(results[i])
		out[i].values, out[i].meta = results[i].values(t.Preset), t.Preset.metaParts(results[i])
	}
	return out
}

// resampled returns the scores of the segments. The score of a system is their mean. It is NaN if the
// system's own score is not the mean of all its segments.
func (s scorer) resampled(segments []int) scorer {
	out := scorer{name: s.name, group: s.group, negated: s.negated, system: slices.Repeat([]float64{missing}, len(s.system))}
	if s.segment == nil {
		return out
	}
	out.segment = drawnColumns(s.segment, segments)
	for i, drawn := range out.segment {
		if s.hasMean(i) {
			out.system[i] = stat.Mean(drawn)
		}
	}
	return out
}

// drawnColumns returns the matrix of the given columns, which may repeat.
func drawnColumns(matrix [][]float64, segments []int) [][]float64 {
	out := make([][]float64, len(matrix))
	for s, row := range matrix {
		out[s] = make([]float64, len(segments))
		for k, seg := range segments {
			out[s][k] = row[seg]
		}
	}
	return out
}

// hasMean reports whether the score of a system is the mean of its segments, or of these and others.
func (s scorer) hasMean(system int) bool {
	return s.wider[system] || IsMean(s.system[system], stat.Mean(s.segment[system]))
}

// IsMean reports whether the score of a system is the given mean of its segments. Both may differ by 0.0001, or
// by this share of a mean beyond 1, since score files have rounded numbers.
func IsMean(score, mean float64) bool { return math.Abs(mean-score) <= 1e-4*max(1, math.Abs(mean)) }

// hasMeans is [scorer.hasMean] for all systems.
func (s scorer) hasMeans() bool {
	return s.segment != nil && !slices.ContainsFunc(indices(len(s.segment)), func(i int) bool { return !s.hasMean(i) })
}
