package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// termsPart counts the terms of a campaign and how translations render them, as Han et al. 2026 do.
type termsPart struct {
	estimates  *estimates
	rules      *protocol.Protocol
	categories map[string]*termCategory
	systems    map[string]*renderings
	units      map[string]*answerUnits // by name of the question
	// documents and outcomes have an entry for each segment in gold, as the scores of metrics do.
	documents []string
	outcomes  []map[string]outcome // by system
}

// A termCategory holds the lengths, in code points, of the terms of a category, of their counterparts in the
// reference, and of the sources with them.
type termCategory struct{ source, reference, context []float64 }

// renderings counts the terms in the translations of a system.
type renderings struct {
	undecided          int // terms without a settled answer
	rendered, failed   int
	renderedBy, judged map[string]int // by category; judged counts rendered and failed
	types              map[string]int // of failed, by the answer that says what is wrong; "" if none is settled
}

func newRenderings() *renderings {
	return &renderings{renderedBy: map[string]int{}, judged: map[string]int{}, types: map[string]int{}}
}

// An outcome says whether a translation renders all its terms, and otherwise which types of errors there are.
type outcome struct {
	rendered bool
	types    []string
}

func newTermsPart(p *protocol.Protocol, e *estimates) *termsPart {
	return &termsPart{rules: p, estimates: e, categories: map[string]*termCategory{}, systems: map[string]*renderings{},
		units: map[string]*answerUnits{}}
}

// rendering returns the score of p that is a share of terms, and the choice that p asks about a term that is
// not rendered. share is nil if p has no such score. wrong has no name if p asks no such choice.
func rendering(p *protocol.Protocol) (share *protocol.Share, wrong protocol.Question) {
	for _, d := range p.Derived {
		if d.Share == nil || p.Given == "" {
			continue
		}
		i := slices.IndexFunc(p.Spans.Questions, func(q protocol.Question) bool {
			return q.Kind == protocol.Choice && q.When != nil && q.When.Question == d.Share.Question
		})
		if i >= 0 {
			wrong = p.Spans.Questions[i]
		}
		return d.Share, wrong
	}
	return nil, wrong
}

// add counts a segment.
func (p *termsPart) add(s campaign.Segment) {
	if !p.rules.Spans.OfTerms() {
		return
	}
	document := p.estimates.document(s.DocID)
	p.addTerms(document, s)
	share, wrong := rendering(p.rules)
	if share == nil {
		return
	}
	outcomes := map[string]outcome{}
	for _, t := range s.Translations {
		p.addUnits(document, t)
		if !s.Status.InGold() {
			continue
		}
		if o, ok := p.addRendered(document, t.System, campaign.RenderedTerms(p.rules, s, t), *share, wrong.Name); ok {
			outcomes[t.System] = o
		}
	}
	if s.Status.InGold() {
		p.documents, p.outcomes = append(p.documents, s.DocID), append(p.outcomes, outcomes)
	}
}

// addTerms counts the terms of a segment.
func (p *termsPart) addTerms(document int, s campaign.Segment) {
	terms := campaign.GoldTerms(s)
	for _, t := range terms {
		if t.Side != protocol.Source {
			continue
		}
		category := cmp.Or(t.Category, noCategory)
		c, length, context := entry(p.categories, category), float64(t.End-t.Start), float64(utf8.RuneCountInString(s.Source))
		c.source, c.context = append(c.source, length), append(c.context, context)
		other, linked := campaign.Counterpart(terms, t)
		reference := float64(other.End - other.Start)
		if linked {
			c.reference = append(c.reference, reference)
		}
		for _, row := range []any{category, everything{}} {
			g := p.estimates.group("terms", row)
			g.add(document, termLength, ratioOf, length, 1)
			g.add(document, termContext, ratioOf, context, 1)
			if linked {
				g.add(document, termReference, ratioOf, reference, 1)
			}
		}
		all := p.estimates.group("terms", everything{})
		all.base(document, 1)
		all.part(document, termsOf(category), 1)
	}
}

// The names of estimates of terms; termsOf are those of a category.
const (
	termLength    = "length"
	termReference = "reference"
	termContext   = "context"
	termRendered  = "rendered"
)

type termsOf string

