package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// errorScores counts how often each number of errors of a kind occurs together with
// each value of a score, over ratings. Scores that are sums over the errors are left
// out, since they always fall with the number of errors.
type errorScores struct {
	rules  *protocol.Protocol
	humans []int         // the numbers of the human scores that are used
	labels []string      // the labels of these scores
	given  []givenValues // of each of these scores
	// with counts, for each kind and score, the ratings with errors of the kind.
	with map[string][]stat.CrossTable
	// For the intervals, until they are drawn:
	documents []documentRatings          // in the order of the ratings
	errors    map[string][]errorsOf      // by kind, in the order of the ratings
	intervals map[string][]stat.Interval // of tau-b, by kind and score
}

// givenValues are the values of a score that ratings gave.
type givenValues struct {
	numbers map[float64]int32 // by value
	values  []float64         // by number
	counts  []int             // by number: the number of ratings with the value
	ratings []int32           // by rating: the number of its value; -1 without one; until the intervals are drawn
}

// add adds the value of a rating, NaN if it has none.
func (g *givenValues) add(v float64) {
	if math.IsNaN(v) {
		g.ratings = append(g.ratings, -1)
		return
	}
	number, ok := g.numbers[v]
	if !ok {
		number = int32(len(g.values))
		g.numbers[v] = number
		g.values, g.counts = append(g.values, v), append(g.counts, 0)
	}
	g.counts[number]++
	g.ratings = append(g.ratings, number)
}

// A documentRatings says where the ratings of a document end; they begin where those before it end.
type documentRatings struct{ document, end int32 }

// An errorsOf is the number of errors of a kind of a rating that has some.
type errorsOf struct{ rating, n int32 }

func newErrorScores(rules *protocol.Protocol) *errorScores {
	e := &errorScores{rules: rules, with: map[string][]stat.CrossTable{}, errors: map[string][]errorsOf{},
		intervals: map[string][]stat.Interval{}}
	for i, h := range rules.HumanScores() {
		if isSum(rules, h.Score) {
			continue
		}
		label, _ := describe(rules, h.Score)
		e.humans, e.labels = append(e.humans, i), append(e.labels, label)
		e.given = append(e.given, givenValues{numbers: map[float64]int32{}})
	}
	return e
}

// isSum reports whether a score is a sum over the errors.
func isSum(rules *protocol.Protocol, score string) bool {
	return slices.ContainsFunc(rules.Derived, func(d protocol.Derived) bool { return d.Name == score && len(d.Mean) == 0 })
}

// add counts a rating of a document: its errors by kind, and its scores.
func (e *errorScores) add(document int, counts map[string]int, scores []float64) {
	if len(e.humans) == 0 {
		return
	}
	rating := int32(len(e.given[0].ratings))
	for kind, n := range counts {
		e.errors[kind] = append(e.errors[kind], errorsOf{rating, int32(n)})
	}
	if n := len(e.documents); n == 0 || e.documents[n-1].document != int32(document) {
		e.documents = append(e.documents, documentRatings{document: int32(document)})
	}
	e.documents[len(e.documents)-1].end = rating + 1
	for s, h := range e.humans {
		v := scores[h]
		e.given[s].add(v)
		if math.IsNaN(v) {
			continue
		}
		for kind, n := range counts {
			tables := e.with[kind]
			if tables == nil {
				tables = make([]stat.CrossTable, len(e.humans))
				for i := range tables {
					tables[i] = stat.CrossTable{}
				}
				e.with[kind] = tables
			}
			tables[s][[2]float64{float64(n), v}]++
		}
	}
}

