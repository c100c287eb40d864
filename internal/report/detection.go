package report

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/metaeval"
	"annotate/internal/metric"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// thetas are the thresholds at which spans are matched (Zhang et al. 2025, Figure 3).
var thetas = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

// spanPart compares spans with those in gold, which come from annotators or an
// adjudicator. It compares the spans of metrics, and those of each annotator with the
// spans of the others.
type spanPart struct {
	rules   *protocol.Protocol
	metrics MetricSpans
	tokens  metric.Tokenizer // for sources
	lengths []int            // the number of compared segments in each of the metaeval.LengthGroups
	by      map[spanMarker]*spanScores
	open    map[spanMarker]*spanScores // as by, of the document that is being read
	drawn   *estimates
	shown   map[string]bool // the metrics whose spans annotators got as suggestions
}

// A spanMarker is a metric or an annotator whose spans are compared.
type spanMarker struct {
	name  string
	human bool
}

// spanScores compares a marker's spans with those in gold, at each threshold.
type spanScores struct {
	at     []agreement.Spans // by threshold
	severe agreement.Spans   // at agreement.Theta
	length []agreement.Spans // at agreement.Theta, in each of the metaeval.LengthGroups
	found  map[foundKind]foundCount
}

func newSpanPart(in Input, e *estimates) *spanPart {
	p := &spanPart{rules: in.Campaign.Rules, metrics: in.MetricSpans, tokens: metric.TokenizerFor(in.Campaign.SourceLang),
		lengths: make([]int, len(metaeval.LengthGroups)), by: map[spanMarker]*spanScores{}, open: map[spanMarker]*spanScores{}, drawn: e,
		shown: map[string]bool{}}
	if p.metrics == nil {
		p.metrics = StoredSpans{}
	}
	return p
}

func (p *spanPart) add(seg campaign.Segment) {
	if !p.rules.MarksErrors() {
		return
	}
	length, compared := metaeval.LengthGroupOf(len(p.tokens.Split(seg.Source))), false
	for _, t := range seg.Translations {
		gold := campaign.GoldSource(seg, t) // the adjudication alone, if there is one
		if len(gold) == 0 {
			continue
		}
		spans := make([][]agreement.Span, len(gold))
		for i, r := range gold {
			spans[i] = campaign.AgreementSpans(r.Spans)
		}
		for i := range gold {
			for j := range i {
				a, b := p.scores(spanMarker{gold[i].Annotator, true}), p.scores(spanMarker{gold[j].Annotator, true})
				a.addBoth(b, spans[i], spans[j], length)
				a.addFound(spans[i], gold[j].Spans, seg.Domain)
				b.addFound(spans[j], gold[i].Spans, seg.Domain)
				compared = true
			}
		}
		if _, stored := p.metrics.(StoredSpans); stored && t.Suggested != nil {
			p.shown[origin(t)] = true
		}
		for _, m := range p.metrics.Spans(seg, t) {
			marked := campaign.AgreementSpans(m.Spans)
			for i := range gold {
				s := p.scores(spanMarker{m.Metric, false})
				s.add(marked, spans[i], length)
				s.addFound(marked, gold[i].Spans, seg.Domain)
				compared = true
			}
		}
	}
	if compared {
		p.lengths[length]++
	}
}

// scores returns the scores of a marker in the document that is being read.
func (p *spanPart) scores(m spanMarker) *spanScores { return made(p.open, m, newSpanScores) }

func newSpanScores() *spanScores {
	s := &spanScores{severe: agreement.Spans{BySeverity: true}, found: map[foundKind]foundCount{}}
	s.at, s.length = make([]agreement.Spans, 0, len(thetas)), make([]agreement.Spans, 0, len(metaeval.LengthGroups))
	for _, theta := range thetas {
		s.at = append(s.at, agreement.Spans{Theta: theta})
	}
	for range metaeval.LengthGroups {
		s.length = append(s.length, agreement.Spans{Theta: agreement.Theta})
	}
	return s
}

// allOfThem stands for all annotators.
var allOfThem = spanMarker{human: true}

// closeDocument adds the comparisons of the document that was read to the others and to the estimates.
func (p *spanPart) closeDocument(id string) {
	if len(p.open) == 0 {
		return
	}
	document, humans := p.drawn.document(id), newSpanScores()
	for m, s := range p.open {
		s.estimate(p.drawn, document, m)
		made(p.by, m, newSpanScores).merge(s)
		if m.human {
			humans.merge(s)
		}
	}
	humans.estimate(p.drawn, document, allOfThem)
	clear(p.open)
}