// addRendered counts the terms of a translation. ok is false if it has none, or one whose rendering is undecided.
func (p *termsPart) addRendered(document int, system string, terms []campaign.RenderedTerm, share protocol.Share, wrong string) (out outcome, ok bool) {
	of := made(p.systems, system, newRenderings)
	out.rendered, ok = true, len(terms) > 0
	for _, t := range terms {
		answer, decided := t.Answers[share.Question]
		if !decided {
			of.undecided++
			ok = false
			continue
		}
		category := cmp.Or(t.Term.Category, noCategory)
		of.judged[category]++
		p.estimateRendered(document, system, category, slices.Contains(share.Is, answer), t.Answers[wrong])
		if slices.Contains(share.Is, answer) {
			of.rendered++
			of.renderedBy[category]++
			continue
		}
		of.failed++
		of.types[t.Answers[wrong]]++
		out.rendered, out.types = false, append(out.types, t.Answers[wrong])
	}
	return out, ok
}

// estimateRendered adds a term to the estimates.
func (p *termsPart) estimateRendered(document int, system, category string, rendered bool, wrong string) {
	n := 0.0
	if rendered {
		n = 1
	}
	for _, row := range []any{system, everything{}} {
		g := p.estimates.group("terms-systems", row)
		g.add(document, termRendered, ratioOf, n, 1)
		g.add(document, termsOf(category), ratioOf, n, 1)
		if !rendered {
			g := p.estimates.group("terms-errors", row)
			g.base(document, 1)
			g.part(document, wrong, 1)
		}
	}
}

// addUnits adds the answers of round 1 about the terms in a translation.
func (p *termsPart) addUnits(document int, t campaign.Translation) {
	ratings := campaign.RoundRatings(t, 1)
	if len(ratings) < 2 {
		return
	}
	for _, q := range p.rules.Spans.Questions {
		if q.Kind != protocol.Choice {
			continue
		}
		for _, term := range ratings[0].Spans {
			var unit []float64
			for _, r := range ratings {
				if i := slices.IndexFunc(r.Spans, term.SamePlace); i >= 0 {
					if k := slices.IndexFunc(q.Options, func(o protocol.Option) bool { return o.Value == r.Spans[i].Answers[q.Name] }); k >= 0 {
						unit = append(unit, float64(k))
					}
				}
			}
			if len(unit) < 2 {
				continue
			}
			made(p.units, q.Name, func() *answerUnits { return newAnswerUnits(agreement.Nominal) }).add(p.estimates, document, unit)
		}
	}
}

// section describes the terms. The first of metrics with segment scores is the evaluation of the campaign. The
// section is empty if the protocol is not about terms.
func (p *termsPart) section(ctx context.Context, metrics []Evaluation, o Options) (s Section, err error) {
	if !p.rules.Spans.OfTerms() {
		return s, nil
	}
	s = Section{
		ID:    TermsSection,
		Title: "Terms",
		Note:  "Terms are the given ones or, where annotators mark them, those in gold. Answers are settled if more than half of the annotators who count gave them.",
	}
	terms := 0
	for _, c := range p.categories {
		terms += len(c.source)
	}
	if terms == 0 {
		s.Paragraphs = []string{"There are no terms yet."}
		return s, nil
	}
	s.Paragraphs = []string{fmt.Sprintf("There are %s.", wording.Counted(terms, "term"))}
	s.Tables = append(s.Tables, p.categoryTable(terms))
	all := p.all()
	if all.rendered+all.failed > 0 {
		s.Paragraphs = append(
			s.Paragraphs,
			fmt.Sprintf(
				"Translations render %s of them. Each term counts once for each translation with a settled answer.",
				percent(all.rendered, all.rendered+all.failed),
			),
		)
		s.Tables, s.Figures = append(s.Tables, p.systemTable(all)), append(s.Figures, p.renderedFigure())
		if _, wrong := rendering(p.rules); wrong.Name != "" && all.failed > 0 {
			s.Tables, s.Figures = append(s.Tables, p.typeTable(all)), append(s.Figures, p.typeFigure())
			i := slices.IndexFunc(metrics, func(e Evaluation) bool { return e.SegmentScores != nil })
			if i >= 0 {
				drops, figure, err := p.drops(ctx, metrics[i], o)
				if err != nil {
					return s, err
				}
				if len(drops.Rows) > 0 {
					s.Tables, s.Figures = append(s.Tables, drops), append(s.Figures, figure)
				}
			}
		}
	}
	for _, of := range p.units {
		if err = of.draw(ctx, o.bootstrap()); err != nil {
			return s, err
		}
	}
	return appendNonEmpty(s, p.questionTable()), nil
}

