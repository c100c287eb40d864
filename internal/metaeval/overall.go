package metaeval

import (
	"slices"

	"annotate/internal/stat"
)

// An OverallResult is a metric's meta score over several reports.
type OverallResult struct {
	Name string
	Meta float64 // NaN if a report lacks the metric or a part of it
	Rank int     // by Meta, from 1; with significance tests the number of the cluster
}

// Overall combines reports of several language pairs, all with the same preset. Metrics
// are matched by name. With [MENT] and [WMT24] the meta score is the mean of all statistics of
// all reports. With [WMT23] one accuracy is computed over the system pairs of all reports
// and counts as many times as there are reports (WMT23 and WMT24 in tasks.py of
// mt-metrics-eval). It panics if the presets differ.
//
// If all reports were made with [Task.Joint], the test compares the metrics that have a meta score
// in each report (AverageCorrMatrix in tasks.py of mt-metrics-eval): the permutations of the reports
// are independent, and their differences are combined as the meta score combines the statistics.
// Otherwise the test is nil. Reports with the same seed share random numbers, so the
// permutations of each report are shifted by its place. For the accuracy over all pairs of systems, mt-metrics-eval standardises the scores of a metric over all
// language pairs before it exchanges them; here they are standardised within each.
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
	out := make([]OverallResult, len(all))
	for i, r := range all {
		out[i] = OverallResult{r.Name, r.Meta, r.Rank}
		if test != nil {
			out[i].Rank = test.Clusters[r.Name]
		}
	}
	return out, test
}

func overall(reports []Report, name string) float64 {
	var s stat.Sum
	var results []Result
	parts := reports[0].Preset.parts()
	for _, report := range reports {
		i := slices.IndexFunc(report.Metrics, func(r Result) bool { return r.Name == name })
		if i < 0 {
			return missing
		}
		results = append(results, report.Metrics[i])
		for _, part := range parts {
			if part.joint == nil {
				s.Add(part.scaled(part.value(report.Metrics[i])))
			}
		}
	}
	for _, part := range parts {
		if part.joint != nil {
			s.Add(float64(len(reports)) * part.scaled(part.joint(results)))
		}
	}
	return s.Value() / float64(len(reports)*len(parts))
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
		return !stat.Defined(all[i].Meta) || slices.ContainsFunc(kept, func(d *differences) bool { return !slices.Contains(d.metrics, all[i].Name) })
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
