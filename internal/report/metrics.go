package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"annotate/internal/chart"
	"annotate/internal/metaeval"
	"annotate/internal/wording"
)

// metricsSection shows the evaluation of metrics in the layout of Tables 3 and 8 to 11
// of Tian et al. 2026.
func metricsSection(all []Evaluation, o Options) Section {
	s := Section{
		ID:    MetricsSection,
		Title: "Metrics",
		Note: "Correlations and accuracies are those of mt-metrics-eval, times 100. The tables of rescaled errors and of scores of systems state their own scales. Acc.: pairwise ranking accuracy of systems; r: Pearson; ρ: Spearman; SPA: soft pairwise accuracy; τ: Kendall's tau-b. " +
			"Acc-t: pairwise accuracy with tie calibration, averaged by item unless marked as pooled; ε is its threshold for ties. " +
			"A statistic is undefined if scores are constant, too few, or missing at its level. A meta score is undefined if a part of it is.",
	}
	judged := slices.DeleteFunc(slices.Clone(all), func(e Evaluation) bool { return len(e.Report.Metrics) == 0 })
	for _, e := range all {
		s.Paragraphs = append(s.Paragraphs, e.words(len(all) > 1)...)
	}
	if len(judged) == 0 {
		s.Paragraphs = append(
			[]string{"No metric was judged: that requires a human score, at least one metric with scores, and systems to compare."},
			s.Paragraphs...)
		return s
	}
	allSegments := make([]resultSet, len(judged))
	for i, e := range judged {
		allSegments[i] = resultSet{e.Label, e.Report.Preset, e.Report.Metrics, e.Report.Tests}
	}
	if len(judged) > 1 {
		if all := overall(allSegments); len(all.results) > 0 {
			s.Paragraphs = append(s.Paragraphs, overallWords(all.results, allSegments))
			if lacksOverallInterval(all.results, allSegments) {
				s.Paragraphs = append(s.Paragraphs,
					"The meta score over all has no interval: two of them have some documents in common, but not all of them in the same order.")
			}
		}
	}
	s.Tables = append(
		s.Tables,
		mainTable(
			allSegments, o, "metrics", "Metrics against human scores",
			"System-level and segment-level statistics of the metrics, with their meta score.",
		),
		moreTable(allSegments, "metrics-more", "More statistics of the metrics"),
	)
	s.Tables = append(s.Tables, rescaledTables(allSegments)...)
	s.Tables = append(s.Tables, intervalTables(allSegments, judged, "metrics", "Intervals of the statistics", "")...)
	for i, e := range judged {
		if len(e.Sensitivity) > 0 {
			id, of := numbered("metrics-sensitivity", i, judged)
			s.Tables = append(s.Tables, sensitivityTable(e, id, of))
			s.Paragraphs = append(s.Paragraphs, sensitivityWords(e)...)
		}
	}
	for i, e := range judged {
		if e.Report.Lengths != nil {
			id, of := numbered("metrics-lengths", i, judged)
			s.Tables = append(s.Tables, lengthTables(e, id, of)...)
		}
	}
	for i, e := range judged {
		if len(e.Report.SystemScores) > 0 {
			id, of := numbered("metrics-scores", i, judged)
			s.Tables = append(s.Tables, scoresTable(e, id, of))
		}
	}
	s.Tables = append(s.Tables, significanceTables(allSegments, o, "metrics")...)
	for i, e := range judged {
		for _, test := range e.Report.Williams {
			id, of := numbered("metrics-williams", i, judged)
			s.Tables = append(s.Tables, pTable(test, id, of))
		}
	}
	for _, domain := range domainsOf(judged) {
		var within []resultSet
		for _, e := range judged {
			for _, d := range e.Report.Domains {
				if d.Domain == domain && len(d.Metrics) > 0 {
					within = append(within, resultSet{e.Label, e.Report.Preset, d.Metrics, d.Tests})
				}
			}
		}
		id := "metrics-domain-" + slug(domain)
		s.Tables = append(s.Tables, mainTable(within, o, id, "Metrics in the domain "+domain,
			fmt.Sprintf("System-level and segment-level statistics of the metrics in the domain %s, evaluated as if the data had no other segments.", domain)),
			moreTable(within, id+"-more", "More statistics in the domain "+domain))
		s.Tables = append(s.Tables, intervalTables(within, judged, id, "Intervals in the domain "+domain, " in the domain "+domain)...)
		s.Tables = append(s.Tables, significanceTables(within, o, id)...)
	}
	s.Tables = append(s.Tables, classTables(judged, o)...)
	for i, e := range judged {
		if f := domainFigure(e, i, len(judged) > 1); len(f.Bars.Series) > 1 {
			s.Figures = append(s.Figures, f)
		}
		id, of := numbered("metrics-quality", i, judged)
		if f := qualityFigure(e, id, of); len(f.Bars.Labels) > 1 {
			s.Figures = append(s.Figures, f)
		}
	}
	return s
}

