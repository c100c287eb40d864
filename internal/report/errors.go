package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// errorsPart counts errors and scores of the ratings that gold is formed from.
type errorsPart struct {
	rules        *protocol.Protocol
	kinds        *errorKinds
	all          *errorTally
	systems      map[string]*errorTally
	annotators   map[string]*errorTally
	scores       *scoreCounts
	correlations *errorScores
	thresholds   *thresholdSums
	spans        *spanPart
	suggestions  fates
}

// errorTally counts the errors of a set of ratings.
type errorTally struct {
	ratings    int
	faultless  int // ratings without errors
	total      int
	severities map[string]int
	kinds      map[string]*kindTally // by id of the [errorKind]
}

type kindTally struct {
	n          int
	severities map[string]int
}

func newErrorTally() *errorTally {
	return &errorTally{severities: map[string]int{}, kinds: map[string]*kindTally{}}
}

func newErrorsPart(in Input) *errorsPart {
	rules := in.Campaign.Rules
	kinds := newErrorKinds(rules)
	return &errorsPart{
		rules: rules, kinds: kinds, all: newErrorTally(), systems: map[string]*errorTally{}, annotators: map[string]*errorTally{},
		scores: newScoreCounts(rules), correlations: newErrorScores(rules), thresholds: newThresholdSums(rules), spans: newSpanPart(in), suggestions: fates{},
	}
}

func (p *errorsPart) add(seg campaign.Segment) {
	p.spans.add(seg)
	for _, t := range seg.Translations {
		for _, r := range campaign.ContributingRatings(p.rules, seg, t) {
			if t.Adjudication != nil {
				r.Annotator += " (adjudicator)" // the name of the row in tables by annotator
			}
			p.addRating(t.System, r)
			p.suggestions.add(t, r)
		}
	}
}

func (p *errorsPart) addRating(system string, r campaign.Rating) {
	scores := p.scores.scoresOf(r.Rating)
	p.scores.add(r.Annotator, scores)
	if !p.rules.MarksErrors() {
		return
	}
	counts := map[string]int{}
	kinds := make([][]string, len(r.Spans))
	for i, s := range r.Spans {
		kinds[i] = p.kinds.idsOf(s)
		counts[allErrors]++
		for _, id := range kinds[i] {
			counts[id]++
		}
	}
	for _, t := range []*errorTally{p.all, tallyOf(p.systems, system), tallyOf(p.annotators, r.Annotator)} {
		t.add(r.Spans, kinds)
	}
	p.correlations.add(counts, scores)
	p.thresholds.add(scores)
}

// add counts a rating. kinds has the ids of the kinds of each of its errors.
func (t *errorTally) add(spans []protocol.ErrorSpan, kinds [][]string) {
	t.ratings++
	if len(spans) == 0 {
		t.faultless++
	}
	for i, s := range spans {
		t.total++
		t.severities[s.Severity]++
		for _, id := range kinds[i] {
			k := entry(t.kinds, id)
			if k.severities == nil {
				k.severities = map[string]int{}
			}
			k.n++
			k.severities[s.Severity]++
		}
	}
}

func tallyOf(m map[string]*errorTally, key string) *errorTally {
	if m[key] == nil {
		m[key] = newErrorTally()
	}
	return m[key]
}

