package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/chart"
	"annotate/internal/metaeval"
	"annotate/internal/wording"
)

// numbered returns the id and the end of the title of a table that each evaluation has.
// If there are several evaluations, it numbers the ids.
func numbered(id string, i int, all []Evaluation) (ownID, of string) {
	if len(all) == 1 {
		return id, ""
	}
	return fmt.Sprintf("%s-%d", id, i+1), " (" + all[i].Label + ")"
}

// scoresTable has the scores of the systems by each metric (Table 3 of Han et al.
// 2026).
func scoresTable(e Evaluation, id, of string) Table {
	r := e.Report
	t := Table{ID: id, Title: "Scores of the systems" + of,
		Caption: fmt.Sprintf("The score of each system by the human score %s and by each metric.", r.Human),
		Note:    "Scores are neither negated nor rescaled. The systems are in the order of the human score. Best, second and third of each column are marked.",
		Columns: []Column{{Name: "System", Kind: Text}, scoreColumn(r.Human, "Human score", r.SystemScores, Higher)}}
	for _, m := range r.Metrics {
		better := Higher
		if m.LowerIsBetter {
			better = Lower
		}
		t.Columns = append(t.Columns, scoreColumn(m.Name, "Metrics", m.SystemScores, better))
	}
	places := make([]int, len(r.Systems))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(r.SystemScores[b], r.SystemScores[a]) })
	for _, i := range places {
		row := []Cell{text(r.Systems[i]), value(r.SystemScores[i])}
		for _, m := range r.Metrics {
			row = append(row, value(m.SystemScores[i]))
		}
		t.add(row...)
	}
	t.markBest()
	return t
}

// qualityFigure has the translations of high, medium and low quality by the human score and each metric that
// counts errors (Figure 2 of Feng et al. 2025).
func qualityFigure(e Evaluation, id, of string) Figure {
	f := Figure{ID: id, Title: "Translations by quality" + of, Kind: BarsFigure,
		Caption: "The translations of high quality (score 0), of medium quality (between −5 and 0) and of low quality (at most −5), in percent, by the human score and by each metric that counts errors.",
		X:       chart.Axis{Label: "Score"}, Y: chart.Axis{Label: "Translations in percent"},
		Bars: chart.Bars{Series: []chart.BarSeries{{Name: "High"}, {Name: "Medium"}, {Name: "Low"}}}}
	f.Table = Table{ID: id, Title: f.Title, Caption: f.Caption,
		Note:    "A metric counts errors if none of its scores is above 0 and some, but not all, are 0. It is counted over translations that have a human score too.",
		Columns: slices.Concat(texts("Score"), counts("Translations"))}
	for _, s := range f.Bars.Series {
		f.Table.addColumns(hundredths(s.Name))
	}
	add := func(name string, q metaeval.Qualities) {
		if q.All() == 0 {
			return
		}
		f.Bars.Labels = append(f.Bars.Labels, name)
		row := []Cell{text(name), count(q.All())}
		for i, n := range []int{q.High, q.Medium, q.Low} {
			share := float64(n) / float64(q.All())
			f.Bars.Series[i].Values = append(f.Bars.Series[i].Values, 100*share)
			row = append(row, value(share))
		}
		f.Table.add(row...)
	}
	add(e.Report.Human, e.Report.Qualities)
	for _, m := range e.Report.Metrics {
		add(m.Name, m.Qualities)
	}
	if q := e.Report.Qualities; q.All() > 0 {
		f.Words = fmt.Sprintf("Three bars for each score. By the human score %s, %s of the translations are of high and %s of low quality.",
			e.Report.Human, percent(q.High, q.All()), percent(q.Low, q.All()))
	}
	return f
}

// drawnMetrics says how the intervals of metrics come about. units is the smallest number of documents that they draw.
func drawnMetrics(units int) string {
	return "Intervals are percentiles of bootstrap resamples, expanded for few documents (Hesterberg 2015). A resample draws documents with replacement, or segments if documents are unknown. A value that no resample changes has none." + narrowNote(units)
}