// lacksOverallInterval reports whether a metric has an interval of its meta score in each set, but none over all.
func lacksOverallInterval(all []metaeval.OverallResult, sets []resultSet) bool {
	return slices.ContainsFunc(all, func(o metaeval.OverallResult) bool {
		return o.Interval.Resamples == 0 && !slices.ContainsFunc(sets, func(set resultSet) bool {
			r, ok := set.result(o.Name)
			return !ok || len(r.Intervals) == 0 || r.Intervals[0].Resamples == 0
		})
	})
}

// classTables has a table for each class of systems.
func classTables(judged []Evaluation, o Options) (tables []Table) {
	classes := map[string][]resultSet{}
	for _, e := range judged {
		for _, c := range e.Classes {
			classes[c.Class] = append(classes[c.Class], resultSet{label: e.Label, preset: e.Report.Preset, results: c.Metrics})
		}
	}
	for _, class := range sorted(classes) {
		id := "metrics-class-" + slug(class)
		tables = append(tables, mainTable(classes[class], o, id, "Metrics among the systems of the class "+class,
			fmt.Sprintf("System-level and segment-level statistics of the metrics over the systems of the class %s alone.", class)))
		tables = append(tables, intervalTables(classes[class], judged, id, "Intervals among the systems of the class "+class,
			" over the systems of the class "+class)...)
	}
	return tables
}

// domainFigure shows the meta score of each metric in each domain (Figure 5 of "Beyond
// Literal Mapping"). Metrics are in the order of their overall rank.
func domainFigure(e Evaluation, number int, several bool) Figure {
	f := Figure{ID: "metrics-domains", Title: "Meta scores by domain", Kind: BarsFigure,
		Caption: "The meta score of each metric in each domain, times 100.",
		X:       chart.Axis{Label: "Metric"}, Y: chart.Axis{Label: "Meta", Decimals: 1}}
	if several {
		f.ID, f.Title = fmt.Sprintf("metrics-domains-%d", number+1), f.Title+" ("+e.Label+")"
	}
	f.Table = Table{ID: f.ID, Title: f.Title, Caption: f.Caption, Columns: texts("Metric")}
	for _, r := range e.Report.Metrics {
		f.Bars.Labels = append(f.Bars.Labels, r.Name)
		f.Table.add(text(r.Name))
	}
	var words []string
	for _, d := range e.Report.Domains {
		if len(d.Metrics) == 0 {
			continue
		}
		set := resultSet{results: d.Metrics}
		series := chart.BarSeries{Name: d.Domain}
		f.Table.addColumns(higher(hundredths(d.Domain)))
		for i, name := range f.Bars.Labels {
			r := set.resultOf(name)
			series.Values = append(series.Values, 100*r.Meta)
			f.Table.Rows[i].Cells = append(f.Table.Rows[i].Cells, value(r.Meta))
		}
		f.Bars.Series = append(f.Bars.Series, series)
		words = append(words, fmt.Sprintf("%s: %s", d.Domain, bestWords(d.Metrics)))
	}
	f.Table.markBest()
	f.Words = "Bars for each metric, one for each domain. " + strings.Join(words, " ")
	return f
}