// draw computes the intervals. It takes one kind and score after the other, so that memory grows with the ratings and their errors alone.
func (e *errorScores) draw(ctx context.Context, b stat.Bootstrap) error {
	for kind, with := range e.errors {
		for s := range e.given {
			var totals stat.TauTotals
			given := &e.given[s]
			rating, k := int32(0), 0
			for _, document := range e.documents {
				for ; rating < document.end; rating++ {
					n := 0.0
					if k < len(with) && with[k].rating == rating {
						n = float64(with[k].n)
						k++
					}
					if number := given.ratings[rating]; number >= 0 {
						totals.Add(int(document.document), []float64{n}, []float64{given.values[number]})
					}
				}
			}
			in, err := totals.Interval(ctx, b)
			if err != nil {
				return err
			}
			e.intervals[kind] = append(e.intervals[kind], in)
		}
	}
	e.documents, e.errors = nil, nil
	for s := range e.given {
		e.given[s].ratings = nil
	}
	return nil
}

// interval returns the interval of a [errorScores.correlation].
func (e *errorScores) interval(kind string, score int) stat.Interval {
	if e.intervals[kind] == nil {
		return stat.Interval{}
	}
	return e.intervals[kind][score]
}

// drawn reports whether a correlation has an interval.
func (e *errorScores) drawn() bool {
	for _, all := range e.intervals {
		if slices.ContainsFunc(all, func(in stat.Interval) bool { return in.Resamples > 0 }) {
			return true
		}
	}
	return false
}

// correlation returns Kendall's tau-b of the number of errors of a kind and a score,
// with its p-value.
func (e *errorScores) correlation(kind string, score int) (tau, p float64) {
	all := stat.CrossTable{}
	for number, v := range e.given[score].values {
		all[[2]float64{0, v}] = e.given[score].counts[number]
	}
	if tables := e.with[kind]; tables != nil {
		for key, n := range tables[score] {
			all[key] += n
			all[[2]float64{0, key[1]}] -= n
		}
	}
	return all.Kendall()
}

// table returns Table 10 of Popov et al. 2025 and a sentence about it.
func (e *errorScores) table(kinds *errorKinds) (t Table, words string) {
	if len(e.humans) == 0 {
		return t, fmt.Sprintf("Under %s every score is a sum over the errors, so a correlation of errors and scores has no meaning.",
			e.rules.Name)
	}
	t = Table{ID: "errors-correlation", Title: "Errors and scores",
		Caption: "Kendall's tau-b of the number of errors of a rating and its scores, by category.",
		Note: "Over the ratings. Significant: p < 0.05, two-sided, by the normal approximation with the variance corrected for ties (method 'asymptotic' of scipy.stats.kendalltau), not corrected for the number of tests. The p-values take ratings as independent. The intervals leave out one document at a time. " +
			"Undefined where a category has no errors or a score is constant.",
		Columns: texts("Type", "Category")}
	for _, label := range e.labels {
		t.addColumns(under(label, numbers(2, "τ"), pValues(4, "p")))
	}
	row := func(kind string) (cells []Cell) {
		for s := range e.humans {
			tau, p := e.correlation(kind, s)
			cell := estimated(tau, e.interval(kind, s))
			cell.Significant = p < 0.05
			cells = append(cells, cell, value(p))
		}
		return cells
	}
	for _, kind := range kinds.rows {
		if (kind.withinACategory || kind.name == noCategory) && e.with[kind.id] == nil {
			continue
		}
		t.addKind(kind, row(kind.id)...)
	}
	all := row(allErrors)
	t.addTotal(append([]Cell{text(""), text("All errors")}, all...)...)
	return t, e.words(all)
}

func (e *errorScores) words(all []Cell) string {
	var parts []string
	for s, label := range e.labels {
		tau, p := all[2*s].Value, all[2*s+1].Value
		if math.IsNaN(tau) {
			parts = append(parts, fmt.Sprintf("with %s it is undefined", label))
			continue
		}
		parts = append(parts, fmt.Sprintf("with %s it is %s (%s)", label, wording.Decimal(tau, 2), pWords(p)))
	}
	return "Kendall's tau-b of the number of errors: " + wording.List(parts) + "."
}

// pWords writes a p-value for a sentence.
func pWords(p float64) string {
	switch {
	case math.IsNaN(p):
		return "p undefined"
	case p < 0.001:
		return "p < 0.001"
	}
	return "p = " + wording.Decimal(p, 3)
}
