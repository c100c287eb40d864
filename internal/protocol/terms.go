package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// pick returns the first text if the spans are errors, and the second if they are terms.
func (m *Marking) pick(errors, terms string) string {
	if m.OfTerms() {
		return terms
	}
	return errors
}

// asks reports whether s has the questions of m, which are only about terms in the source.
func (m *Marking) asks(s ErrorSpan) bool { return s.Side == Source }

// asking is a protocol with the questions of m, so that the same rules apply to questions about terms and about cards.
func (m *Marking) asking() *Protocol { return &Protocol{Name: "a term", Questions: m.Questions} }

// asRating is a rating with the answers and the comment of s.
func (s ErrorSpan) asRating() Rating {
	r := Rating{Comment: s.Comment}
	for name, text := range s.Answers {
		if r.Answers == nil {
			r.Answers = map[string]Answer{}
		}
		r.Answers[name] = Answer{Text: text}
	}
	return r
}

// Asked lists the questions of m that s has, given its answers.
func (m *Marking) Asked(s ErrorSpan) []Question {
	if !m.asks(s) {
		return nil
	}
	r := s.asRating()
	return slices.DeleteFunc(slices.Clone(m.Questions), func(q Question) bool { return !m.asking().Asked(q, r) })
}

// checkAnswers reports answers of s that m does not have, and answers of a span that has no questions.
func (m *Marking) checkAnswers(s ErrorSpan) []Violation {
	if len(s.Answers) == 0 {
		return nil
	}
	if !m.asks(s) || len(m.Questions) == 0 {
		return []Violation{{"answers", m.pick("errors have no questions", "only terms in the source have questions") + "; leave the answers out"}}
	}
	out := m.asking().CheckAnswers(s.asRating().Answers, nil)
	for i := range out {
		out[i].Field = "answers." + out[i].Field
	}
	return out
}

// onlyAsked returns spans without the answers to questions that they do not have.
func (m *Marking) onlyAsked(spans []ErrorSpan) []ErrorSpan {
	if len(m.Questions) == 0 {
		return spans
	}
	out := slices.Clone(spans)
	for i, s := range out {
		asked := m.Asked(s)
		answers := maps.Clone(s.Answers)
		maps.DeleteFunc(answers, func(name, _ string) bool {
			return !slices.ContainsFunc(asked, func(q Question) bool { return q.Name == name })
		})
		if out[i].Answers = answers; len(answers) == 0 {
			out[i].Answers = nil
		}
	}
	return out
}

// SpanQuestion returns the question about spans with the given name.
func (p *Protocol) SpanQuestion(name string) (Question, bool) {
	if p.Spans == nil {
		return Question{}, false
	}
	return p.Spans.asking().Question(name)
}

// MarksErrors reports whether annotators mark errors.
func (p *Protocol) MarksErrors() bool { return p.Spans != nil && !p.Spans.OfTerms() }

// MarksReference reports whether terms are marked in the reference of a segment.
func (p *Protocol) MarksReference() bool { return p.OfSegments() && p.Spans.OfTerms() }

// checkSide returns an error if s cannot lie in its text: a segment has a reference instead of a translation, and given
// terms cannot change.
func (p *Protocol) checkSide(s ErrorSpan, t Texts) *Violation {
	switch {
	case p.Given != "":
		if !slices.ContainsFunc(t.Given, func(g ErrorSpan) bool { return g.Side == Source && g.SamePlace(s) }) {
			return &Violation{
				"start",
				fmt.Sprintf(
					"characters %d to %d of the %s are not one of the segment's given terms; answer for these and mark no others", s.Start, s.End,
					s.Side,
				),
			}
		}
	case p.OfSegments() && s.Side == Target:
		return &Violation{"side", fmt.Sprintf("must be %q or %q: the card is a segment, which has no translation", Source, Reference)}
	case !p.OfSegments() && s.Side == Reference:
		return &Violation{"side", fmt.Sprintf("must be %q or %q, not %q", Source, Target, Reference)}
	}
	return nil
}