// order lists the categories that terms have, in the order of the protocol.
func (p *termsPart) order() (names []string) {
	for _, c := range p.rules.Spans.Categories {
		if p.categories[c.Name] != nil {
			names = append(names, c.Name)
		}
	}
	for _, name := range sorted(p.categories) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// categoryTable is Table 1 of Han et al. 2026.
func (p *termsPart) categoryTable(terms int) Table {
	t := Table{ID: "terms", Title: "Terms by category", Caption: "Terms in the sources by category, with mean lengths in characters.",
		Note: "Characters are code points. The length in the reference is that of the counterpart to which a term is linked, over the terms that have one; the context is the source with the term.",
		Columns: slices.Concat(
			texts("Category"), counts("Terms"), shares("Share"), under("Term length", numbers(2, "Source", "Reference")),
			numbers(2, "Context"),
		)}
	row := func(name string, drawn any, c termCategory) []Cell {
		mean := func(values []float64, of string) Cell {
			return estimated(stat.Mean(values), p.estimates.interval("terms", drawn, of))
		}
		share := value(stat.Ratio(len(c.source), terms))
		if drawn != any(everything{}) {
			share = estimated(share.Value, p.estimates.interval("terms", everything{}, termsOf(name)))
		}
		return []Cell{
			text(name), count(len(c.source)), share, mean(c.source, termLength), mean(c.reference, termReference), mean(c.context, termContext),
		}
	}
	var all termCategory
	for _, name := range p.order() {
		c := p.categories[name]
		t.add(row(name, name, *c)...)
		all.source, all.reference, all.context = append(all.source, c.source...), append(all.reference,
			c.reference...), append(all.context, c.context...)
	}
	t.addTotal(row("All", everything{}, all)...)
	return t
}

// all sums up the systems.
func (p *termsPart) all() *renderings {
	sum := newRenderings()
	for _, of := range p.systems {
		sum.undecided, sum.rendered, sum.failed = sum.undecided+of.undecided, sum.rendered+of.rendered, sum.failed+of.failed
		for into, from := range map[*map[string]int]map[string]int{&sum.renderedBy: of.renderedBy, &sum.judged: of.judged, &sum.types: of.types} {
			for key, n := range from {
				(*into)[key] += n
			}
		}
	}
	return sum
}

// systemTable is the left half of Figure 3 of Han et al. 2026, by category.
func (p *termsPart) systemTable(all *renderings) Table {
	t := Table{ID: "terms-systems", Title: "Terms rendered",
		Caption: "Share of the terms that the translations of each system render, by category.",
		Note:    "Shares are over the terms in translations with a settled answer. Undecided: terms without one. Best, second and third of each column are marked.",
		Columns: slices.Concat(texts("System"), counts("Terms", "Undecided"), higher(shares("Rendered")))}
	for _, name := range p.order() {
		t.addColumns(under("Rendered, by category", higher(shares(name))))
	}
	row := func(name string, drawn any, of *renderings) []Cell {
		share := func(part, all int, name any) Cell {
			return estimated(stat.Ratio(part, all), p.estimates.interval("terms-systems", drawn, name))
		}
		cells := []Cell{text(name), count(of.rendered + of.failed), count(of.undecided), share(of.rendered, of.rendered+of.failed, termRendered)}
		for _, category := range p.order() {
			cells = append(cells, share(of.renderedBy[category], of.judged[category], termsOf(category)))
		}
		return cells
	}
	for _, name := range sorted(p.systems) {
		t.add(row(name, name, p.systems[name])...)
	}
	t.markBest()
	t.addTotal(row("All", everything{}, all)...)
	return t
}

// types lists the answers that say what is wrong, with their labels. If terms have no settled answer, the
// last type stands for them.
func (p *termsPart) types() (values, labels []string) {
	_, wrong := rendering(p.rules)
	for _, o := range wrong.Options {
		values, labels = append(values, o.Value), append(labels, o.Label)
	}
	if p.all().types[""] > 0 {
		values, labels = append(values, ""), append(labels, "Undecided")
	}
	return values, labels
}

// typeTable is the right half of Figure 3 of Han et al. 2026.
func (p *termsPart) typeTable(all *renderings) Table {
	t := Table{ID: "terms-errors", Title: "Errors by type",
		Caption: "What is wrong with the terms that the translations of each system do not render.",
		Note:    "Shares are of the terms that are not rendered. Undecided: terms whose annotators differ in the type.",
		Columns: slices.Concat(texts("System"), counts("Not rendered"))}
	values, labels := p.types()
	for _, label := range labels {
		t.addColumns(under("Of these", shares(label)))
	}
	row := func(name string, drawn any, of *renderings) []Cell {
		cells := []Cell{text(name), count(of.failed)}
		for _, v := range values {
			cells = append(cells, estimated(stat.Ratio(of.types[v], of.failed), p.estimates.interval("terms-errors", drawn, v)))
		}
		return cells
	}
	for _, name := range sorted(p.systems) {
		t.add(row(name, name, p.systems[name])...)
	}
	t.addTotal(row("All", everything{}, all)...)
	return t
}

// renderedFigure is the left half of Figure 3 of Han et al. 2026.
func (p *termsPart) renderedFigure() Figure {
	f := Figure{
		ID:      "terms-systems",
		Title:   "Terms rendered by system",
		Kind:    BarsFigure,
		Caption: "Share of the terms that the translations of each system render, in per cent.",
		X:       chart.Axis{Label: "System"},
		Y:       chart.Axis{Label: "Terms rendered (%)", Decimals: 1},
		Table:   p.systemTable(p.all()),
	}
	f.Bars.Labels = sorted(p.systems)
	series := chart.BarSeries{Name: "Rendered"}
	var words []string
	for _, name := range f.Bars.Labels {
		of := p.systems[name]
		series.Values = append(series.Values, 100*stat.Ratio(of.rendered, of.rendered+of.failed))
		words = append(words, name+" "+percent(of.rendered, of.rendered+of.failed))
	}
	f.Bars.Series = []chart.BarSeries{series}
	f.Words = fmt.Sprintf("A bar for each system: %s.", wording.List(words))
	return f
}

// typeFigure is the right half of Figure 3 of Han et al. 2026.
func (p *termsPart) typeFigure() Figure {
	f := Figure{
		ID:      "terms-errors",
		Title:   "Errors by type and system",
		Kind:    BarsFigure,
		Caption: "What is wrong with the terms that the translations of each system do not render, in per cent of these terms.",
		X:       chart.Axis{Label: "System"},
		Y:       chart.Axis{Label: "Terms not rendered (%)", Decimals: 1},
		Table:   p.typeTable(p.all()),
	}
	f.Bars.Stacked = true
	f.Bars.Labels = sorted(p.systems)
	values, labels := p.types()
	for i, v := range values {
		series := chart.BarSeries{Name: labels[i]}
		for _, name := range f.Bars.Labels {
			series.Values = append(series.Values, 100*stat.Ratio(p.systems[name].types[v], p.systems[name].failed))
		}
		f.Bars.Series = append(f.Bars.Series, series)
	}
	most := slices.MaxFunc(values, func(a, b string) int { return cmp.Compare(p.all().types[a], p.all().types[b]) })
	f.Words = fmt.Sprintf(
		"A bar for each system, divided by type. Most frequent over all systems is %s, with %s.", labels[slices.Index(values, most)],
		percent(p.all().types[most], p.all().failed),
	)
	return f
}

// questionTable has the agreement of annotators on the questions about terms.
func (p *termsPart) questionTable() Table {
	t := Table{ID: "terms-questions", Title: "Agreement on terms", Caption: "Krippendorff's alpha (nominal) of each question about terms.",
		Note:    "Values are over the terms about which two or more annotators answered the question in round 1. Equal: all of them gave the same answer. Alpha is undefined if all answers are equal. Its intervals leave out one document at a time.",
		Columns: slices.Concat(texts("Question"), counts("Terms"), shares("Equal"), numbers(2, "Alpha"))}
	for _, q := range p.rules.Spans.Questions {
		if of := p.units[q.Name]; of != nil {
			t.add(append([]Cell{text(q.Label)}, of.cells(p.estimates)...)...)
		}
	}
	return t
}