func (p *errorsPart) section() Section {
	s := Section{
		ID:    ErrorsSection,
		Title: "Errors and scores",
		Note: "Numbers are over the ratings that gold is formed from: those of the last complete round of the segments in gold, each counted once. " +
			"An error is a marked span, on either side, whatever its weight. Human scores: higher is better, and those that count errors are negative. Means without values and correlations with a constant are undefined.",
	}
	if p.scores.ratings == 0 {
		s.Paragraphs = []string{"No rating is in gold yet, so there are no errors and scores to describe."}
		return s
	}
	if !p.rules.MarksErrors() {
		s.Paragraphs = []string{fmt.Sprintf("Under %s no errors are marked. This section describes the scores.", p.rules.Name)}
	} else {
		s.Paragraphs = p.paragraphs()
		s.Tables = append(s.Tables, p.severityTable("errors-systems", "Errors by system and severity", "System", p.systems))
		s.Tables = append(s.Tables, p.severityTable("errors-annotators", "Errors by annotator and severity", "Annotator", p.annotators))
		s = appendNonEmpty(s, p.kindTable())
		s = appendNonEmpty(s, p.kindSystemTable())
		correlations, words := p.correlations.table(p.kinds)
		s = appendNonEmpty(s, correlations)
		s.Paragraphs = append(s.Paragraphs, words)
		s.Figures = append(s.Figures, p.severityFigure())
		s.Figures = append(s.Figures, p.thresholds.figures()...)
		words, tables, figures := p.spans.describe()
		s.Paragraphs = append(s.Paragraphs, words)
		s.Tables, s.Figures = append(s.Tables, tables...), append(s.Figures, figures...)
		s = appendNonEmpty(s, p.suggestions.table())
	}
	s.Tables = append(s.Tables, p.scores.table())
	s.Figures = append(s.Figures, p.scores.figures()...)
	return s
}

func (p *errorsPart) paragraphs() []string {
	a := p.all
	out := fmt.Sprintf(
		"In %s, %s marked, %s a rating; %s of the ratings have none.", wording.Counted(a.ratings, "rating"),
		wording.Counted(a.total, "error was", "errors were"), wording.Decimal(stat.Ratio(a.total, a.ratings), 2), percent(a.faultless, a.ratings),
	)
	if a.total == 0 {
		return []string{out}
	}
	var severities []string
	for _, s := range p.severities() {
		severities = append(severities, fmt.Sprintf("%s of severity %s", wording.Count(a.severities[s.ID]), s.Name))
	}
	out += " They are " + wording.List(severities) + "."
	if most := p.kinds.mostFrequent(a); most != "" {
		out += " " + most
	}
	return []string{out}
}

// severities lists the severities of the protocol, most severe first.
func (p *errorsPart) severities() []protocol.Severity {
	out := slices.Clone(p.rules.Spans.Severities)
	slices.Reverse(out)
	return out
}

