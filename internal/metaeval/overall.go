package metaeval

import (
	"math"
	"slices"

	"annotate/internal/stat"
)

// An OverallResult is a metric's meta score over several reports.
type OverallResult struct {
	Name string
	Meta float64 // NaN if a report lacks the metric or a part of it
	Rank int     // by Meta, from 1; with significance tests the number of the cluster
	// Interval is the 95 % confidence interval of Meta, without resamples unless all reports were made with [Task.Joint] and [Task.Intervals].
	Interval stat.Interval
}

// Overall combines reports of several language pairs, all with the same preset. Metrics
// are matched by name. With [MENT] and [WMT24] the meta score is the mean of all statistics of
// all reports. With [WMT23] one accuracy is computed over the system pairs of all reports
// and counts as many times as there are reports (WMT23 and WMT24 in tasks.py of
// mt-metrics-eval). It panics if the presets differ.
//
// If all reports were made with [Task.Joint], the test compares the metrics that have a meta score in each report
// (AverageCorrMatrix in tasks.py of mt-metrics-eval): the permutations of the reports are independent, and their
// differences are combined as the meta score combines the statistics. Otherwise the test is nil. Reports with the
// same seed share random numbers, so the permutations of each report are shifted by its place. For the accuracy over
// all pairs of systems, mt-metrics-eval standardises the scores of a metric over all language pairs before it
// exchanges them; here they are standardised within each.
//
// The interval draws the documents of each report. Reports with the same documents in the same order share the draws, since their
// scores vary together. Reports that have no document in common are drawn apart. There is no interval if two reports have some of their
// documents in common, or all in another order. Percentiles are expanded for the report with the fewest documents.
func Overall(reports []Report) ([]OverallResult, *Test) {
	var all []Result
	seen := map[string]bool{}
	for _, report := range reports {
		if report.Preset != reports[0].Preset {
			panic("metaeval: reports of different presets")
		}
		for _, r := range report.Metrics {
			if !seen[r.Name] {
				seen[r.Name] = true
				all = append(all, Result{Name: r.Name, Meta: overall(reports, r.Name)})
			}
		}
	}
	test := overallTest(reports, all)
	rank(all)
	number, drawn := drawnApart(reports)
	out := make([]OverallResult, len(all))
	for i, r := range all {
		out[i] = OverallResult{Name: r.Name, Meta: r.Meta, Rank: r.Rank, Interval: stat.Interval{Low: missing, High: missing}}
		if drawn {
			out[i].Interval = overallInterval(reports, number, r)
		}
		if test != nil {
			out[i].Rank = test.Clusters[r.Name]
		}
	}
	return out, test
}

func overall(reports []Report, name string) float64 {
	results := resultsOf(reports, name)
	if results == nil {
		return missing
	}
	parts := make([]metaParts, len(results))
	for i, r := range results {
		parts[i] = reports[i].Preset.metaParts(r)
	}
	return reports[0].Preset.joined(parts)
}

// resultsOf returns the results of a metric in each report. It returns nil if a report lacks it.
func resultsOf(reports []Report, name string) (results []Result) {
	for _, report := range reports {
		i := slices.IndexFunc(report.Metrics, func(r Result) bool { return r.Name == name })
		if i < 0 {
			return nil
		}
		results = append(results, report.Metrics[i])
	}
	return results
}

// metaParts are what a report gives to the meta score over several reports.
type metaParts struct {
	own          float64 // the sum of the parts of this report alone
	agree, pairs int     // of systems, for the part over all reports
}

func (p Preset) metaParts(r Result) metaParts {
	var s stat.Sum
	for _, part := range p.parts() {
		if part.joint == nil {
			s.Add(part.scaled(part.value(r)))
		}
	}
	return metaParts{s.Value(), r.System.Agree, r.System.Pairs}
}

// joined returns the meta score over several reports.
func (p Preset) joined(reports []metaParts) float64 {
	var s stat.Sum
	var results []Result
	for _, m := range reports {
		s.Add(m.own)
		results = append(results, Result{System: SystemStats{Agree: m.agree, Pairs: m.pairs}})
	}
	parts := p.parts()
	for _, part := range parts {
		if part.joint != nil {
			s.Add(float64(len(reports)) * part.scaled(part.joint(results)))
		}
	}
	return s.Value() / float64(len(reports)*len(parts))
}

// drawnMeta has what a metric gives to the meta score over several reports in each resample of its report.
type drawnMeta struct {
	units int
	same  []string // by unit: the document; nil if documents are unknown
	draws []metaParts
}