// intervalTable has the confidence intervals of the statistics of a result set. columns are those of [metaeval.Result.Intervals].
func intervalTable(set resultSet, columns []metaeval.Column, resamples int, id, title, where string) Table {
	t := Table{
		ID:    id,
		Title: title,
		Caption: fmt.Sprintf(
			"%.0f%% confidence intervals of the statistics of the metrics%s, from %s of documents.", 100*metaeval.Level, where,
			wording.Counted(resamples, "resample"),
		),
		Note: "Times 100 except ε. " + drawnMetrics(set.units()) +
			" The interval of r of systems is Fieller's, by the jackknife over documents, since resamples lower this r. A statistic of systems has no interval if a metric's scores of systems are not the means of their segments. Intervals do not hold for other systems.",
		Columns: texts("Metric"),
	}
	for _, c := range columns {
		kind, decimals := Hundredths, 1
		if c.Tie {
			kind, decimals = Number, 4
		}
		level, name := statisticHeads(c)
		t.addColumns(bounds(under(level, columnsOf(kind, decimals, name))))
	}
	for _, m := range set.results {
		t.addBounds([]Cell{text(metaeval.Label(m.Name, m.LowerIsBetter))}, m.Intervals...)
	}
	return t
}

// units returns the number of documents that the intervals of the set draw, or 0 if it has none.
func (set resultSet) units() int {
	for _, r := range set.results {
		if len(r.Intervals) > 0 {
			return r.Intervals[0].Units
		}
	}
	return 0
}

// intervalTables has the intervals of the statistics of each result set, and those of the meta score over all. It is empty if the sets have
// none.
func intervalTables(sets []resultSet, all []Evaluation, id, title, where string) (tables []Table) {
	for _, set := range sets {
		if set.units() < 2 {
			continue
		}
		place := slices.IndexFunc(all, func(e Evaluation) bool { return e.Label == set.label })
		own, of := numbered(id+"-intervals", place, all)
		r := all[place].Report
		tables = append(tables, intervalTable(set, r.Tables()[0].Columns, r.Resamples, own, title+of, where))
	}
	o := overall(sets)
	has := slices.ContainsFunc(o.results, func(r metaeval.OverallResult) bool { return r.Interval.Resamples > 0 })
	if len(sets) < 2 || !has {
		return tables
	}
	var labels []string
	for _, set := range sets {
		labels = append(labels, set.label)
	}
	t := Table{
		ID:      id + "-intervals-all",
		Title:   title + " (over all)",
		Caption: fmt.Sprintf("%.0f%% confidence intervals of the meta score over %s%s.", 100*metaeval.Level, wording.List(labels), where),
		Columns: slices.Concat(texts("Metric"), hundredths("Meta"), bounds(hundredths(intervalName()))),
	}
	units := 0
	for _, r := range o.results {
		units = max(units, r.Interval.Units)
		t.addBounds([]Cell{text(r.Name), value(r.Meta)}, r.Interval)
	}
	t.Note = "Times 100. " + drawnMetrics(units) +
		" Where two of these have the same documents, both draw the same ones; otherwise each draws its own."
	return append(tables, t)
}

// statisticWords are the names of statistics as tables show them.
var statisticWords = map[string]string{
	"meta": "Meta", "acc": "Acc.", "pearson": "r", "spearman": "ρ", "kendall": "τ", "spa": "SPA", "acc_t": "Acc-t",
	"acc_t_pooled": "Acc-t (pooled)", "epsilon": "ε",
}

// statisticHeads returns the level and the name of a statistic, as in the heads of the other tables.
func statisticHeads(c metaeval.Column) (level, words string) {
	name, by, averaged := strings.Cut(c.Name, "_by_")
	words = statisticWords[name]
	if averaged {
		words += " by " + by
	}
	if c.Level != "" {
		level = capitalised(c.Level) + " level"
	}
	return level, words
}

// scoreColumn has two decimals if a score reaches 10, as on a scale from 0 to 100, and
// otherwise four.
func scoreColumn(name, group string, scores []float64, better Better) Column {
	c := Column{Name: name, Group: []string{group}, Kind: Number, Decimals: 4, Better: better}
	if slices.ContainsFunc(scores, func(v float64) bool { return math.Abs(v) >= 10 }) {
		c.Decimals = 2
	}
	return c
}

