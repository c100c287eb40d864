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
	estimates    *estimates
	kinds        *errorKinds
	counts       errorCounts
	open         errorCounts // of the document that is being read
	document     string      // its id
	correlations *errorScores
	spans        *spanPart
	suggestions  fates
}

// errorCounts count the errors and the scores of ratings.
type errorCounts struct {
	all        *errorTally
	systems    map[string]*errorTally
	annotators map[string]*errorTally
	scores     *scoreCounts
	thresholds *thresholdSums
}

func newErrorCounts(rules *protocol.Protocol) errorCounts {
	return errorCounts{
		all: newErrorTally(), systems: map[string]*errorTally{}, annotators: map[string]*errorTally{},
		scores: newScoreCounts(rules), thresholds: newThresholdSums(rules),
	}
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

func newErrorsPart(in Input, e *estimates) *errorsPart {
	rules := in.Campaign.Rules
	kinds := newErrorKinds(rules)
	return &errorsPart{
		rules: rules, estimates: e, kinds: kinds, counts: newErrorCounts(rules), open: newErrorCounts(rules),
		correlations: newErrorScores(rules), spans: newSpanPart(in, e), suggestions: fates{},
	}
}

func (p *errorsPart) add(seg campaign.Segment) {
	if seg.DocID != p.document {
		p.closeDocument()
		p.document = seg.DocID
	}
	p.spans.add(seg)
	for _, t := range seg.Translations {
		for _, r := range campaign.ContributingRatings(p.rules, seg, t) {
			if t.Adjudication != nil {
				r.Annotator += " (adjudicator)" // the name of the row in tables by annotator
			}
			p.addRating(t.System, r)
			p.suggestions.add(p.estimates, p.estimates.document(seg.DocID), t, r)
		}
	}
}

func (p *errorsPart) addRating(system string, r campaign.Rating) {
	scores := p.open.scores.scoresOf(r.Rating)
	p.open.scores.add(r.Annotator, scores)
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
	for _, t := range []*errorTally{p.open.all, made(p.open.systems, system, newErrorTally), made(p.open.annotators, r.Annotator, newErrorTally)} {
		t.add(r.Spans, kinds)
	}
	p.correlations.add(p.estimates.document(p.document), counts, scores)
	p.open.thresholds.add(scores)
}

// closeDocument adds the counts of the document that was read to the others and to the estimates.
func (p *errorsPart) closeDocument() {
	p.spans.closeDocument(p.document)
	if p.open.scores.ratings == 0 {
		return
	}
	document := p.estimates.document(p.document)
	p.open.scores.estimate(p.estimates, document)
	p.counts.scores.merge(p.open.scores)
	if p.rules.MarksErrors() {
		p.estimate(document, p.open.all, everything{})
		p.counts.all.merge(p.open.all)
		p.estimateKinds(document)
		for name, t := range p.open.systems {
			p.estimate(document, t, ofSystem(name))
			made(p.counts.systems, name, newErrorTally).merge(t)
		}
		for name, t := range p.open.annotators {
			p.estimate(document, t, ofAnnotator(name))
			made(p.counts.annotators, name, newErrorTally).merge(t)
		}
		p.open.thresholds.estimate(p.estimates, document)
		p.counts.thresholds.merge(p.open.thresholds)
	}
	p.open = newErrorCounts(p.rules)
}

// The rows of estimates of errors, and the names of those of a severity and of a kind.
type (
	ofSystem    string
	ofAnnotator string
	ofSeverity  string
	ofKind      string
)

// The names of other estimates of errors.
const (
	anyErrors    = "all"
	majorErrors  = "majors"
	minorErrors  = "minors"
	faultless    = "faultless"
	meanSeverity = "mean severity"
)

// estimate adds the tally of a document to the estimates of a row.
func (p *errorsPart) estimate(document int, t *errorTally, row any) {
	g := p.estimates.group("errors", row)
	g.base(document, float64(t.ratings))
	g.part(document, anyErrors, float64(t.total))
	g.part(document, faultless, float64(t.faultless))
	majors, minors := classes(p.rules)
	g.part(document, majorErrors, float64(t.countOf(majors)))
	g.part(document, minorErrors, float64(t.countOf(minors)))
	for id, n := range t.severities {
		g.part(document, ofSeverity(id), float64(n))
	}
	for id, k := range t.kinds {
		g.part(document, ofKind(id), float64(k.n))
	}
	p.estimateSeverity(g, document, t.severities)
}

// estimateKinds adds the kinds of the errors of a document to the estimates over all errors.
func (p *errorsPart) estimateKinds(document int) {
	if p.open.all.total == 0 {
		return
	}
	shares := p.estimates.group("errors-shares", everything{})
	shares.base(document, float64(p.open.all.total))
	shares.part(document, anyErrors, float64(p.open.all.total))
	for id, k := range p.open.all.kinds {
		shares.part(document, ofKind(id), float64(k.n))
		p.estimateSeverity(p.estimates.group("errors-kinds", ofKind(id)), document, k.severities)
	}
}

// estimateSeverity adds severities that are numbers to their mean.
func (p *errorsPart) estimateSeverity(g *estimateGroup, document int, severities map[string]int) {
	for id, n := range severities {
		if v, ok := p.grade(id); ok {
			g.add(document, meanSeverity, ratioOf, v*float64(n), float64(n))
		}
	}
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

// merge adds the counts of other ratings.
func (t *errorTally) merge(o *errorTally) {
	t.ratings, t.faultless, t.total = t.ratings+o.ratings, t.faultless+o.faultless, t.total+o.total
	for id, n := range o.severities {
		t.severities[id] += n
	}
	for id, other := range o.kinds {
		k := entry(t.kinds, id)
		if k.severities == nil {
			k.severities = map[string]int{}
		}
		k.n += other.n
		for id, n := range other.severities {
			k.severities[id] += n
		}
	}
}

func (p *errorsPart) section() Section {
	s := Section{
		ID:    ErrorsSection,
		Title: "Errors and scores",
		Note: "Numbers are over the ratings that gold is formed from: those of the last complete round of the segments in gold, each counted once. " +
			"An error is a marked span, on either side, whatever its weight. Human scores: higher is better, and those that count errors are negative. Means without values and correlations with a constant are undefined.",
	}
	if p.counts.scores.ratings == 0 {
		s.Paragraphs = []string{"No rating is in gold yet, so there are no errors and scores to describe."}
		return s
	}
	if !p.rules.MarksErrors() && len(p.rules.Scores) == 0 {
		s.Paragraphs = []string{fmt.Sprintf("Under %s no errors are marked and no scores are given.", p.rules.Name)}
		return s
	}
	if !p.rules.MarksErrors() {
		s.Paragraphs = []string{fmt.Sprintf("Under %s no errors are marked. This section describes the scores.", p.rules.Name)}
	} else {
		s.Paragraphs = p.paragraphs()
		s.Tables = append(s.Tables, p.severityTable("errors-systems", "Errors by system and severity", "System", p.counts.systems))
		s.Tables = append(s.Tables, p.severityTable("errors-annotators", "Errors by annotator and severity", "Annotator", p.counts.annotators))
		s = appendNonEmpty(s, p.kindTable())
		s = appendNonEmpty(s, p.kindSystemTable())
		correlations, words := p.correlations.table(p.kinds)
		s = appendNonEmpty(s, correlations)
		s.Paragraphs = append(s.Paragraphs, words)
		s.Figures = append(s.Figures, p.severityFigure())
		s.Figures = append(s.Figures, p.counts.thresholds.figures(p.estimates)...)
		words, tables, figures := p.spans.describe()
		s.Paragraphs = append(s.Paragraphs, words)
		s.Tables, s.Figures = append(s.Tables, tables...), append(s.Figures, figures...)
		s = appendNonEmpty(s, p.suggestions.table(p.estimates))
	}
	s.Tables = append(s.Tables, p.counts.scores.table(p.estimates))
	s.Figures = append(s.Figures, p.counts.scores.figures()...)
	return s
}

func (p *errorsPart) paragraphs() []string {
	a := p.counts.all
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
	t.Columns = slices.Concat(texts(of), counts("Ratings", "Errors"))
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
		t.addColumns(lower(numbers(2, "Mean severity")))
	}
	t.addColumns(higher(shares("Faultless")))
	row := func(name string, e *errorTally, drawn any) []Cell {
		rate := func(n int, name any) Cell {
			return estimated(stat.Ratio(n, e.ratings), p.estimates.interval("errors", drawn, name))
		}
		cells := []Cell{text(name), count(e.ratings), count(e.total), rate(e.total, anyErrors)}
		if majors != nil {
			cells = append(cells, rate(e.countOf(majors), majorErrors), rate(e.countOf(minors), minorErrors))
		}
		for _, s := range p.severities() {
			cells = append(cells, rate(e.severities[s.ID], ofSeverity(s.ID)))
		}
		if p.graded() {
			cells = append(cells, estimated(p.meanSeverity(e.severities), p.estimates.interval("errors", drawn, meanSeverity)))
		}
		return append(cells, rate(e.faultless, faultless))
	}
	for _, name := range sorted(by) {
		drawn := any(ofSystem(name))
		if of != "System" {
			drawn = ofAnnotator(name)
		}
		t.add(row(name, by[name], drawn)...)
	}
	if of == "System" {
		t.markBest()
	} else {
		t.clearDirections() // a high or low number of marked errors does not make a better annotator
	}
	t.addTotal(row("All", p.counts.all, everything{})...)
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
		}, Y: chart.Axis{Label: "Errors a rating", Decimals: 2},
		Table: p.severityTable("errors-systems", "Errors by system and severity", "System", p.counts.systems)}
	f.Bars.Stacked = true
	f.Bars.Labels = sorted(p.counts.systems)
	for _, s := range p.severities() {
		series := chart.BarSeries{Name: s.Name}
		for _, name := range f.Bars.Labels {
			series.Values = append(series.Values, stat.Ratio(p.counts.systems[name].severities[s.ID], p.counts.systems[name].ratings))
		}
		f.Bars.Series = append(f.Bars.Series, series)
	}
	var words []string
	for _, name := range f.Bars.Labels {
		words = append(words, fmt.Sprintf("%s %s", name,
			wording.Decimal(stat.Ratio(p.counts.systems[name].total, p.counts.systems[name].ratings), 2)))
	}
	f.Words = fmt.Sprintf("A bar for each system, divided by severity. Errors a rating in all: %s.", wording.List(words))
	return f
}
