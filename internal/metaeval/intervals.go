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
func (sub subset) addIntervals(ctx context.Context, t Task, documents []string, results []Result, work *progress) error {
	if t.Intervals == 0 {
		return nil
	}
	subsets := append([]subset{sub}, sub.others...)
	units := sub.units(documents)
	values := make([][][]float64, 0) // by resample, metric and statistic
	if len(units) > 1 {
		// Resamples run side by side, each on one core.
		drawn, err := stat.Resample(ctx, len(units), t.Intervals, t.Seed, func(sample []int) [][]float64 {
			var segments []int
			for _, unit := range sample {
				segments = append(segments, units[unit]...)
			}
			var out [][]float64
			for _, s := range subsets {
				out = append(out, s.resampled(ctx, t, segments, results)...)
			}
			work.add(1)
			return out
		})
		if err != nil {
			return err
		}
		values = drawn
	}
	place := 0
	for _, s := range subsets {
		for _, m := range s.metrics {
			i := slices.IndexFunc(results, func(r Result) bool { return r.Name == m.name })
			for k := range results[i].values(t.Preset) {
				of := make([]float64, len(values))
				for r, v := range values {
					of[r] = v[place][k]
				}
				results[i].Intervals = append(results[i].Intervals, stat.PercentileInterval(of, stat.ExpandedLevel(Level, len(units))))
			}
			if s.human.hasMeans() && m.hasMeans() {
				results[i].Intervals[systemPearsonColumn] = PearsonInterval(s.human.segment, m.segment, units, Level)
			}
			place++
		}
	}
	return ctx.Err()
}

// units groups the segments that have a human score.
func (sub subset) units(documents []string) (units [][]int) {
	rated := slices.DeleteFunc(indices(width(sub.human.segment)), func(k int) bool { return countRated(sub.human.segment, []int{k}) == 0 })
	if documents == nil {
		for _, k := range rated {
			units = append(units, []int{k})
		}
		return units
	}
	var names []string
	for _, k := range rated {
		names = append(names, documents[k])
	}
	units = ResamplingUnits(names)
	for _, unit := range units {
		for i, k := range unit {
			unit[i] = rated[k]
		}
	}
	return units
}

// resampled returns the statistics of each metric over the given segments, which may repeat. They are
// NaN once ctx is done.
func (sub subset) resampled(ctx context.Context, t Task, segments []int, all []Result) [][]float64 {
	own := subset{systems: sub.systems, human: sub.human.resampled(segments)}
	results := make([]Result, len(sub.metrics))
	for i, m := range sub.metrics {
		m = m.resampled(segments)
		own.metrics = append(own.metrics, m)
		r := &results[i]
		*r = UndefinedResult(m.name)
		_ = own.systemLevel(ctx, m, r, nil)
		own.correlations(m, r, t.Average)
		if own.accuracy(ctx, m, r, nil) != nil {
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
	out := make([][]float64, len(results))
	for i := range results {
		results[i].Meta = t.Preset.meta(results[i])
		out[i] = results[i].values(t.Preset)
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
	for i, row := range s.segment {
		drawn := make([]float64, len(segments))
		for k, seg := range segments {
			drawn[k] = row[seg]
		}
		out.segment = append(out.segment, drawn)
		if s.hasMean(i) {
			out.system[i] = stat.Mean(drawn)
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