// CheckTermRating reports errors in the terms of an imported rating: a term in a text that has no terms, a term that is
// not among the given terms, a severity, and answers to questions that p does not have. If spans are errors, it reports
// only answers.
func (p *Protocol) CheckTermRating(s ErrorSpan, t Texts) []Violation {
	out := p.Spans.checkAnswers(s)
	if !p.Spans.OfTerms() {
		return out
	}
	if v := p.checkSide(s, t); v != nil {
		out = append(out, *v)
	}
	if s.Severity != "" {
		out = append(out, Violation{"severity", "terms have no severity; leave it out"})
	}
	return out
}

// TakeGiven returns r with the given terms of the source as its spans, in their order. Each has the answers and the
// comment of the span of r at the same place. A protocol without given terms leaves r as it is.
func (p *Protocol) TakeGiven(r Rating, given []ErrorSpan) Rating {
	if p.Given == "" {
		return r
	}
	var spans []ErrorSpan
	for _, g := range given {
		if g.Side != Source {
			continue
		}
		g.Answers, g.Comment, g.Link = nil, "", ""
		if i := slices.IndexFunc(r.Spans, g.SamePlace); i >= 0 {
			g.Answers, g.Comment = r.Spans[i].Answers, r.Spans[i].Comment
		}
		spans = append(spans, g)
	}
	r.Spans = spans
	return r
}

// GoldTerms returns the terms of a segment that more than half of its annotators marked identically: at the same place
// and with the same category. given has the spans of each annotator, who may have marked none.
//   - An answer is gold if all annotators who marked the term and answered gave the same answer.
//   - A link is gold if more than half of the annotators linked the same two terms, and both are gold.
//
// The terms are in the order of the text, those of the source first. Their ids are t1, t2 and so on, and comments are left
// out.
func GoldTerms(given [][]ErrorSpan) []ErrorSpan {
	same := func(a, b ErrorSpan) bool {
		return a.SamePlace(b) && a.Category == b.Category && a.Subcategory == b.Subcategory
	}
	find := func(spans []ErrorSpan, s ErrorSpan) int {
		return slices.IndexFunc(spans, func(o ErrorSpan) bool { return same(o, s) })
	}
	var gold []ErrorSpan
	for _, spans := range given {
		for _, s := range spans {
			marked := 0
			for _, others := range given {
				if find(others, s) >= 0 {
					marked++
				}
			}
			if 2*marked > len(given) && find(gold, s) < 0 {
				gold = append(gold, ErrorSpan{Side: s.Side, Start: s.Start, End: s.End, Text: s.Text, Category: s.Category, Subcategory: s.Subcategory})
			}
		}
	}
	slices.SortStableFunc(gold, InOrder)
	for i := range gold {
		gold[i].ID = "t" + strconv.Itoa(i+1)
	}
	for i, from := range gold {
		gold[i].Answers = agreedAnswers(given, func(s ErrorSpan) bool { return same(s, from) })
		for _, to := range gold {
			linked := 0
			for _, spans := range given {
				if a, b := find(spans, from), find(spans, to); a >= 0 && b >= 0 && spans[a].Link != "" && spans[a].Link == spans[b].ID {
					linked++
				}
			}
			if 2*linked > len(given) {
				gold[i].Link = to.ID
			}
		}
	}
	return gold
}

// agreedAnswers are the answers on which all spans that meet the condition is agree. Spans without
// an answer do not count.
func agreedAnswers(given [][]ErrorSpan, is func(ErrorSpan) bool) map[string]string {
	answers, differ := map[string]string{}, map[string]bool{}
	for _, spans := range given {
		for _, s := range spans {
			if !is(s) {
				continue
			}
			for name, text := range s.Answers {
				was, ok := answers[name]
				differ[name] = differ[name] || ok && was != text
				answers[name] = text
			}
		}
	}
	maps.DeleteFunc(answers, func(name, text string) bool { return differ[name] || text == "" })
	if len(answers) == 0 {
		return nil
	}
	return answers
}

