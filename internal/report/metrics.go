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

// metricsSection lays out how metrics were judged, as Tables 3 and 8 to 11 of
// "Beyond Literal Mapping" print it.
func metricsSection(all []Evaluation, o Options) Section {
	s := Section{ID: MetricsSection, Title: "Metrics", Note: "Correlations and accuracies are those of mt-metrics-eval, times 100; rescaled errors and scores of systems say themselves what they are. Acc.: pairwise ranking accuracy of systems; r: Pearson; ρ: Spearman; SPA: soft pairwise accuracy; τ: Kendall's tau-b. " +
		"Acc-t: pairwise accuracy with tie calibration, averaged by item, pooled where it says so; ε is its threshold for ties. " +
		"A statistic is undefined where scores are constant, too few, or missing at its level; a meta score is undefined if a part of it is."}
	judged := slices.DeleteFunc(slices.Clone(all), func(e Evaluation) bool { return len(e.Report.Metrics) == 0 })
	for _, e := range all {
		s.Paragraphs = append(s.Paragraphs, e.words(len(all) > 1)...)
	}
	if len(judged) == 0 {
		s.Paragraphs = append([]string{"No metric was judged: it takes a human score, at least one metric with scores, and systems to compare."}, s.Paragraphs...)
		return s
	}
	whole := make([]board, len(judged))
	for i, e := range judged {
		whole[i] = board{e.Label, e.Report.Preset, e.Report.Metrics, e.Report.Tests}
	}
	if len(judged) > 1 {
		if joined, ok := overall(whole); ok && len(joined) > 0 {
			s.Paragraphs = append(s.Paragraphs, overallWords(joined, whole))
		}
	}
	s.Tables = append(s.Tables,
		mainTable(whole, o, "metrics", "Metrics against human scores", "System-level and segment-level statistics of the metrics, with their meta score."),
		moreTable(whole), rescaledTable(whole))
	for i, e := range judged {
		if e.Report.Lengths != nil {
			id, of := numbered("metrics-lengths", i, judged)
			s.Tables = append(s.Tables, lengthTable(e, id, of))
		}
	}
	for i, e := range judged {
		if len(e.Report.SystemScores) > 0 {
			id, of := numbered("metrics-scores", i, judged)
			s.Tables = append(s.Tables, scoresTable(e, id, of))
		}
	}
	s.Tables = append(s.Tables, significanceTables(whole, "metrics")...)
	for _, domain := range domainsOf(judged) {
		var within []board
		for _, e := range judged {
			for _, d := range e.Report.Domains {
				if d.Domain == domain && len(d.Metrics) > 0 {
					within = append(within, board{e.Label, e.Report.Preset, d.Metrics, d.Tests})
				}
			}
		}
		id := "metrics-domain-" + slug(domain)
		s.Tables = append(s.Tables, mainTable(within, o, id, "Metrics in the domain "+domain,
			fmt.Sprintf("System-level and segment-level statistics of the metrics in the domain %s, evaluated as if it were all there is.", domain)))
		s.Tables = append(s.Tables, significanceTables(within, id)...)
	}
	for i, e := range judged {
		if f := domainFigure(e, i, len(judged) > 1); len(f.Bars.Series) > 1 {
			s.Figures = append(s.Figures, f)
		}
	}
	return s
}

// domainFigure shows the meta score of each metric in each domain (Figure 5 of
// "Beyond Literal Mapping"), metrics in the order of their rank over all.
func domainFigure(e Evaluation, number int, several bool) Figure {
	f := Figure{ID: "metrics-domains", Title: "Meta scores by domain", Kind: BarsFigure, Caption: "The meta score of each metric in each domain, times 100.",
		X: chart.Axis{Label: "Metric"}, Y: chart.Axis{Label: "Meta", Decimals: 1}}
	if several {
		f.ID, f.Title = fmt.Sprintf("metrics-domains-%d", number+1), f.Title+" ("+e.Label+")"
	}
	f.Table = Table{ID: f.ID, Title: f.Title, Caption: f.Caption, Columns: []Column{{Name: "Metric", Kind: Text}}}
	for _, r := range e.Report.Metrics {
		f.Bars.Labels = append(f.Bars.Labels, r.Name)
		f.Table.Rows = append(f.Table.Rows, Row{Cells: []Cell{text(r.Name)}})
	}
	var words []string
	for _, d := range e.Report.Domains {
		if len(d.Metrics) == 0 {
			continue
		}
		b := board{results: d.Metrics}
		series := chart.BarSeries{Name: d.Domain}
		f.Table.Columns = append(f.Table.Columns, Column{Name: d.Domain, Kind: Hundredths, Decimals: 1, Better: Higher})
		for i, name := range f.Bars.Labels {
			r, ok := b.result(name)
			if !ok {
				r = lacking()
			}
			series.Values = append(series.Values, 100*r.Meta)
			f.Table.Rows[i].Cells = append(f.Table.Rows[i].Cells, value(r.Meta))
		}
		f.Bars.Series = append(f.Bars.Series, series)
		words = append(words, fmt.Sprintf("%s: %s", d.Domain, bestWords(d.Metrics)))
	}
	f.Table.mark()
	f.Words = "Bars for each metric, one for each domain. " + strings.Join(words, " ")
	return f
}

