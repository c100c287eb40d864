package report

import (
	"cmp"
	"fmt"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// A foundKind is a kind of errors in gold: all errors that have one severity, one category or one domain.
type foundKind struct{ by, of string }

// foundKindsOf returns the kinds that an error belongs to. An error without a category or in
// a segment without a domain belongs to no such kind.
func foundKindsOf(s protocol.ErrorSpan, domain string) []foundKind {
	all := []foundKind{{"Severity", s.Severity}, {"Category", s.Category}, {"Domain", domain}}
	return slices.DeleteFunc(all, func(k foundKind) bool { return k.of == "" })
}

// foundCount counts errors in gold, and the part of them that a marker marked as well.
type foundCount struct{ found, errors int }

// addFound compares marked spans with the errors of one annotator in the same translation, without
// severities, at agreement.Theta.
func (s *spanScores) addFound(marked []agreement.Span, gold []protocol.ErrorSpan, domain string) {
	found := make([]bool, len(gold))
	for _, pair := range agreement.Pairs(withoutSeverity(marked), withoutSeverity(campaign.AgreementSpans(gold)), agreement.Theta) {
		found[pair[1]] = true
	}
	for i, e := range gold {
		for _, k := range foundKindsOf(e, domain) {
			c := s.found[k]
			c.errors++
			if found[i] {
				c.found++
			}
			s.found[k] = c
		}
	}
}

func withoutSeverity(spans []agreement.Span) []agreement.Span {
	out := slices.Clone(spans)
	for i := range out {
		out[i].Severity = ""
	}
	return out
}

// foundTable returns, for each severity, category and domain, the share of the annotators' errors
// that each metric marked as well. The other annotators have a column beside the metrics.
func (p *spanPart) foundTable(markers []spanMarker) Table {
	t := Table{ID: "span-detection-kinds", Title: "Errors that metrics found",
		Caption: fmt.Sprintf(
			"Recall of marked spans at a threshold of %s, by severity, category and domain of the errors of annotators.",
			wording.Decimal(agreement.Theta, 1),
		),
		Note:    "The share of the annotators' errors of a kind that match a span of the metric, whatever the severity and the category of that span. Annotators: the share that another annotator marked as well. Undefined where there are no errors of the kind to compare with.",
		Columns: texts("By", "Errors of annotators")}
	var columns []*spanScores
	var drawn []spanMarker // of each column
	add := func(name string, m spanMarker, s *spanScores) {
		drawn = append(drawn, m)
		t.addColumns(under(name, counts("Errors"), numbers(2, "Recall")))
		columns = append(columns, s)
	}
	humans := false
	for _, m := range markers {
		if m.human {
			humans = true
		} else {
			add(m.name, m, p.by[m])
		}
	}
	if humans {
		add("Annotators", allOfThem, p.allAnnotators())
	}
	kinds := p.foundKinds(columns)
	for i, k := range kinds {
		if i > 0 && kinds[i-1].by != k.by {
			t.rule()
		}
		name := k.of
		if severity, ok := p.rules.Spans.Severity(k.of); ok && k.by == "Severity" {
			name = severity.Name
		}
		row := []Cell{text(k.by), text(name)}
		for i, s := range columns {
			recall := p.drawn.interval("detection", foundBy{drawn[i], k}, spanRecall)
			row = append(row, count(s.found[k].errors), estimated(stat.Ratio(s.found[k].found, s.found[k].errors), recall))
		}
		t.add(row...)
	}
	return t
}

// foundKinds returns the kinds of errors that are counted: severities and categories in the order
// of the protocol, then domains by name.
func (p *spanPart) foundKinds(counted []*spanScores) (kinds []foundKind) {
	for _, s := range counted {
		for k := range s.found {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	place := func(k foundKind) (by, of int) {
		switch k.by {
		case "Severity":
			return 0, slices.IndexFunc(p.rules.Spans.Severities, func(s protocol.Severity) bool { return s.ID == k.of })
		case "Category":
			return 1, slices.IndexFunc(p.rules.Spans.Categories, func(c protocol.Category) bool { return c.Name == k.of })
		}
		return 2, 0
	}
	slices.SortFunc(kinds, func(a, b foundKind) int {
		byA, ofA := place(a)
		byB, ofB := place(b)
		return cmp.Or(byA-byB, ofA-ofB, cmp.Compare(a.of, b.of))
	})
	return kinds
}