// A detected names a statistic of detection: at a threshold, or with severity at agreement.Theta if the threshold is 0. length
// counts the metaeval.LengthGroups from 1; 0 stands for all.
type detected struct {
	what   string
	theta  float64
	length int
}

// The statistics of detection.
const (
	spanPrecision  = "precision"
	spanRecall     = "recall"
	spanF1         = "F1"
	spanCharacters = "characters"
)

// A foundBy names the errors of a kind that a marker is compared with.
type foundBy struct {
	marker spanMarker
	kind   foundKind
}

// estimate adds the comparisons of a document to the estimates of a marker.
func (s *spanScores) estimate(e *estimates, document int, m spanMarker) {
	add := func(g *estimateGroup, c *agreement.Spans, theta float64, length int) {
		matched, marked, gold := float64(c.Matched), float64(c.SpansA), float64(c.SpansB)
		g.add(document, detected{spanPrecision, theta, length}, ratioOf, matched, marked)
		g.add(document, detected{spanRecall, theta, length}, ratioOf, matched, gold)
		g.add(document, detected{spanF1, theta, length}, ratioOf, 2*matched, marked+gold)
	}
	g := e.group("detection", m)
	g.base(document, float64(s.at[0].Translations))
	for i, theta := range thetas {
		add(g, &s.at[i], theta, 0)
	}
	add(g, &s.severe, 0, 0)
	g.add(document, detected{what: spanCharacters}, ratioOf, 2*float64(s.at[0].CharsBoth), float64(s.at[0].CharsA+s.at[0].CharsB))
	for i := range s.length {
		if s.length[i].Translations > 0 {
			g := e.group("detection", [2]any{m, i})
			g.base(document, float64(s.length[i].Translations))
			add(g, &s.length[i], agreement.Theta, i+1)
		}
	}
	for k, c := range s.found {
		e.group("detection", foundBy{m, k}).add(document, spanRecall, ratioOf, float64(c.found), float64(c.errors))
	}
}

func (s *spanScores) add(marked, gold []agreement.Span, length int) {
	for i := range s.at {
		s.at[i].Add(marked, gold)
	}
	s.severe.Add(marked, gold)
	s.length[length].Add(marked, gold)
}

// addBoth adds the comparison of a with b to s, and that of b with a to t.
func (s *spanScores) addBoth(t *spanScores, a, b []agreement.Span, length int) {
	both := func(x, y *agreement.Spans) {
		one := agreement.Spans{BySeverity: x.BySeverity, Theta: x.Theta}
		one.Add(a, b)
		x.Merge(one)
		y.Merge(one.Swapped())
	}
	for i := range s.at {
		both(&s.at[i], &t.at[i])
	}
	both(&s.severe, &t.severe)
	both(&s.length[length], &t.length[length])
}

func (s *spanScores) merge(t *spanScores) {
	for i := range s.at {
		s.at[i].Merge(t.at[i])
	}
	s.severe.Merge(t.severe)
	for i := range s.length {
		s.length[i].Merge(t.length[i])
	}
	for k, c := range t.found {
		sum := s.found[k]
		s.found[k] = foundCount{found: sum.found + c.found, errors: sum.errors + c.errors}
	}
}

// fewAnnotators is the number of annotators up to which each has a line in a figure.
const fewAnnotators = 8