// grade returns a severity as a number. ok is false unless all severities of the
// protocol are numbers.
func (p *errorsPart) grade(id string) (float64, bool) {
	for _, s := range p.rules.Spans.Severities {
		if _, err := strconv.ParseFloat(s.ID, 64); err != nil && !s.Own {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(id, 64)
	return v, err == nil
}

// meanSeverity is undefined if severities are not numbers or there are no errors.
func (p *errorsPart) meanSeverity(severities map[string]int) float64 {
	sum, n := 0.0, 0
	for _, id := range sorted(severities) {
		v, ok := p.grade(id)
		if !ok {
			return undefined
		}
		sum += v * float64(severities[id])
		n += severities[id]
	}
	if n == 0 {
		return undefined
	}
	return sum / float64(n)
}

// graded reports whether severities are numbers.
func (p *errorsPart) graded() bool {
	_, ok := p.grade("1")
	return ok
}

// classes groups the severities by their weight in a derived score that has exactly two
// weights: the majors and minors of Popov et al. 2025, Table 3. Both are nil if there is no such score.
func classes(rules *protocol.Protocol) (majors, minors []string) {
	for _, d := range rules.Derived {
		by := map[float64][]string{}
		for _, w := range d.Weights {
			if w.Category != "" || w.Subcategory != "" || w.Severity == "" {
				by = nil
				break
			}
			by[w.Weight] = append(by[w.Weight], w.Severity)
		}
		if len(by) != 2 {
			continue
		}
		var weights []float64
		for w := range by {
			weights = append(weights, w)
		}
		slices.Sort(weights)
		return by[weights[1]], by[weights[0]]
	}
	return nil, nil
}

// severityTable returns Table 3 of Popov et al. 2025: errors a rating by severity, for each system
// or annotator and for all.
func (p *errorsPart) severityTable(id, title, of string, by map[string]*errorTally) Table {
	t := Table{ID: id, Title: title, Caption: fmt.Sprintf("Mean number of errors a rating by severity, for each %s.", strings.ToLower(of)),
		Note: "Faultless: share of the ratings without errors."}
	rate := func(name string, group ...string) {
		t.Columns = append(t.Columns, Column{Name: name, Group: group, Kind: Number, Decimals: 2, Better: Lower})
	}
	t.Columns = []Column{{Name: of, Kind: Text}, {Name: "Ratings", Kind: Count}, {Name: "Errors", Kind: Count}}
	rate("All", "Errors a rating")
	majors, minors := classes(p.rules)
	if len(majors)+len(minors) == 2 {
		majors, minors = nil, nil // the two severities are the majors and the minors
	}
	if majors != nil {
		rate("Majors", "Errors a rating")
		rate("Minors", "Errors a rating")
		t.Note += fmt.Sprintf(" Majors are of severity %s, minors of %s.", wording.List(majors), wording.List(minors))
	}
	for _, s := range p.severities() {
		rate(s.Name, "Errors a rating")
	}
	if p.graded() {
		t.Columns = append(t.Columns, Column{Name: "Mean severity", Kind: Number, Decimals: 2, Better: Lower})
	}
	t.Columns = append(t.Columns, Column{Name: "Faultless", Kind: Share, Decimals: 1, Better: Higher})
	row := func(name string, e *errorTally) Row {
		cells := []Cell{text(name), count(e.ratings), count(e.total), value(stat.Ratio(e.total, e.ratings))}
		if majors != nil {
			cells = append(cells, value(stat.Ratio(e.countOf(majors), e.ratings)), value(stat.Ratio(e.countOf(minors), e.ratings)))
		}
		for _, s := range p.severities() {
			cells = append(cells, value(stat.Ratio(e.severities[s.ID], e.ratings)))
		}
		if p.graded() {
			cells = append(cells, value(p.meanSeverity(e.severities)))
		}
		return Row{Cells: append(cells, value(stat.Ratio(e.faultless, e.ratings)))}
	}
	for _, name := range sorted(by) {
		t.Rows = append(t.Rows, row(name, by[name]))
	}
	t.Rows[len(t.Rows)-1].RuleAfter = true
	if of == "System" {
		t.markBest()
	} else {
		t.clearDirections() // a high or low number of marked errors does not make a better annotator
	}
	total := row("All", p.all)
	total.Total = true
	t.Rows = append(t.Rows, total)
	return t
}

func (t *Table) clearDirections() {
	for i := range t.Columns {
		t.Columns[i].Better = Neither
	}
}

// countOf counts the errors of the given severities.
func (e *errorTally) countOf(severities []string) (n int) {
	for _, id := range severities {
		n += e.severities[id]
	}
	return n
}

func (p *errorsPart) severityFigure() Figure {
	f := Figure{ID: "errors-systems", Title: "Errors by system", Kind: BarsFigure, Caption: "Mean number of errors a rating, by severity.",
		X: chart.Axis{
			Label: "System",
		}, Y: chart.Axis{Label: "Errors a rating", Decimals: 2}, Table: p.severityTable("errors-systems", "Errors by system and severity", "System", p.systems)}
	f.Bars.Stacked = true
	f.Bars.Labels = sorted(p.systems)
	for _, s := range p.severities() {
		series := chart.BarSeries{Name: s.Name}
		for _, name := range f.Bars.Labels {
			series.Values = append(series.Values, stat.Ratio(p.systems[name].severities[s.ID], p.systems[name].ratings))
		}
		f.Bars.Series = append(f.Bars.Series, series)
	}
	var words []string
	for _, name := range f.Bars.Labels {
		words = append(words, fmt.Sprintf("%s %s", name, wording.Decimal(stat.Ratio(p.systems[name].total, p.systems[name].ratings), 2)))
	}
	f.Words = fmt.Sprintf("A bar for each system, divided by severity. Errors a rating in all: %s.", wording.List(words))
	return f
}
