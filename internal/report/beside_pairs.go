package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/chart"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// A comparison counts pairs of ratings by different annotators, one of side A and one of side B. If A is B,
// each pair comes in both orders.
type comparison struct {
	spans agreement.Spans // on the sides of the text that are compared
	alike int             // the number of pairs in which both marked errors, on any side of the text, or neither did
	r     stat.Sum        // of the correlations
	pairs int             // the number of pairs of annotators in a segment with a correlation
}

// merge adds other pairs.
func (c *comparison) merge(o *comparison) {
	c.spans.Merge(o.spans)
	c.alike, c.pairs = c.alike+o.alike, c.pairs+o.pairs
	c.r.Add(o.r.Value())
}

// The statistics of comparisons.
const (
	besideR          = "r"
	besidePresence   = "presence"
	besideCharacters = "characters"
	besideMatches    = "matches"
	besideOfA        = "of A by B"
	besideOfB        = "of B by A"
)

// estimate adds the pairs of a document to the estimates.
func (c *comparison) estimate(g *estimateGroup, document int) {
	if c.pairs > 0 {
		g.add(document, besideR, ratioOf, c.r.Value(), float64(c.pairs))
	}
	s := &c.spans
	if s.Translations == 0 {
		return
	}
	n := float64(s.Translations)
	g.add(document, besidePresence, ratioOf, float64(c.alike), n)
	g.add(document, besideOfA, ratioOf, s.OverlapOfA()*n, n)
	g.add(document, besideOfB, ratioOf, s.OverlapOfB()*n, n)
	g.add(document, besideCharacters, ratioOf, 2*float64(s.CharsBoth), float64(s.CharsA+s.CharsB))
	g.add(document, besideMatches, ratioOf, 2*float64(s.Matched), float64(s.SpansA+s.SpansB))
}

// A segmentRater has the gate scores that an annotator gave to the translations of a segment. A missing score
// is NaN.
type segmentRater struct {
	annotator int32
	scores    []float64
}

// markedBy holds the spans of a rating.
type markedBy struct {
	annotator int32
	any       bool            // the annotator marked something
	marks     agreement.Marks // on the sides of the text that are compared
}

// textSides returns the sides of the text, as numbers of names, on which every campaign with errors has an
// error. Only on these can campaigns agree, since not every campaign lets annotators mark errors in the
// source.
func (j joint) textSides() (sides []uint16) {
	first := true
	for _, s := range j.sides {
		var own []uint16
		for _, t := range j.translations {
			for _, spans := range s.given(t) {
				for _, e := range spans {
					if !slices.Contains(own, e.side) {
						own = append(own, e.side)
					}
				}
			}
		}
		switch {
		case own == nil:
		case first:
			sides, first = own, false
		default:
			sides = slices.DeleteFunc(sides, func(x uint16) bool { return !slices.Contains(own, x) })
		}
	}
	return sides
}

// compare compares each side with itself and with each later one. The result has an element
// [i][j] for i ≤ j.
func (j joint) compare(ctx context.Context) ([][]comparison, error) {
	out, open := make([][]comparison, len(j.sides)), make([][]comparison, len(j.sides)) // open is that of a segment
	for i := range out {
		out[i], open[i] = make([]comparison, len(j.sides)), make([]comparison, len(j.sides))
	}
	marked := make([][]markedBy, len(j.sides)) // by side and rating
	sides := j.textSides()
	var buffer []agreement.Span
	for left := j.translations; len(left) > 0; {
		n := slices.IndexFunc(left, func(t int32) bool { return j.part.places[t].segment != j.part.places[left[0]].segment })
		if n < 0 {
			n = len(left)
		}
		segment := left[:n]
		left = left[n:]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, t := range segment {
			for i, s := range j.sides {
				all := marked[i][:0]
				for r, spans := range s.given(t) {
					all = slices.Grow(all, 1)[:len(all)+1] // reuses the buffers of earlier marks
					last := &all[len(all)-1]
					buffer = j.part.names.marks(buffer[:0], spans, sides)
					last.annotator, last.any = r.annotator, len(spans) > 0
					last.marks.Set(buffer, false)
				}
				marked[i] = all
			}
			for a, first := range marked {
				for b := a; b < len(marked); b++ {
					for k := range first {
						for l := range marked[b] {
							x, y := &first[k], &marked[b][l]
							if x.annotator == y.annotator {
								continue
							}
							open[a][b].spans.AddMarks(&x.marks, &y.marks)
							if x.any == y.any {
								open[a][b].alike++
							}
						}
					}
				}
			}
		}
		j.correlate(segment, open)
		for a := range open {
			for b := a; b < len(open); b++ {
				open[a][b].estimate(j.drawn.group("beside", [2]int{a, b}), j.document(segment[0]))
				out[a][b].merge(&open[a][b])
				open[a][b] = comparison{}
			}
		}
	}
	return out, nil
}