// A resultSet holds the results of one evaluation, or of one domain of it. Tables show
// several result sets side by side.
type resultSet struct {
	label   string
	preset  metaeval.Preset
	results []metaeval.Result
	tests   []metaeval.Test
}

func (set resultSet) result(metric string) (metaeval.Result, bool) {
	i := slices.IndexFunc(set.results, func(r metaeval.Result) bool { return r.Name == metric })
	if i < 0 {
		return metaeval.Result{}, false
	}
	return set.results[i], true
}

// resultOf returns the result of a metric, which is undefined if the set has none.
func (set resultSet) resultOf(metric string) metaeval.Result {
	r, ok := set.result(metric)
	if !ok {
		return metaeval.UndefinedResult("")
	}
	return r
}

// domainsOf returns the domains of all evaluations in byte order.
func domainsOf(all []Evaluation) []string {
	seen := map[string]bool{}
	for _, e := range all {
		for _, d := range e.Report.Domains {
			seen[d.Domain] = seen[d.Domain] || len(d.Metrics) > 0
		}
	}
	return slices.DeleteFunc(sorted(seen), func(name string) bool { return !seen[name] })
}

// words describes the evaluation and names the best metric.
func (e Evaluation) words(several bool) []string {
	r := e.Report
	what := ""
	if several {
		what = e.Label + ": "
	}
	about := fmt.Sprintf(
		"%s judged against the human score %s over %s of %s, by the preset %s (seed %d, %s).",
		what+wording.Counted(len(r.Metrics), "metric was", "metrics were"), r.Human, wording.Counted(r.Segments, "segment"),
		wording.Counted(len(r.Systems), "system"), r.Preset, r.Seed, wording.Counted(r.Permutations, "permutation"),
	)
	if r.Average != metaeval.Pooled {
		about += fmt.Sprintf(" r, ρ and τ of segments are averaged by %s; the meta score uses those over all translations.", r.Average)
	}
	var out []string
	if len(r.Metrics) > 0 {
		out = append(out, about+" "+bestWords(r.Metrics))
	}
	if r.NoDomain > 0 {
		out = append(out, what+fmt.Sprintf("%s no domain and %s in no table by domain.",
			wording.Counted(r.NoDomain, "segment has", "segments have"), wording.Choose(r.NoDomain, "is", "are")))
	}
	var lower []string
	for _, m := range r.Metrics {
		if m.LowerIsBetter {
			lower = append(lower, m.Name)
		}
	}
	if len(lower) > 0 {
		out = append(
			out,
			what+fmt.Sprintf(
				"Lower scores of %s are better, as declared with %s: the scores are negated here, and the sign − follows the name.",
				wording.List(lower), wording.Choose(len(lower), "its import", "their import"),
			),
		)
	}
	var annotators []string
	for _, m := range r.Metrics {
		if m.Others {
			annotators = append(annotators, m.Name)
		}
	}
	if len(annotators) > 0 {
		slices.Sort(annotators)
		out = append(
			out,
			what+fmt.Sprintf(
				"%s compared with the mean of the other annotators, on the translations that others rated too.",
				wording.List(annotators)+wording.Choose(len(annotators), " is", " are each"),
			),
		)
	}
	for _, n := range r.NoSystem {
		out = append(out, what+n.String()+".")
	}
	for _, l := range r.LeftOut {
		out = append(out, what+fmt.Sprintf("%s is left out, since it lacks scores of %s.", l.Metric, wording.List(l.Systems)))
	}
	for _, note := range e.Notes {
		if note = strings.TrimSuffix(strings.TrimSpace(note), "."); note != "" {
			out = append(out, what+note+".")
		}
	}
	return out
}

