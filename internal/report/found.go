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

// A foundKind is a kind of errors in gold: all errors that have one severity, one category or one
// domain. Only one field is set.
type foundKind struct{ severity, category, domain string }

// foundKindsOf returns the kinds that an error belongs to. An error without a category or in
// a segment without a domain belongs to no such kind.
func foundKindsOf(s protocol.ErrorSpan, domain string) (out []foundKind) {
	for _, k := range []foundKind{{severity: s.Severity}, {category: s.Category}, {domain: domain}} {
		if k != (foundKind{}) {
			out = append(out, k)
		}
	}
	return out
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
	section := func(by string, kinds []foundKind, name func(foundKind) string) {
		if len(kinds) > 0 {
			t.rule()
		}
		for _, k := range kinds {
			r := []Cell{text(by), text(name(k))}
			for i, s := range columns {
				recall := estimated(stat.Ratio(s.found[k].found, s.found[k].errors), p.drawn.interval("detection", foundBy{drawn[i], k}, spanRecall))
				r = append(r, count(s.found[k].errors), recall)
			}
			t.add(r...)
		}
	}
	severities, categories, domains := p.foundKinds(columns)
	section("Severity", severities, func(k foundKind) string {
		if s, ok := p.rules.Spans.Severity(k.severity); ok {
			return s.Name
		}
		return k.severity
	})
	section("Category", categories, func(k foundKind) string { return k.category })
	section("Domain", domains, func(k foundKind) string { return k.domain })
	return t
}

// foundKinds returns the kinds of errors that are counted: severities and categories in the order
// of the protocol, domains by name.
func (p *spanPart) foundKinds(counted []*spanScores) (severities, categories, domains []foundKind) {
	seen := map[foundKind]bool{}
	for _, s := range counted {
		for k := range s.found {
			if seen[k] {
				continue
			}
			seen[k] = true
			switch {
			case k.severity != "":
				severities = append(severities, k)
			case k.category != "":
				categories = append(categories, k)
			default:
				domains = append(domains, k)
			}
		}
	}
	severityAt := func(k foundKind) int {
		return slices.IndexFunc(p.rules.Spans.Severities, func(s protocol.Severity) bool { return s.ID == k.severity })
	}
	categoryAt := func(k foundKind) int {
		return slices.IndexFunc(p.rules.Spans.Categories, func(c protocol.Category) bool { return c.Name == k.category })
	}
	slices.SortFunc(severities, func(a, b foundKind) int {
		return cmp.Or(severityAt(a)-severityAt(b), cmp.Compare(a.severity, b.severity))
	})
	slices.SortFunc(categories, func(a, b foundKind) int {
		return cmp.Or(categoryAt(a)-categoryAt(b), cmp.Compare(a.category, b.category))
	})
	slices.SortFunc(domains, func(a, b foundKind) int { return cmp.Compare(a.domain, b.domain) })
	return severities, categories, domains
}