// correlate adds the correlations of the annotators of a segment.
func (j joint) correlate(segment []int32, out [][]comparison) {
	raters := make([][]segmentRater, len(j.sides))
	for i, s := range j.sides {
		for k, t := range segment {
			for r := range s.given(t) {
				at := slices.IndexFunc(raters[i], func(x segmentRater) bool { return x.annotator == r.annotator })
				if at < 0 {
					at = len(raters[i])
					raters[i] = append(raters[i], segmentRater{r.annotator, slices.Repeat([]float64{undefined}, len(segment))})
				}
				raters[i][at].scores[k] = r.gate
			}
		}
	}
	for a := range j.sides {
		for b := a; b < len(j.sides); b++ {
			for _, x := range raters[a] {
				for _, y := range raters[b] {
					if x.annotator == y.annotator {
						continue
					}
					p, q := stat.Complete(x.scores, y.scores)
					if r := stat.Pearson(p, q); len(p) >= 3 && !math.IsNaN(r) {
						out[a][b].r.Add(r)
						out[a][b].pairs++
					}
				}
			}
		}
	}
}

// of returns the comparison of two sides, and reports whether A and B are exchanged in it.
func of(compared [][]comparison, a, b int) (c *comparison, exchanged bool) {
	if a > b {
		return &compared[b][a], true
	}
	return &compared[a][b], false
}

// agreementTable has the agreement of annotators within each campaign and across campaigns.
func (j joint) agreementTable(compared [][]comparison) Table {
	t := Table{
		ID:      "beside-agreement",
		Title:   "Agreement of annotators within and across campaigns",
		across:  "With",
		matrix:  true,
		Caption: "Mean Pearson's r of two annotators over the translations of a segment. On the diagonal both annotators are of one campaign, elsewhere one is of each.",
		Note:    "The scores are those of the gate. A mean is over the segments and pairs of different annotators with at least three translations that both rated, where neither gave all of them the same score.",
		Columns: texts("Campaign"),
	}
	t.addMatrix(numbers(2, j.labels()...), func(i, k int) Cell {
		c, _ := of(compared, i, k)
		return j.estimated(c.r.Value()/float64(c.pairs), i, k, besideR)
	})
	return t
}

// spanTables compare the errors of campaigns, the first as in Table 7 of Popov et al. 2025.
func (j joint) spanTables(compared [][]comparison, judged map[judgedSide]*agreement.Spans) []Table {
	overlap := Table{
		ID:      "beside-overlap",
		Title:   "Overlap of errors between campaigns",
		Caption: "The share of the errors of B (column) that A (row) marked as well.",
		across:  "B",
		matrix:  true,
		Note:    "A value is the mean, over each translation and each rating of A and of B by different annotators, of the share of B's spans that have a character in common with a span of A. The share is 1 if B has none. The diagonal compares annotators of the same campaign. Severities are ignored. Errors in sources are ignored if a campaign with errors has none there, and so are errors in translations.",
		Columns: texts("A"),
	}
	match := Table{ID: "beside-spans", Title: "Agreement in errors between campaigns",
		Caption: "Agreement of two campaigns in the spans of errors.",
		Note: fmt.Sprintf(
			"Comparisons: ratings of the same translation by different annotators, one in A and one in B. Presence: both marked something or neither did. Characters: F1 of the characters marked. Matches: F1 of the spans that match one to one, where what two spans share covers at least %s of both. F1 leaves out errors on a side of the text, source or translation, on which a campaign with errors has none.",
			wording.Decimal(agreement.Theta, 1),
		),
		Columns: slices.Concat(
			texts("A", "B"), counts("Comparisons"), shares("Presence"), under("F1", numbers(2, "Characters", "Matches")),
		)}
	for i, a := range j.sides {
		if !a.rules.MarksErrors() {
			continue
		}
		overlap.addColumns(under("B", shares(a.label)))
		row := []Cell{text(a.label)}
		for k, b := range j.sides {
			if !b.rules.MarksErrors() {
				continue
			}
			c, exchanged := of(compared, i, k)
			spans := &c.spans
			overlapped := j.estimated(spans.OverlapOfB(), i, k, besideOfB)
			if exchanged {
				overlapped = j.estimated(spans.OverlapOfA(), i, k, besideOfA)
			}
			row = append(row, overlapped)
			if k > i && spans.Translations > 0 {
				chars, f1 := undefined, undefined
				if spans.SpansA+spans.SpansB > 0 {
					chars = spans.CharF1()
					_, _, f1 = spans.Matches()
				}
				match.add(
					text(a.label), text(b.label), count(spans.Translations),
					j.estimated(stat.Ratio(c.alike, spans.Translations), i, k, besidePresence),
					j.estimated(chars, i, k, besideCharacters), j.estimated(f1, i, k, besideMatches),
				)
			}
		}
		overlap.add(row...)
	}
	if len(overlap.Rows) < 2 {
		return nil
	}
	if rows := j.metricRows(judged); len(rows) > 0 {
		overlap.rule()
		for _, row := range rows {
			overlap.add(row...)
		}
		overlap.Note += " Below the line A is a judge, or a tool that suggested errors, on the translations for which a campaign stores what it marked. Annotators who saw its errors are not independent of it."
	}
	if len(match.Rows) == 0 {
		return []Table{overlap}
	}
	return []Table{overlap, match}
}

