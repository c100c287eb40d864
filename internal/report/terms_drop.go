package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"annotate/internal/chart"
	"annotate/internal/metaeval"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// dropGroups holds the scores of a metric by unit of resampling and group. The first group is translations
// that render all terms, the others are the types of error.
type dropGroups [][]dropSum

type dropSum struct {
	sum float64
	n   int
}

// drops returns the drop of the scores of each metric by type of error (Table 5 and Figure 5 of Han et al.
// 2026). Both are empty if no translation renders its terms.
func (p *termsPart) drops(ctx context.Context, e Evaluation, o Options) (t Table, f Figure, err error) {
	t = Table{
		ID:      "terms-drop",
		Title:   "Drop of metrics by type of error",
		Caption: "How far the mean score of each metric falls from the translations that render all their terms to those with an error of the type.",
		Note: "Values are over the translations whose terms all have a settled answer. A translation with several types counts for each. Drop is in units of the metric, SD in population standard deviations of its scores. Both are positive if the metric scores errors worse. " +
			"Marked with an asterisk: the interval of the drop, which draws whole documents, does not hold 0, and at least 97.5% of the resamples have the type. Segments and systems differ between the groups, so a drop is not the effect of the error alone.",
		Columns: slices.Concat(texts("Type of error"), counts("Translations")),
	}
	f = Figure{
		ID:      "terms-drop",
		Title:   "Sensitivity of metrics to types of errors",
		Kind:    BarsFigure,
		Caption: "Drop of the mean score of each metric by type of error, in its standard deviations.",
		X:       chart.Axis{Label: "Type of error"},
		Y:       chart.Axis{Label: "Drop (SD)", Decimals: 2},
	}
	values, labels := p.types()
	values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
	labels = labels[:len(values)]
	groupsOf := func(x outcome) (groups []int) {
		if x.rendered {
			groups = append(groups, 0)
		}
		for i, v := range values {
			if slices.Contains(x.types, v) {
				groups = append(groups, i+1)
			}
		}
		return groups
	}
	counts := make([]int, len(values)+1)
	for _, of := range p.outcomes {
		for system, x := range of {
			if slices.Contains(e.Report.Systems, system) {
				for _, g := range groupsOf(x) {
					counts[g]++
				}
			}
		}
	}
	if counts[0] == 0 {
		return Table{}, Figure{}, nil
	}
	for i, label := range labels {
		if counts[i+1] > 0 {
			t.add(text(label), count(counts[i+1]))
			f.Bars.Labels = append(f.Bars.Labels, label)
		}
	}
	units := metaeval.ResamplingUnits(p.documents)
	var words []string
	for _, m := range e.SegmentScores {
		groups, spread := p.dropGroups(m, units, e.Report.Systems, len(values)+1, groupsOf)
		drops := groups.drops(nil)
		var resamples [][]float64
		if len(units) > 1 {
			if resamples, err = stat.Resample(ctx, len(units), o.Resamples, o.Seed, groups.drops); err != nil {
				return t, f, err
			}
		}
		series := chart.BarSeries{Name: m.Name}
		t.addColumns(under(m.Name, numbers(3, "Drop"), numbers(2, "SD")))
		row, largest := 0, -1
		for i := range values {
			if counts[i+1] == 0 {
				continue
			}
			drawn := make([]float64, len(resamples))
			for k := range resamples {
				drawn[k] = resamples[k][i]
			}
			interval := stat.PercentileInterval(drawn, stat.ExpandedLevel(confidence, len(units)))
			cell := estimated(drops[i], interval)
			// A resample without the type has no drop, and could lie on either side of 0.
			defined := float64(interval.Resamples) >= (1+confidence)/2*float64(len(resamples))
			cell.Significant = defined && (interval.Low > 0 || interval.High < 0)
			t.Rows[row].Cells = append(t.Rows[row].Cells, cell, value(drops[i]/spread))
			series.Values = append(series.Values, drops[i]/spread)
			if stat.Defined(series.Values[row]) && (largest < 0 || series.Values[row] > series.Values[largest]) {
				largest = row
			}
			row++
		}
		f.Bars.Series = append(f.Bars.Series, series)
		if largest >= 0 {
			words = append(words, fmt.Sprintf("%s drops most for %s (%s)", m.Name, f.Bars.Labels[largest],
				wording.Decimal(series.Values[largest], 2)))
		}
	}
	f.Table = t
	f.Words = fmt.Sprintf("Bars for each type of error, one for each metric. %s.", cmp.Or(wording.List(words), "No drop is defined"))
	return t, f, nil
}

// dropGroups sums up the scores of a metric, negated if lower is better, and returns their standard deviation.
func (p *termsPart) dropGroups(m metaeval.Scores, units [][]int, systems []string, n int, groupsOf func(outcome) []int) (groups dropGroups, spread float64) {
	groups = make(dropGroups, n)
	for g := range groups {
		groups[g] = make([]dropSum, len(units))
	}
	var all []float64
	for u, places := range units {
		for _, k := range places {
			for _, system := range systems {
				x, judged := p.outcomes[k][system]
				row := m.Segment[system]
				if !judged || k >= len(row) || math.IsNaN(row[k]) {
					continue
				}
				score := row[k]
				if m.LowerIsBetter {
					score = -score
				}
				all = append(all, score)
				for _, g := range groupsOf(x) {
					groups[g][u].sum += score
					groups[g][u].n++
				}
			}
		}
	}
	return groups, stat.Deviation(all)
}

// drops returns the differences between the mean of the first group and the means of the others, over a
// sample of the units. If sample is nil, each unit counts once.
func (groups dropGroups) drops(sample []int) []float64 {
	mean := func(of []dropSum) float64 {
		sum, n := 0.0, 0
		add := func(x dropSum) { sum, n = sum+x.sum, n+x.n }
		if sample == nil {
			for _, x := range of {
				add(x)
			}
		}
		for _, u := range sample {
			add(of[u])
		}
		return sum / float64(n) // NaN if n is 0
	}
	out := make([]float64, len(groups)-1)
	for i := range out {
		out[i] = mean(groups[0]) - mean(groups[i+1])
	}
	return out
}