// A board is what stands side by side in a table: the results of one evaluation,
// or of a domain of it.
type board struct {
	label   string
	preset  metaeval.Preset
	results []metaeval.Result
	tests   []metaeval.Test
}

func (b board) result(metric string) (metaeval.Result, bool) {
	i := slices.IndexFunc(b.results, func(r metaeval.Result) bool { return r.Name == metric })
	if i < 0 {
		return metaeval.Result{}, false
	}
	return b.results[i], true
}

// domainsOf are the domains of all evaluations in byte order.
func domainsOf(all []Evaluation) []string {
	seen := map[string]bool{}
	for _, e := range all {
		for _, d := range e.Report.Domains {
			seen[d.Domain] = seen[d.Domain] || len(d.Metrics) > 0
		}
	}
	return slices.DeleteFunc(sorted(seen), func(name string) bool { return !seen[name] })
}

// words say what was judged by what, and which metric came out best.
func (e Evaluation) words(several bool) []string {
	r := e.Report
	what := ""
	if several {
		what = e.Label + ": "
	}
	about := fmt.Sprintf("%s judged against the human score %s over %s of %s, by the preset %s (seed %d, %s).",
		what+wording.Counted(len(r.Metrics), "metric was", "metrics were"), r.Human, wording.Counted(r.Segments, "segment"), wording.Counted(len(r.Systems), "system"), r.Preset, r.Seed, wording.Counted(r.Permutations, "permutation"))
	if r.Average != metaeval.Pooled {
		about += fmt.Sprintf(" r, ρ and τ of segments are averaged by %s; the meta score takes those over all translations.", r.Average)
	}
	var out []string
	if len(r.Metrics) > 0 {
		out = append(out, about+" "+bestWords(r.Metrics))
	}
	if r.NoDomain > 0 {
		out = append(out, what+fmt.Sprintf("%s without a domain in no table by domain.", wording.Counted(r.NoDomain, "segment is", "segments are")))
	}
	var lower []string
	for _, m := range r.Metrics {
		if m.LowerIsBetter {
			lower = append(lower, m.Name)
		}
	}
	if len(lower) > 0 {
		out = append(out, what+fmt.Sprintf("Lower scores of %s are better, as declared with %s: the scores are negated here, and the sign − stands behind the name.", wording.List(lower), wording.Choose(len(lower), "its import", "their import")))
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

// overall joins boards that have the same preset.
func overall(boards []board) ([]metaeval.OverallResult, bool) {
	var reports []metaeval.Report
	for _, b := range boards {
		if b.preset != boards[0].preset {
			return nil, false
		}
		reports = append(reports, metaeval.Report{Preset: b.preset, Metrics: b.results})
	}
	return metaeval.Overall(reports), true
}

func overallWords(o []metaeval.OverallResult, boards []board) string {
	if o[0].Meta != o[0].Meta {
		return "Over all of them no meta score is defined: no metric has every part of it everywhere."
	}
	return fmt.Sprintf("Over all %d, %s has the highest meta score, %s.", len(boards), o[0].Name, wording.Decimal(100*o[0].Meta, 1))
}

// mainTable is that of the paper: for several boards with the meta score over all
// of them, where these have the same preset.
func mainTable(boards []board, o Options, id, title, caption string) Table {
	t := Table{ID: id, Title: title, Caption: caption, Note: "Times 100. Best, second and third of each column are marked. " + metaNote(boards),
		Columns: []Column{{Name: "Rank", Kind: Count}, {Name: "Metric", Kind: Text}}}
	if o.ByGroup {
		t.Columns = append(t.Columns, Column{Name: "Group", Kind: Text})
		t.Note += " Rows are divided by the group of the metric."
	}
	percent := Column{Kind: Hundredths, Decimals: 1, Better: Higher}
	column := func(name string, group ...string) {
		c := percent
		c.Name, c.Group = name, group
		t.Columns = append(t.Columns, c)
	}
	together, joined := overall(boards)
	if joined {
		column("Meta")
	}
	for _, b := range boards {
		label := []string{}
		if len(boards) > 1 {
			label = append(label, b.label)
		}
		group := func(level string) []string { return append(slices.Clone(label), level) }
		if !joined || len(boards) > 1 {
			column("Meta", group("")...)
		}
		for _, name := range []string{"Acc.", "r", "ρ"} {
			column(name, group("System level")...)
		}
		for _, name := range []string{accName(b), "r", "ρ"} {
			column(name, group("Segment level")...)
		}
	}
	rows := order(boards, together, joined)
	if o.ByGroup {
		slices.SortStableFunc(rows, func(a, b placed) int { return compareGroups(a.group, b.group) })
	}
	for i, row := range rows {
		cells := []Cell{count(row.rank), text(row.label())}
		if o.ByGroup {
			cells = append(cells, text(cmp.Or(row.group, "(none)")))
		}
		if joined {
			cells = append(cells, value(row.meta))
		}
		for _, b := range boards {
			r, ok := b.result(row.name)
			if !ok {
				r = lacking()
			}
			if !joined || len(boards) > 1 {
				cells = append(cells, value(r.Meta))
			}
			acc := r.Segment.AccT
			if b.preset == metaeval.MENT {
				acc = r.Segment.AccTPooled
			}
			cells = append(cells, value(r.System.Acc), value(r.System.Pearson), value(r.System.Spearman), value(acc), value(r.Segment.Pearson), value(r.Segment.Spearman))
		}
		t.Rows = append(t.Rows, Row{Cells: cells, RuleAfter: o.ByGroup && i+1 < len(rows) && rows[i+1].group != row.group})
	}
	t.mark()
	return t
}

// compareGroups orders groups of metrics by name; metrics without one come last.
func compareGroups(a, b string) int {
	if (a == "") != (b == "") {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// accName is the pairwise accuracy that a preset takes in.
func accName(b board) string {
	if b.preset == metaeval.MENT {
		return "Acc-t (pooled)"
	}
	return "Acc-t"
}

func metaNote(boards []board) string {
	note := "Meta is the mean of accuracies and (r+1)/2 (preset wmt23)."
	if boards[0].preset == metaeval.MENT {
		note = "Meta is the plain mean of the six statistics beside it (preset ment)."
	}
	if len(boards) > 1 {
		note += " The rank is by the meta score over all."
	}
	if len(boards) == 1 && len(boards[0].tests) > 0 {
		note += " Equal ranks: no significant difference of the meta score."
	}
	return note
}

// A placed metric is a row of a table.
type placed struct {
	name, group string
	negated     bool
	rank        int
	meta        float64
}

// label is the name of the metric for people.
func (p placed) label() string { return metaeval.Label(p.name, p.negated) }

// order is that of the rows: by rank in the only board, else over all boards. With
// different presets nothing joins them, and the first board's order holds.
func order(boards []board, together []metaeval.OverallResult, joined bool) (rows []placed) {
	defer func() {
		for i := range rows {
			for _, b := range boards {
				if r, ok := b.result(rows[i].name); ok {
					rows[i].group, rows[i].negated = cmp.Or(rows[i].group, r.Group), r.LowerIsBetter
				}
			}
		}
	}()
	if joined && len(boards) > 1 {
		for _, o := range together {
			rows = append(rows, placed{name: o.Name, rank: o.Rank, meta: o.Meta})
		}
		return rows
	}
	for _, b := range boards {
		for _, r := range b.results {
			if !slices.ContainsFunc(rows, func(p placed) bool { return p.name == r.Name }) {
				rows = append(rows, placed{name: r.Name, rank: r.Rank, meta: r.Meta})
			}
		}
	}
	return rows
}

// lacking is the result of a metric that a board does not have.
func lacking() metaeval.Result {
	nan := undefined
	return metaeval.Result{Meta: nan,
		System:  metaeval.SystemStats{Acc: nan, Pearson: nan, Spearman: nan, Kendall: nan, SPA: nan},
		Segment: metaeval.SegmentStats{AccT: nan, Epsilon: nan, AccTPooled: nan, Pearson: nan, Spearman: nan, Kendall: nan, MAE: nan, MSE: nan}}
}

// moreTable has the statistics that the main one leaves out.
func moreTable(boards []board) Table {
	t := Table{ID: "metrics-more", Title: "More statistics of the metrics", Caption: "Soft pairwise accuracy, Kendall's tau-b, and pairwise accuracy averaged by item with its threshold for ties.",
		Note: "Times 100 except ε, which is in points of the metric.", Columns: []Column{{Name: "Metric", Kind: Text}}}
	for _, b := range boards {
		label := []string{}
		if len(boards) > 1 {
			label = append(label, b.label)
		}
		column := func(name, level string, kind Kind, n int, better Better) {
			t.Columns = append(t.Columns, Column{Name: name, Group: append(slices.Clone(label), level), Kind: kind, Decimals: n, Better: better})
		}
		column("SPA", "System level", Hundredths, 1, Higher)
		column("τ", "System level", Hundredths, 1, Higher)
		column("Acc-t", "Segment level", Hundredths, 1, Higher)
		column("ε", "Segment level", Number, 4, Neither)
		column("τ", "Segment level", Hundredths, 1, Higher)
	}
	together, joined := overall(boards)
	for _, row := range order(boards, together, joined) {
		cells := []Cell{text(row.label())}
		for _, b := range boards {
			r, ok := b.result(row.name)
			if !ok {
				r = lacking()
			}
			cells = append(cells, value(r.System.SPA), value(r.System.Kendall), value(r.Segment.AccT), value(r.Segment.Epsilon), value(r.Segment.Kendall))
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	t.mark()
	return t
}

// significanceTables say, where tests were made, in which cluster each metric is
// by each statistic, and give the p-values of the meta score.
func significanceTables(boards []board, id string) (out []Table) {
	for i, b := range boards {
		if len(b.tests) == 0 {
			continue
		}
		name, of := id, ""
		if len(boards) > 1 {
			name, of = fmt.Sprintf("%s-%d", id, i+1), " ("+b.label+")"
		}
		clusters := Table{ID: name + "-clusters", Title: "Clusters of metrics" + of, Caption: "The cluster of each metric by each statistic.",
			Note:    "A new cluster begins with the first metric that some metric of the cluster so far beats significantly (PERM-BOTH permutation test, p ≤ 0.05).",
			Columns: []Column{{Name: "Metric", Kind: Text}}}
		for _, test := range b.tests {
			clusters.Columns = append(clusters.Columns, Column{Name: test.Statistic, Kind: Count})
		}
		for _, r := range b.results {
			row := Row{Cells: []Cell{text(r.Name)}}
			for _, test := range b.tests {
				v := undefined
				if k, ok := test.Clusters[r.Name]; ok && slices.Contains(test.Metrics, r.Name) {
					v = float64(k)
				}
				row.Cells = append(row.Cells, value(v))
			}
			clusters.Rows = append(clusters.Rows, row)
		}
		out = append(out, clusters)
		if meta := b.tests[len(b.tests)-1]; len(meta.Metrics) > 1 {
			out = append(out, pTable(meta, name, of))
		}
	}
	return out
}

// pTable is the matrix of p-values of a test.
func pTable(test metaeval.Test, id, of string) Table {
	t := Table{ID: id + "-p", Title: "Significance of differences in " + test.Statistic + of,
		Caption: "p-values of the hypothesis that the metric of the row is no better than the metric of the column.",
		Note:    "Metrics from best to worst; p-values at or below 0.05 are marked as significant. One-sided, not corrected for their number.", Columns: []Column{{Name: "Metric", Kind: Text}}}
	for _, name := range test.Metrics {
		t.Columns = append(t.Columns, Column{Name: name, Kind: Number, Decimals: 3})
	}
	for i, name := range test.Metrics {
		row := Row{Cells: []Cell{text(name)}}
		for j := range test.Metrics {
			if j <= i {
				row.Cells = append(row.Cells, Cell{Blank: true, Value: undefined})
				continue
			}
			p := test.P[i][j]
			row.Cells = append(row.Cells, Cell{Value: p, Significant: p <= 0.05})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
