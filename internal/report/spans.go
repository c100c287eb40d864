package report

import (
	"fmt"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// spanTables returns Table 7 of Popov et al. 2025 for annotators, a table of their agreement in
// spans, and a paragraph about both.
func (p *agreementPart) spanTables(logins []string) (words string, tables []Table) {
	noun, severities, withKind := p.c.Rules.Spans.Noun(), "Severities", "F1 with "+p.c.Rules.Spans.Kind()
	if p.c.Rules.Spans.OfTerms() {
		severities = "Categories"
	}
	overlap := Table{ID: "span-overlap", Title: "Overlap of spans",
		Caption: "The share of the " + noun + "s of B (column) that A (row) marked as well.",
		Note:    "A value is the mean, over the translations that both rated, of the share of B's spans that have a character in common with a span of A. The share is 1 if B has none. " + severities + " are ignored.",
		Columns: texts("A")}
	match := Table{ID: "span-agreement", Title: "Agreement in spans", Caption: "Agreement of each pair of annotators in spans.",
		Note: fmt.Sprintf(
			"Presence: translations where both marked something or neither did. Characters: F1 of the characters marked, over all translations. Matches: F1 of the spans that match one to one, where what two spans share covers at least %s of both.",
			wording.Decimal(agreement.Theta, 1),
		),
		Columns: slices.Concat(
			texts("A", "B"), counts("Translations"), under("Spans", counts("A", "B")), shares("Presence"),
			under("F1", numbers(2, "Characters", "Matches")), under(withKind, numbers(2, "Characters", "Matches")),
		)}
	var plain, severe agreement.Spans
	overlapping, compared := 0.0, 0
	severe.BySeverity = true
	overlap.addMatrix(under("B", shares(logins...)), func(i, j int) Cell {
		pair, ok := p.pairs[[2]string{logins[min(i, j)], logins[max(i, j)]}]
		if i == j || !ok || pair.Spans.Translations == 0 {
			return blank
		}
		share := pair.Spans.OverlapOfB()
		if i > j { // A and B are exchanged in the pair
			share = pair.Spans.OverlapOfA()
		}
		overlapping += share * float64(pair.Spans.Translations)
		compared += pair.Spans.Translations
		return value(share)
	})
	for i, a := range logins {
		for _, b := range logins[i+1:] {
			if pair, ok := p.pairs[[2]string{a, b}]; ok && pair.Spans.Translations > 0 {
				match.add(matchRow(a, b, &pair.Spans, &pair.SpansBySeverity)...)
				plain.Merge(pair.Spans)
				severe.Merge(pair.SpansBySeverity)
			}
		}
	}
	if len(match.Rows) == 0 {
		return "No two annotators marked " + noun + "s in the same translation.", nil
	}
	match.addTotal(matchRow("All", "", &plain, &severe)...)
	if plain.SpansA+plain.SpansB == 0 {
		return "No annotator marked " + p.c.Rules.Spans.One() +
			" in a translation that two of them rated, so that the overlap of spans and their F1 are undefined.", []Table{match}
	}
	_, _, f1 := plain.Matches()
	return fmt.Sprintf(
		"The overlap of spans, in which a translation where the other annotator marked nothing counts as 100%%, is %s%% on average over the translations of all ordered pairs. Over all pairs the F1 of characters is %s, that of matching spans %s.",
		wording.Decimal(100*overlapping/float64(compared), 1),
		wording.Decimal(plain.CharF1(), 2),
		wording.Decimal(f1, 2),
	), []Table{overlap, match, p.spanIntervals(withKind)}
}

// spanIntervals has the intervals of both tables.
func (p *agreementPart) spanIntervals(withKind string) Table {
	t := Table{ID: "span-agreement-intervals", Title: "Agreement in spans: intervals",
		Caption: intervalName() + "s of the agreement of each pair of annotators in spans.",
		Columns: slices.Concat(texts("A", "B"), bounds(
			under("Overlap", shares("Of A by B", "Of B by A")), under("Presence", shares("")),
			under("F1", numbers(2, "Characters", "Matches")), under(withKind, numbers(2, "Characters", "Matches")),
		))}
	var all []stat.Interval
	add := func(a, b string, plain, severe agreement.SpanIntervals) {
		own := []stat.Interval{plain.OverlapOfA, plain.OverlapOfB, plain.Presence, plain.CharF1, plain.F1, severe.CharF1, severe.F1}
		all = append(all, own...)
		t.addBounds([]Cell{text(a), text(b)}, own...)
	}
	for _, pair := range p.report.Pairs {
		if pair.Spans.Translations > 0 {
			add(pair.A, pair.B, pair.Intervals.Spans, pair.Intervals.SpansBySeverity)
		}
	}
	t.rule()
	add("All", "", p.report.SpanIntervals, p.report.SeverityIntervals)
	t.Rows[len(t.Rows)-1].Total = true
	t.Note = drawnNote(p.documents, all) + " Of A by B: the share of A's spans that have a character in common with a span of B."
	return t
}

// matchRow leaves F1 undefined if neither annotator marked anything.
func matchRow(a, b string, plain, severe *agreement.Spans) []Cell {
	chars, severeChars := undefined, undefined
	if plain.SpansA+plain.SpansB > 0 {
		chars, severeChars = plain.CharF1(), severe.CharF1()
	}
	_, _, f1 := plain.Matches()
	_, _, severeF1 := severe.Matches()
	return []Cell{text(a), text(b), count(plain.Translations), count(plain.SpansA), count(plain.SpansB), value(plain.Presence()),
		value(chars), value(f1), value(severeChars), value(severeF1)}
}