func bestWords(results []metaeval.Result) string {
	var best []string
	results = slices.DeleteFunc(slices.Clone(results), func(r metaeval.Result) bool { return r.Rank == 0 })
	if len(results) == 0 {
		return "No metric has a rank."
	}
	for _, r := range results {
		if r.Rank == results[0].Rank {
			best = append(best, r.Name)
		}
	}
	switch {
	case results[0].Meta != results[0].Meta: // NaN
		return "No meta score is defined."
	case len(best) > 1:
		return fmt.Sprintf("%s share the first rank; the highest meta score is %s.", wording.List(best), wording.Decimal(100*results[0].Meta, 1))
	}
	return fmt.Sprintf("%s has the highest meta score, %s.", best[0], wording.Decimal(100*results[0].Meta, 1))
}

// joined holds the results over several result sets.
type joined struct {
	samePreset bool // the presets of all sets are equal; otherwise the other fields are empty
	results    []metaeval.OverallResult
	test       *metaeval.Test // nil if the sets were not tested
}

func overall(sets []resultSet) joined {
	var reports []metaeval.Report
	for _, set := range sets {
		if set.preset != sets[0].preset {
			return joined{}
		}
		reports = append(reports, metaeval.Report{Preset: set.preset, Metrics: set.results, Tests: set.tests})
	}
	results, test := metaeval.Overall(reports)
	return joined{true, results, test}
}

func overallWords(o []metaeval.OverallResult, sets []resultSet) string {
	if o[0].Meta != o[0].Meta {
		return "No overall meta score is defined: no metric has every part of it in each of them."
	}
	return fmt.Sprintf("Over all %d, %s has the highest meta score, %s.", len(sets), o[0].Name, wording.Decimal(100*o[0].Meta, 1))
}

// mainTable is the main table of the paper. With several result sets of the same preset
// it also has the overall meta score.
func mainTable(sets []resultSet, o Options, id, title, caption string) Table {
	all := overall(sets)
	t := Table{ID: id, Title: title, Caption: caption,
		Note:    "Times 100. Best, second and third of each column are marked. " + metaNote(sets, all),
		Columns: slices.Concat(counts("Rank"), texts("Metric"))}
	if o.ByGroup {
		t.addColumns(texts("Group"))
		t.Note += " Rows are divided by the group of the metric."
	}
	if all.samePreset {
		t.addColumns(higher(hundredths("Meta")))
	}
	rows := rowsOf(sets, all)
	if o.ByGroup {
		slices.SortStableFunc(rows, func(a, b metricRow) int { return compareGroups(a.group, b.group) })
	}
	for i, row := range rows {
		if o.ByGroup && i > 0 && rows[i-1].group != row.group {
			t.rule()
		}
		rank := count(row.rank)
		if row.rank == 0 {
			rank = value(undefined)
		}
		cells := []Cell{rank, text(row.label())}
		if o.ByGroup {
			cells = append(cells, text(cmp.Or(row.group, "(none)")))
		}
		if all.samePreset {
			cells = append(cells, value(row.meta))
		}
		t.add(cells...)
	}
	t.addStatistics(sets, rows, func(set resultSet) []statistic {
		if len(sets) == 1 {
			return mainStatistics(set)
		}
		meta := higherBetter("", "Meta", func(r metaeval.Result) float64 { return r.Meta })
		return append([]statistic{meta}, mainStatistics(set)...)
	})
	t.markBest()
	return t
}