// drawnApart says which reports share the draws of their documents: those with the same number. ok is false if the draws of the reports
// cannot be put together.
func drawnApart(reports []Report) (number []int, ok bool) {
	var apart []*drawnMeta // the first report with each number
	seen := map[string]int{}
	for _, report := range reports {
		i := slices.IndexFunc(report.Metrics, func(r Result) bool { return r.drawn != nil })
		if i < 0 {
			return nil, false
		}
		own := report.Metrics[i].drawn
		at := slices.IndexFunc(apart, func(other *drawnMeta) bool { return own.same != nil && slices.Equal(own.same, other.same) })
		if at < 0 {
			at = len(apart)
			apart = append(apart, own)
			for _, document := range own.same {
				if other, ok := seen[document]; ok && other != at {
					return nil, false
				}
				seen[document] = at
			}
		}
		number = append(number, at)
	}
	return number, true
}

// overallInterval is the interval of a metric's meta score over the reports, of which those with the same number share their draws.
func overallInterval(reports []Report, number []int, of Result) stat.Interval {
	none := stat.Interval{Low: missing, High: missing}
	results := resultsOf(reports, of.Name)
	if results == nil || !stat.Defined(of.Meta) {
		return none
	}
	units := math.MaxInt
	for _, r := range results {
		if r.drawn == nil || len(r.drawn.draws) != len(results[0].drawn.draws) {
			return none
		}
		units = min(units, r.drawn.units)
	}
	values, parts := make([]float64, len(results[0].drawn.draws)), make([]metaParts, len(results))
	for draw := range values {
		for k, r := range results {
			parts[k] = r.drawn.draws[(draw+number[k])%len(values)]
		}
		values[draw] = reports[0].Preset.joined(parts)
	}
	in := stat.PercentileInterval(values, stat.ExpandedLevel(Level, units))
	in.Units = units
	return in
}

// differences holds, for each permutation and pair of metrics, the difference of the meta score. A
// part that is computed from the pairs of systems of all reports stands apart, because each report
// has the weight of its number of pairs there.
type differences struct {
	metrics     []string // the pairs are those of these metrics, see eachPair
	systemPairs int
	own, joint  [][]float64
}

func newDifferences(results []Result, usable []int) *differences {
	d := &differences{}
	for _, i := range usable {
		d.metrics = append(d.metrics, results[i].Name)
		d.systemPairs = results[i].System.Pairs
	}
	return d
}

// draws returns n rows, from the given permutation on, that sum the differences of a part. It returns
// nil if d is nil.
func (d *differences) draws(p part, first, n int) [][]float64 {
	if d == nil {
		return nil
	}
	for len(d.own) < first+n {
		d.own = append(d.own, make([]float64, stat.Choose2(len(d.metrics))))
		d.joint = append(d.joint, make([]float64, stat.Choose2(len(d.metrics))))
	}
	if p.joint != nil {
		return d.joint[first : first+n]
	}
	return d.own[first : first+n]
}

// difference returns the difference between two metrics in a permutation, for each kind of parts.
func (d *differences) difference(draw, x, y int) (own, joint float64) {
	if x < y {
		pair := pairIndex(x, y, len(d.metrics))
		return d.own[draw][pair], d.joint[draw][pair]
	}
	pair := pairIndex(y, x, len(d.metrics))
	return -d.own[draw][pair], -d.joint[draw][pair]
}

// overallTest tests the overall results, which must have a name and a meta score. It returns nil if a
// report has no permutations.
func overallTest(reports []Report, all []Result) *Test {
	var kept []*differences
	draws, systemPairs := 0, 0
	for _, r := range reports {
		if len(r.Tests) == 0 || r.Tests[len(r.Tests)-1].kept == nil || len(r.Tests[len(r.Tests)-1].kept.own) == 0 {
			return nil
		}
		d := r.Tests[len(r.Tests)-1].kept
		kept = append(kept, d)
		systemPairs += d.systemPairs
		draws = max(draws, len(d.own))
	}
	usable := slices.DeleteFunc(indices(len(all)), func(i int) bool {
		return !stat.Defined(all[i].Meta) ||
			slices.ContainsFunc(kept, func(d *differences) bool { return !slices.Contains(d.metrics, all[i].Name) })
	})
	places := make([][]int, len(kept)) // by report and metric: its place in the report
	for k, d := range kept {
		for _, i := range usable {
			places[k] = append(places[k], slices.Index(d.metrics, all[i].Name))
		}
	}
	c := newTally(usable)
	eachPair(len(usable), func(x, y, pair int) { c.observed[pair] = all[usable[x]].Meta - all[usable[y]].Meta })
	combined := make([]float64, len(c.observed))
	for draw := range draws {
		clear(combined)
		for k, d := range kept {
			share := stat.Ratio(d.systemPairs, systemPairs)
			eachPair(len(usable), func(x, y, pair int) {
				own, joint := d.difference((draw+k)%len(d.own), places[k][x], places[k][y])
				combined[pair] += own/float64(len(kept)) + joint*share
			})
		}
		c.add(combined)
	}
	test := c.test(metaScore, all)
	return &test
}