// markers lists metrics, then annotators, each sorted by name.
func (p *spanPart) markers() []spanMarker {
	var out []spanMarker
	for m := range p.by {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b spanMarker) int {
		if a.human != b.human {
			if b.human {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

// allAnnotators adds up the comparisons of all annotators.
func (p *spanPart) allAnnotators() *spanScores {
	out := newSpanScores()
	for _, m := range p.markers() {
		if m.human {
			out.merge(p.by[m])
		}
	}
	return out
}

// describe returns the tables and figures of span detection (Figure 3 of Zhang et al. 2025) and
// a paragraph about them. It returns only the paragraph if no spans can be compared.
func (p *spanPart) describe() (words string, tables []Table, figures []Figure) {
	markers := p.markers()
	if len(markers) == 0 {
		return "There are no spans to compare: no translation in gold was rated by two annotators, and no metric marked spans.", nil, nil
	}
	var metrics []string
	for _, m := range markers {
		if !m.human {
			metrics = append(metrics, m.name)
		}
	}
	note := "Spans match one to one if what they share covers at least the threshold of both, the largest shared stretch first; counts are summed over all translations. " +
		"The spans of each metric or annotator are compared with those of every annotator in gold in turn, and in an adjudicated translation with those of the adjudicator"
	if len(metrics) == 0 {
		words = "No metric marked spans. Instead, each annotator's spans are compared with those of the others, as those of a metric would be."
		note += ". An annotator is not compared with themselves."
	} else {
		words = fmt.Sprintf("The spans of %s are compared with those of the annotators in gold. ", wording.List(metrics))
		note += ". Annotators are compared with the other annotators."
	}
	for _, m := range markers {
		if !m.human {
			_, _, f1 := p.by[m].severe.Matches()
			precision, recall, plain := p.by[m].at[slices.Index(thetas, agreement.Theta)].Matches()
			words += fmt.Sprintf(
				"At a threshold of %s, %s has a precision of %s, a recall of %s and an F1 of %s (%s with severity). ",
				wording.Decimal(agreement.Theta, 1), m.name, wording.Decimal(precision, 2), wording.Decimal(recall, 2), wording.Decimal(plain, 2),
				wording.Decimal(f1, 2),
			)
		}
	}
	switch shown := slices.DeleteFunc(slices.Clone(metrics), func(name string) bool { return !p.shown[name] }); {
	case len(shown) > 0 && len(shown) < len(metrics):
		words += fmt.Sprintf("The spans of %s were suggested to the annotators, so the annotators' spans are not independent of them.",
			wording.List(shown))
	case len(shown) > 0:
		words += "These spans were suggested to the annotators, so the annotators' spans are not independent of them."
	}
	t := p.table(markers, note)
	for _, what := range []struct {
		id, name, what string
		of             func(*agreement.Spans) float64
	}{
		{"precision", "Precision", spanPrecision, func(s *agreement.Spans) float64 { v, _, _ := s.Matches(); return v }},
		{"recall", "Recall", spanRecall, func(s *agreement.Spans) float64 { _, v, _ := s.Matches(); return v }},
		{"f1", "F1", spanF1, func(s *agreement.Spans) float64 { _, _, v := s.Matches(); return v }},
	} {
		figures = append(figures, p.figure(markers, len(metrics), what.id, what.name, what.what, note, what.of))
	}
	tables = []Table{t, p.lengthTable(markers, note)}
	if len(metrics) > 0 {
		tables = append(tables, p.foundTable(markers))
	}
	return strings.TrimSpace(words), tables, figures
}

// lengthTable returns the F1 of spans by length of the source (Table 3 of Zhang et al. 2025).
func (p *spanPart) lengthTable(markers []spanMarker, note string) Table {
	t := Table{ID: "span-detection-lengths", Title: "Error span detection by length of the source", Note: note + " " + tokensNote,
		Caption: fmt.Sprintf(
			"F1 of marked spans against those of annotators, at a threshold of %s, by the length of the source in tokens.",
			wording.Decimal(agreement.Theta, 1),
		),
		Columns: texts("Spans of", "Who")}
	for i, g := range metaeval.LengthGroups {
		t.addColumns(
			under(lengthLabel(g), under(wording.Counted(p.lengths[i], "segment"), higher(numbers(2, "F1")))),
		)
	}
	row := func(name, who string, m spanMarker, s *spanScores) []Cell {
		r := []Cell{text(name), text(who)}
		for i := range s.length {
			_, _, f1 := s.length[i].Matches()
			r = append(r, estimated(f1, p.drawn.interval("detection", [2]any{m, i}, detected{spanF1, agreement.Theta, i + 1})))
		}
		return r
	}
	t.addMarkers(markers, p, row)
	return t
}

func (p *spanPart) table(markers []spanMarker, note string) Table {
	t := Table{
		ID:    "span-detection",
		Title: "Error span detection",
		Caption: fmt.Sprintf(
			"Precision, recall and F1 of marked spans against those of annotators, at a threshold of %s.", wording.Decimal(agreement.Theta, 1),
		),
		Note: note + " Characters: F1 of the characters marked. With severity: both spans have the same severity, so that 0 is all that a metric with other severities than the annotators can have.",
		Columns: slices.Concat(
			texts("Spans of", "Who"), counts("Comparisons"), under("Spans", counts("Marked", "Of annotators")),
			higher(numbers(2, "Precision", "Recall", "F1")),
			under("With severity", higher(numbers(2, "Precision", "Recall", "F1"))),
			under("F1", higher(numbers(2, "Characters"))),
		),
	}
	row := func(name, who string, m spanMarker, s *spanScores) []Cell {
		half := &s.at[slices.Index(thetas, agreement.Theta)]
		precision, recall, f1 := half.Matches()
		severePrecision, severeRecall, severeF1 := s.severe.Matches()
		return []Cell{
			text(name), text(who), count(half.Translations), count(half.SpansA), count(half.SpansB),
			p.detected(m, precision, spanPrecision, agreement.Theta), p.detected(m, recall, spanRecall, agreement.Theta),
			p.detected(m, f1, spanF1, agreement.Theta), p.detected(m, severePrecision, spanPrecision, 0),
			p.detected(m, severeRecall, spanRecall, 0), p.detected(m, severeF1, spanF1, 0),
			p.detected(m, half.CharF1(), spanCharacters, 0),
		}
	}
	t.addMarkers(markers, p, row)
	return t
}

// detected is a cell of a statistic of detection over all lengths.
func (p *spanPart) detected(m spanMarker, v float64, what string, theta float64) Cell {
	return estimated(v, p.drawn.interval("detection", m, detected{what, theta, 0}))
}

// addMarkers adds a row for each marker and one for all annotators.
func (t *Table) addMarkers(markers []spanMarker, p *spanPart, row func(name, who string, m spanMarker, s *spanScores) []Cell) {
	humans := 0
	for i, m := range markers {
		who := "metric"
		if m.human {
			who = "annotator"
			humans++
		}
		if i > 0 && markers[i-1].human != m.human {
			t.rule()
		}
		t.add(row(m.name, who, m, p.by[m])...)
	}
	if humans < len(markers) {
		t.markBest()
	} else {
		t.clearDirections()
	}
	if humans > 1 {
		t.addTotal(row("All", "annotators", allOfThem, p.allAnnotators())...)
	}
}

func (p *spanPart) figure(markers []spanMarker, metrics int, id, name, what, note string, of func(*agreement.Spans) float64) Figure {
	f := Figure{
		ID:      "spans-" + id,
		Title:   name + " of spans",
		Kind:    LinesFigure,
		Caption: name + " of marked spans against those of annotators, over the threshold for a match.",
		X:       chart.Axis{Label: "Threshold", Min: 0, Max: 1, Decimals: 1},
		Y:       chart.Axis{Label: name, Min: 0, Max: 1, Decimals: 2},
	}
	var drawn []spanMarker // of each line
	line := func(name string, m spanMarker, s *spanScores, dash bool) {
		drawn = append(drawn, m)
		l := chart.Line{Name: name, Group: name, Dash: dash, X: thetas}
		for i := range s.at {
			l.Y = append(l.Y, of(&s.at[i]))
		}
		f.Lines = append(f.Lines, l)
	}
	humans := len(markers) - metrics
	for _, m := range markers {
		if !m.human || metrics == 0 && humans <= fewAnnotators {
			line(m.name, m, p.by[m], m.human)
		}
	}
	if humans > 0 && (metrics > 0 || humans > fewAnnotators) {
		line("Annotators", allOfThem, p.allAnnotators(), true)
	}
	f.Table = Table{ID: f.ID, Title: f.Title, Caption: f.Caption, Note: note, Columns: numbers(1, "Threshold")}
	for _, l := range f.Lines {
		f.Table.addColumns(numbers(2, l.Name))
	}
	for i, theta := range thetas {
		r := []Cell{value(theta)}
		for k, l := range f.Lines {
			r = append(r, p.detected(drawn[k], l.Y[i], what, theta))
		}
		f.Table.add(r...)
	}
	var ends []string
	for _, l := range f.Lines {
		ends = append(ends, fmt.Sprintf("%s from %s to %s", l.Name, wording.Decimal(l.Y[0], 2), wording.Decimal(l.Y[len(l.Y)-1], 2)))
	}
	f.Words = fmt.Sprintf("%s at thresholds from %s to 1: %s.", name, wording.Decimal(thetas[0], 1), wording.List(ends))
	return f
}