// rescaledTable has the errors of the metrics (Table 1 of Zhang et al. 2025).
func rescaledTables(sets []resultSet) []Table {
	t := Table{
		ID:      "metrics-errors",
		Title:   "Errors of the metrics",
		Caption: "Mean absolute error (MAE) and mean squared error (MSE) of the metrics against the human score, after rescaling.",
		Note: "Rescaling: the human score and each metric are rescaled to the range from 0 to 1, (score − lowest) / (highest − lowest), over all translations that have both scores. If lower scores are better, they are negated first. " +
			"The errors depend on the lowest and the highest score and are comparable only within this table. They are undefined where a score is constant or infinite.",
		Columns: texts("Metric"),
	}
	rows := rowsOf(sets, overall(sets))
	t.addMetrics(rows)
	t.addStatistics(sets, rows, func(resultSet) []statistic {
		return []statistic{
			{lower(numbers(4, "MAE")), func(r metaeval.Result) Cell { return Cell{Value: r.Segment.MAE, interval: r.MAEInterval} }},
			{lower(numbers(4, "MSE")), func(r metaeval.Result) Cell { return Cell{Value: r.Segment.MSE, interval: r.MSEInterval} }},
		}
	})
	t.markBest()
	return withIntervals(t, "Resamples keep the lowest and the highest score by which all are rescaled.")
}

// withIntervals returns a table, and that of the intervals of its values if there are any.
func withIntervals(t Table, note string) []Table {
	if t.columnsWithIntervals() == 0 {
		return []Table{t}
	}
	units := math.MaxInt
	for _, in := range t.cellIntervals() {
		if in.Resamples > 0 {
			units = min(units, in.Units)
		}
	}
	var all []bool
	for _, c := range t.Columns {
		all = append(all, c.Kind.Numeric())
	}
	apart := t.intervals(all, note+" "+drawnMetrics(units))
	t.removeIntervals()
	return []Table{t, apart}
}

// tokensNote defines the length of a source.
const tokensNote = "Tokens are those of BLEU's tokenizer for the language of the sources: words and punctuation marks (13a), in Chinese (zh), Japanese and Thai (char) every character."

// lengthTable has the correlations by length of the source (Table 3 of Zhang et al. 2025).
func lengthTables(e Evaluation, id, of string) []Table {
	t := Table{
		ID:      id,
		Title:   "Metrics by length of the source" + of,
		Caption: "Kendall's tau-b and Spearman's ρ of translations, by the length of the source in tokens.",
		Note: "Times 100, over all translations of a group at once. " + tokensNote + " " +
			"A statistic is undefined if a group has fewer than two translations or its scores are constant.",
		Columns: texts("Metric"),
	}
	for i, segments := range e.Report.Lengths {
		group := []string{lengthLabel(metaeval.LengthGroups[i]), wording.Counted(segments, "segment")}
		for _, name := range []string{"τ", "ρ"} {
			t.Columns = append(t.Columns, Column{Name: name, Group: group, Kind: Hundredths, Decimals: 1, Better: Higher})
		}
	}
	for _, r := range e.Report.Metrics {
		cells := []Cell{text(metaeval.Label(r.Name, r.LowerIsBetter))}
		for _, s := range r.Lengths {
			cells = append(cells, Cell{Value: s.Kendall, interval: s.KendallInterval}, Cell{Value: s.Spearman, interval: s.SpearmanInterval})
		}
		t.add(cells...)
	}
	t.markBest()
	return withIntervals(t, "Times 100. Each group draws the documents that have segments of it; with fewer than two there is none.")
}

// lengthLabel returns the name of a group as it is shown, such as "Medium (13–27
// tokens)".
func lengthLabel(g metaeval.LengthGroup) string {
	switch {
	case g.To == 0:
		return fmt.Sprintf("%s (%d or more tokens)", capitalised(g.Name), g.From)
	case g.From == 0:
		return fmt.Sprintf("%s (up to %d tokens)", capitalised(g.Name), g.To)
	}
	return fmt.Sprintf("%s (%d–%d tokens)", capitalised(g.Name), g.From, g.To)
}
