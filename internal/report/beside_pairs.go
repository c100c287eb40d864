package report

import (
	"fmt"
	"math"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/chart"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// each calls do with every pair of ratings of a translation by different annotators, the first in side
// a and the second in side b. In one side each pair comes in both orders.
func (j joint) each(a, b *side, do func(at place, x, y sideRating)) {
	for _, at := range j.places {
		for _, x := range a.cells[at].given {
			for _, y := range b.cells[at].given {
				if x.annotator != y.annotator {
					do(at, x, y)
				}
			}
		}
	}
}

// agreementTable has the agreement of annotators within each campaign and across campaigns.
func (j joint) agreementTable() Table {
	t := Table{ID: "beside-agreement", Title: "Agreement of annotators within and across campaigns", Caption: "Mean Pearson's r of two annotators over the translations of a segment: within a campaign on the diagonal, else one annotator of each.",
		Note: "The scores are those of the gate. A mean is over the segments and pairs of different annotators with at least three translations that both rated, where neither gave all of them the same score.", Columns: []Column{{Name: "Campaign", Kind: Text}}}
	for _, a := range j.sides {
		t.Columns = append(t.Columns, Column{Name: a.label, Kind: Number, Decimals: 2})
		row := Row{Cells: []Cell{text(a.label)}}
		for _, b := range j.sides {
			row.Cells = append(row.Cells, value(j.agreement(a, b)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (j joint) agreement(a, b *side) float64 {
	type pair struct {
		segment int
		x, y    string
	}
	scores := map[pair][2][]float64{}
	var order []pair
	j.each(a, b, func(at place, x, y sideRating) {
		if !stat.Defined(x.gate, y.gate) {
			return
		}
		key := pair{at.segment, x.annotator, y.annotator}
		both, ok := scores[key]
		if !ok {
			order = append(order, key)
		}
		scores[key] = [2][]float64{append(both[0], x.gate), append(both[1], y.gate)}
	})
	var all []float64
	for _, key := range order {
		both := scores[key]
		if r := stat.Pearson(both[0], both[1]); len(both[0]) >= 3 && !math.IsNaN(r) {
			all = append(all, r)
		}
	}
	return stat.Mean(all)
}

// spanTables compare the errors of campaigns, the first as in Table 7 of Popov et al. 2025.
func (j joint) spanTables() []Table {
	overlap := Table{ID: "beside-overlap", Title: "Overlap of errors between campaigns", Caption: "The share of the errors of B (column) that A (row) marked as well.",
		Note:    "For each translation, and each rating of A and of B by different annotators, the share of B's spans that have a character in common with a span of A, 1 if B has none; the mean over all of these. The diagonal compares annotators of the same campaign. Severities are ignored.",
		Columns: []Column{{Name: "A", Kind: Text}}}
	match := Table{ID: "beside-spans", Title: "Agreement in errors between campaigns", Caption: "Agreement of two campaigns in the spans of errors.",
		Note: fmt.Sprintf("Comparisons: ratings of the same translation by different annotators, one in A and one in B. Presence: both marked something or neither did. Characters: F1 of the characters marked. Matches: F1 of the spans that match one to one, where what two spans share covers at least %s of both.", wording.Decimal(agreement.Theta, 1)),
		Columns: []Column{{Name: "A", Kind: Text}, {Name: "B", Kind: Text}, {Name: "Comparisons", Kind: Count}, {Name: "Presence", Kind: Share, Decimals: 1},
			{Name: "Characters", Group: []string{"F1"}, Kind: Number, Decimals: 2}, {Name: "Matches", Group: []string{"F1"}, Kind: Number, Decimals: 2}}}
	for i, a := range j.sides {
		if !a.rules.MarksErrors() {
			continue
		}
		overlap.Columns = append(overlap.Columns, Column{Name: a.label, Group: []string{"B"}, Kind: Share, Decimals: 1})
		row := Row{Cells: []Cell{text(a.label)}}
		for k, b := range j.sides {
			if !b.rules.MarksErrors() {
				continue
			}
			var spans agreement.Spans
			j.each(a, b, func(_ place, x, y sideRating) { spans.Add(x.spans, y.spans) })
			row.Cells = append(row.Cells, value(spans.OverlapOfB()))
			if k > i && spans.Translations > 0 {
				chars, f1 := undefined, undefined
				if spans.SpansA+spans.SpansB > 0 {
					chars = spans.CharF1()
					_, _, f1 = spans.Matches()
				}
				match.Rows = append(match.Rows, Row{Cells: []Cell{text(a.label), text(b.label), count(spans.Translations), value(spans.Presence()), value(chars), value(f1)}})
			}
		}
		overlap.Rows = append(overlap.Rows, row)
	}
	if len(overlap.Rows) < 2 {
		return nil
	}
	if rows := j.metricRows(); len(rows) > 0 {
		overlap.Rows[len(overlap.Rows)-1].RuleAfter = true
		overlap.Rows = append(overlap.Rows, rows...)
		overlap.Note += " Below the line A is a judge, or a tool that suggested errors, on the translations for which a campaign stores what it marked. Annotators who saw its errors are not independent of it."
	}
	if len(match.Rows) == 0 {
		return []Table{overlap}
	}
	return []Table{overlap, match}
}

// metricRows are the rows of metrics that mark errors in the table of overlap.
func (j joint) metricRows() (rows []Row) {
	names := map[string]bool{}
	for _, s := range j.sides {
		for _, at := range j.places {
			for name := range s.cells[at].spans {
				names[name] = true
			}
		}
	}
	for _, name := range sorted(names) {
		row := Row{Cells: []Cell{text(name)}}
		for _, b := range j.sides {
			if !b.rules.MarksErrors() {
				continue
			}
			var spans agreement.Spans
			for _, at := range j.places {
				i := slices.IndexFunc(j.sides, func(s *side) bool { _, ok := s.cells[at].spans[name]; return ok })
				if i < 0 {
					continue
				}
				for _, r := range b.cells[at].given {
					spans.Add(j.sides[i].cells[at].spans[name], r.spans)
				}
			}
			row.Cells = append(row.Cells, value(spans.OverlapOfB()))
		}
		rows = append(rows, row)
	}
	return rows
}

// figures show the distributions of scores with the same scale, and of sums over errors, as Figures 2
// and 3 of Popov et al. 2025.
func (j joint) figures() (out []Figure) {
	columns := j.columns()
	for len(columns) > 0 {
		first := columns[0]
		alike := func(c sideColumn) bool {
			return c.score.scale == first.score.scale && c.score.low == first.score.low && c.score.high == first.score.high && (c.score.imported != "") == (first.score.imported != "")
		}
		var group []sideColumn
		for _, c := range columns {
			if alike(c) {
				group = append(group, c)
			}
		}
		columns = slices.DeleteFunc(columns, alike)
		if !slices.ContainsFunc(group, func(c sideColumn) bool { return c.side != first.side }) {
			continue
		}
		f := Figure{ID: fmt.Sprintf("beside-scores-%d", len(out)+1), Title: "Scores from " + wording.Decimal(first.score.low, 0) + " to " + wording.Decimal(first.score.high, 0), Kind: HistogramsFigure,
			Caption: "How many translations have each score, by campaign.", X: chart.Axis{Label: "Score"}, Y: chart.Axis{Label: "Translations"}}
		if !first.score.scale {
			f.Title = "Scores that count errors"
			if first.score.imported != "" {
				f.Title = "Imported scores"
			}
		}
		counts := make([]map[float64]int, len(group))
		all := map[float64]int{}
		for i, c := range group {
			counts[i] = map[float64]int{}
			for _, v := range slices.Concat(c.rows...) {
				if !math.IsNaN(v) {
					counts[i][v]++
					all[v]++
				}
			}
		}
		bins := binsOf(first.side.rules, first.score.score, all)
		f.X.Min, f.X.Max = bins[0].Low, bins[len(bins)-1].High
		var words []string
		for i, c := range group {
			q := panel(c.name(), bins, counts[i])
			f.Panels = append(f.Panels, q)
			words = append(words, fmt.Sprintf("%s has a mean of %s", c.name(), wording.Decimal(q.Mean, 2)))
		}
		f.Words = "A histogram for each score. " + wording.List(words) + "."
		f.Table = panelTable(f)
		out = append(out, f)
	}
	return out
}