// estimated is a cell of a statistic of two sides.
func (j joint) estimated(v float64, a, b int, name string) Cell {
	return estimated(v, j.drawn.interval("beside", [2]int{min(a, b), max(a, b)}, name))
}

// A judgedSide is a metric that marks errors and the number of a side whose annotators mark errors too.
type judgedSide struct {
	metric string
	side   int
}

// compareJudges compares the metrics that mark errors with the annotators of each side, in the translations that they judged.
func (j joint) compareJudges() map[judgedSide]*agreement.Spans {
	names, sides := map[string]bool{}, j.textSides()
	for _, s := range j.sides {
		for name := range s.judged {
			names[name] = true
		}
	}
	out := map[judgedSide]*agreement.Spans{}
	for name := range names {
		for _, t := range j.translations {
			marked, ok := j.judged(name, t, sides)
			if !ok {
				continue
			}
			for i, b := range j.sides {
				if !b.rules.MarksErrors() {
					continue
				}
				key := judgedSide{name, i}
				var spans agreement.Spans
				for _, given := range b.given(t) {
					spans.Add(marked, j.part.names.marks(nil, given, sides))
				}
				entry(out, key).Merge(spans)
				if n := float64(spans.Translations); n > 0 {
					j.drawn.group("beside-judged", key).add(j.document(t), besideOfB, ratioOf, spans.OverlapOfB()*n, n)
				}
			}
		}
	}
	return out
}

// metricRows are the rows of metrics that mark errors in the table of overlap.
func (j joint) metricRows(judged map[judgedSide]*agreement.Spans) (rows [][]Cell) {
	names := map[string]bool{}
	for key := range judged {
		names[key.metric] = true
	}
	for _, name := range sorted(names) {
		row := []Cell{text(name)}
		for i, b := range j.sides {
			if key := (judgedSide{name, i}); b.rules.MarksErrors() {
				row = append(row, estimated(judged[key].OverlapOfB(), j.drawn.interval("beside-judged", key, besideOfB)))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// judged returns the spans that a metric marked in a translation, from the first side that has
// them.
func (j joint) judged(metric string, translation int32, sides []uint16) (marked []agreement.Span, ok bool) {
	for _, s := range j.sides {
		cell, _ := s.cell(translation)
		if spans, ok := s.judged[metric][cell]; ok {
			return j.part.names.marks(nil, spans, sides), true
		}
	}
	return nil, false
}

// figures returns the distributions of scores with the same scale, and of sums over errors (Figures 2
// and 3 of Popov et al. 2025).
func figures(columns []sideColumn) (out []Figure) {
	columns = slices.Clone(columns)
	for len(columns) > 0 {
		first := columns[0]
		alike := func(c sideColumn) bool {
			return c.score.scale == first.score.scale && c.score.low == first.score.low && c.score.high == first.score.high &&
				(c.score.imported != "") == (first.score.imported != "")
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
		f := Figure{
			ID:      fmt.Sprintf("beside-scores-%d", len(out)+1),
			Title:   "Scores from " + wording.Decimal(first.score.low, 0) + " to " + wording.Decimal(first.score.high, 0),
			Kind:    HistogramsFigure,
			Caption: "How many translations have each score, by campaign.",
			X:       chart.Axis{Label: "Score"},
			Y:       chart.Axis{Label: "Translations"},
		}
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
		f.Caption += beyond(bins, all)
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