// InOrder compares spans by their text (the source first), then by their start, then by their length (longer spans
// first).
func InOrder(a, b ErrorSpan) int {
	side := func(s ErrorSpan) int { return slices.Index([]Side{Source, Target, Reference}, s.Side) }
	return cmp.Or(cmp.Compare(side(a), side(b)), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
}

// checkLayer checks the layer of m and the fields that belong to it.
func (l *problemList) checkLayer(m *Marking) {
	switch m.Layer {
	case "", ErrorLayer:
		if len(m.Severities) == 0 {
			l.add("spans.severities", "missing; name at least one")
		}
		if len(m.Questions) > 0 {
			l.add("spans.questions", "belongs to the layer terms; leave it out, or set the layer to terms")
		}
	case TermLayer:
		if len(m.Severities) > 0 {
			l.add("spans.severities", "terms have no severity; leave it out")
		}
		if m.MissingPunctuation != nil {
			l.add("spans.missing_punctuation", "belongs to the layer errors; leave it out")
		}
		if m.Limited {
			l.add("spans.limited", "belongs to the layer errors; leave it out")
		}
		for i, c := range m.Categories {
			if c.Rule != "" {
				l.add(fmt.Sprintf("spans.categories[%d].rule", i), "belongs to the layer errors; leave it out")
			}
		}
	default:
		l.add("spans.layer", "must be %s or %s", ErrorLayer, TermLayer)
	}
	asking := m.asking()
	for i, q := range m.Questions {
		field := fmt.Sprintf("spans.questions[%d]", i)
		if q.Kind != Choice && q.Kind != Text || q.Several || q.Begin != "" {
			l.add(field+".kind", "a question about a term must be a choice with one answer, or a text that begins empty")
			continue
		}
		if !nameForm().MatchString(q.Name) {
			l.add(field+".name", "use 1 to 40 of a-z, 0-9 and _, beginning with a letter")
		}
		if asking.has(m.Questions[:i], q.Name, Choice) || asking.has(m.Questions[:i], q.Name, Text) {
			l.add(field+".name", "%q is given twice", q.Name)
		}
		l.checkQuestion(field, asking, i, q)
	}
}

// checkGiven checks the terms that a protocol takes as given.
func (l *problemList) checkGiven(p *Protocol) {
	switch {
	case p.Given == "":
	case p.Given != TermLayer:
		l.add("given", "must be %s, or be left out", TermLayer)
	case p.OfSegments():
		l.add("given", "given terms are judged in translations; set unit to %s, or leave given out", TranslationUnit)
	case !p.Spans.OfTerms() || len(p.Spans.Questions) == 0:
		l.add("spans", "set the layer to terms, and add the questions about each term")
	case p.Spans.Links:
		l.add("spans.links", "given terms already have links; leave it out")
	}
}

// checkShare checks a score that is a share of the answers to a question.
func (l *problemList) checkShare(field string, p *Protocol, s Share) {
	q, ok := p.SpanQuestion(s.Question)
	if !ok || q.Kind != Choice {
		l.add(field+".question", "must be the name of a choice among spans.questions")
		return
	}
	if len(s.Is) == 0 {
		l.add(field+".is", "missing; list the answers that count")
	}
	for i, value := range s.Is {
		if _, ok := q.Option(value); !ok {
			l.add(fmt.Sprintf("%s.is[%d]", field, i), "%s has no answer %q", q.Name, value)
		}
	}
}

// CheckTerm returns a given term with p's spelling of its category and with its words, and an error if the term lies
// outside the source or the reference, covers nothing, or has a category that p does not have. The answers of a given
// term are not answers to the questions of p.
func (p *Protocol) CheckTerm(s ErrorSpan, t Texts) (ErrorSpan, []Violation) {
	var out []Violation
	s = p.Canonical(s)
	placed, bad := t.Place(s)
	switch {
	case s.Side == Reference && t.Reference == "":
		out = append(out, Violation{"side", "the segment has no reference; import it first, or leave the line out"})
	case s.Side != Source && s.Side != Reference:
		out = append(out, Violation{"side", fmt.Sprintf("must be %q or %q, not %q", Source, Reference, s.Side)})
	case bad != nil:
		out = append(out, *bad)
	case s.Start == s.End:
		out = append(out, Violation{"end", "the term covers nothing; it needs at least one character"})
	default:
		s = placed
	}
	if m := p.Spans; len(m.Categories) > 0 {
		if _, _, ok := m.Category(s.Category, s.Subcategory); !ok {
			out = append(out, m.noCategory(s.Category, s.Subcategory))
		}
	}
	return s, out
}