// compareGroups sorts groups of metrics by name. Metrics without a group come last.
func compareGroups(a, b string) int {
	if (a == "") != (b == "") {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// A statistic is a column of a table of metrics.
type statistic struct {
	column []Column
	of     func(metaeval.Result) Cell
}

// higherBetter is a statistic that is written times 100.
func higherBetter(level, name string, of func(metaeval.Result) float64) statistic {
	return statistic{under(level, higher(hundredths(name))), func(r metaeval.Result) Cell { return value(of(r)) }}
}

// addStatistics adds the statistics of each result set to a table that has rows of metrics.
func (t *Table) addStatistics(sets []resultSet, rows []metricRow, statistics func(resultSet) []statistic) {
	for _, set := range sets {
		for _, s := range statistics(set) {
			column := s.column
			if len(sets) > 1 {
				column = under(set.label, column)
			}
			t.addColumns(column)
			for i, row := range rows {
				t.Rows[i].Cells = append(t.Rows[i].Cells, s.of(set.resultOf(row.name)))
			}
		}
	}
}

const systemLevel, segmentLevel = "System level", "Segment level"

// mainStatistics returns the columns of the main table: the parts of the meta score and, beside
// correlations, those that the papers show.
func mainStatistics(set resultSet) []statistic {
	accT := higherBetter(segmentLevel, "Acc-t", func(r metaeval.Result) float64 { return r.Segment.AccT })
	switch set.preset {
	case metaeval.WMT24:
		return []statistic{higherBetter(systemLevel, "SPA", func(r metaeval.Result) float64 { return r.System.SPA }), accT}
	case metaeval.MENT:
		accT = higherBetter(segmentLevel, "Acc-t (pooled)", func(r metaeval.Result) float64 { return r.Segment.AccTPooled })
	}
	return []statistic{
		higherBetter(systemLevel, "Acc.", func(r metaeval.Result) float64 { return r.System.Acc }),
		higherBetter(systemLevel, "r", func(r metaeval.Result) float64 { return r.System.Pearson }),
		higherBetter(systemLevel, "ρ", func(r metaeval.Result) float64 { return r.System.Spearman }),
		accT,
		higherBetter(segmentLevel, "r", func(r metaeval.Result) float64 { return r.Segment.Pearson }),
		higherBetter(segmentLevel, "ρ", func(r metaeval.Result) float64 { return r.Segment.Spearman }),
	}
}

func metaNote(sets []resultSet, all joined) string {
	note := "Meta is the mean of accuracies and (r+1)/2 (preset wmt23)."
	switch sets[0].preset {
	case metaeval.MENT:
		note = "Meta is the plain mean of the six statistics beside it (preset ment)."
	case metaeval.WMT24:
		note = "Meta is the mean of SPA and Acc-t (preset wmt24)."
	}
	if len(sets) > 1 {
		note += " The rank is by the meta score over all."
	}
	if len(sets) == 1 && len(sets[0].tests) > 0 || all.test != nil {
		note += " Equal ranks: no significant difference of the meta score."
	}
	return note
}

// A metricRow is a metric in a table.
type metricRow struct {
	name, group string
	negated     bool
	rank        int
	meta        float64
}

func (p metricRow) label() string { return metaeval.Label(p.name, p.negated) }

// rowsOf returns the rows of a table: by rank if there is one result set, or by overall
// rank. If presets differ, there is no overall rank, and metrics are in the order of
// the result sets.
func rowsOf(sets []resultSet, all joined) (rows []metricRow) {
	defer func() {
		for i := range rows {
			for _, set := range sets {
				if r, ok := set.result(rows[i].name); ok {
					rows[i].group, rows[i].negated = cmp.Or(rows[i].group, r.Group), r.LowerIsBetter
				}
			}
		}
	}()
	if all.samePreset && len(sets) > 1 {
		for _, o := range all.results {
			rows = append(rows, metricRow{name: o.Name, rank: o.Rank, meta: o.Meta})
		}
		return rows
	}
	for _, set := range sets {
		for _, r := range set.results {
			if !slices.ContainsFunc(rows, func(p metricRow) bool { return p.name == r.Name }) {
				rows = append(rows, metricRow{name: r.Name, rank: r.Rank, meta: r.Meta})
			}
		}
	}
	return rows
}

// moreTable has the statistics that the main table leaves out.
func moreTable(sets []resultSet, id, title string) Table {
	t := Table{ID: id, Title: title,
		Caption: "Soft pairwise accuracy, Kendall's tau-b, and pairwise accuracy averaged by item with its threshold for ties.",
		Note:    "Times 100 except ε, which is in points of the metric.", Columns: texts("Metric")}
	rows := rowsOf(sets, overall(sets))
	t.addMetrics(rows)
	t.addStatistics(sets, rows, func(resultSet) []statistic {
		return []statistic{
			higherBetter(systemLevel, "SPA", func(r metaeval.Result) float64 { return r.System.SPA }),
			higherBetter(systemLevel, "τ", func(r metaeval.Result) float64 { return r.System.Kendall }),
			higherBetter(segmentLevel, "Acc-t", func(r metaeval.Result) float64 { return r.Segment.AccT }),
			{under(segmentLevel, numbers(4, "ε")), func(r metaeval.Result) Cell { return value(r.Segment.Epsilon) }},
			higherBetter(segmentLevel, "τ", func(r metaeval.Result) float64 { return r.Segment.Kendall }),
		}
	})
	t.markBest()
	return t
}

// addMetrics adds a row for each metric, with its name.
func (t *Table) addMetrics(rows []metricRow) {
	for _, row := range rows {
		t.add(text(row.label()))
	}
}

// significanceTables returns, for result sets with tests, the clusters of the metrics
// by each statistic and the p-values of the meta score or, if the options ask for them, of
// every statistic.
func significanceTables(sets []resultSet, o Options, id string) (out []Table) {
	for i, set := range sets {
		if len(set.tests) == 0 {
			continue
		}
		name, of := id, ""
		if len(sets) > 1 {
			name, of = fmt.Sprintf("%s-%d", id, i+1), " ("+set.label+")"
		}
		clusters := Table{ID: name + "-clusters", Title: "Clusters of metrics" + of, Caption: "The cluster of each metric by each statistic.",
			Note:    "A metric starts a new cluster if any metric of the current cluster is significantly better (PERM-BOTH permutation test, p ≤ 0.05).",
			Columns: texts("Metric")}
		for _, test := range set.tests {
			clusters.addColumns(counts(test.Statistic))
		}
		for _, r := range set.results {
			row := []Cell{text(r.Name)}
			for _, test := range set.tests {
				v := undefined
				if k, ok := test.Clusters[r.Name]; ok && slices.Contains(test.Metrics, r.Name) {
					v = float64(k)
				}
				row = append(row, value(v))
			}
			clusters.add(row...)
		}
		out = append(out, clusters)
		for k, test := range set.tests {
			switch meta := k == len(set.tests)-1; {
			case len(test.Metrics) < 2:
			case meta:
				out = append(out, pTable(test, name+"-p", of))
			case o.EveryTest:
				out = append(out, pTable(test, name+"-p-"+slug(test.Statistic), of))
			}
		}
	}
	if all := overall(sets); len(sets) > 1 && all.test != nil && len(all.test.Metrics) > 1 {
		out = append(out, pTable(*all.test, id+"-p-all", " (over all)"))
	}
	return out
}

// pTable returns the matrix of p-values of a test.
func pTable(test metaeval.Test, id, of string) Table {
	t := Table{ID: id, Title: "Significance of differences in " + test.Statistic + of,
		Caption: "p-values of the hypothesis that the metric of the row is no better than the metric of the column.",
		Note:    "Metrics from best to worst; p-values at or below 0.05 are marked as significant. The tests are one-sided and not corrected for multiple testing.", Columns: texts("Metric")}
	t.addMatrix(pValues(3, test.Metrics...), func(i, j int) Cell {
		if j <= i {
			return blank
		}
		return Cell{Value: test.P[i][j], Significant: test.P[i][j] <= 0.05}
	})
	return t
}
