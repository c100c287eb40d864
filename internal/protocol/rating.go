package protocol

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"annotate/internal/codepoint"
	"annotate/internal/wording"
)

// A Rating is everything that one annotator entered for one translation or, under a protocol whose unit is
// the segment, for one segment.
type Rating struct {
	Scores map[string]float64 // by name; a missing score has not been entered
	// Answers are the answers to questions that are not numbers, by name of the question.
	Answers map[string]Answer
	Spans   []ErrorSpan // in the order in which they were marked
	// NoErrors says that the annotator found no errors. It distinguishes a perfect translation
	// from one that has not been looked at.
	NoErrors bool
	Comment  string `person:"text"`
	// Suggestions are the outcomes of the suggestions that the annotator has decided on; nil if
	// there are none. See [Decide].
	Suggestions []Outcome
}

// Commented reports whether the rating has a comment, on the translation or on an error.
func (r Rating) Commented() bool {
	return r.Comment != "" || slices.ContainsFunc(r.Spans, func(s ErrorSpan) bool { return s.Comment != "" })
}

// Blank reports whether a text says nothing: it is empty, or has only white space and characters that are not seen, such as directional marks
// and joiners.
func Blank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf) })
}

// Limits on ratings.
const (
	MaxComment = 10_000 // bytes of a comment, of the rating or of a span
	MaxSpans   = 1000   // spans of a rating
	maxSpanID  = 64     // bytes of the id of a span
)

// A Violation says which part of a rating breaks the protocol, in words for
// the person who entered it.
type Violation struct {
	Field string // name of the score, "comment", "spans" or e.g. "spans[2].severity"
	Msg   string
}

// Check reports everything in r that p does not allow:
//
//   - unknown scores, and values that are out of range or not whole;
//   - answers to unknown questions, answers that their questions do not have, and chosen candidates without a text, which an import may have;
//   - spans outside their text, with other words than the text has there, without words, with an
//     unknown severity or category, beyond the limit, or beside a non-translation;
//   - links to a span that is neither in r nor in t.Linkable;
//   - comments that are too long.
//
// Parts that have not been entered yet are not violations; see [Protocol.Missing].
func (p *Protocol) Check(r Rating, t Texts) []Violation {
	out := append(p.CheckScores(r.Scores), p.CheckAnswers(r.Answers, t.Candidates)...)
	for _, q := range p.Questions {
		if a, given := r.Answers[q.Name]; given && q.Kind == Candidate {
			if text, ok := t.Candidates[a.Text]; ok && text == "" {
				out = append(out, Violation{q.Name, q.Label + ": this candidate has no text; choose another one"})
			}
		}
	}
	if n := excess(r.Comment); n > 0 {
		out = append(out, Violation{"comment", "the comment is too long; shorten it by " + wording.Counted(n, "character")})
	}
	return append(out, p.checkSpans(r, t)...)
}

// excess is the number of characters by which a comment is too long.
func excess(comment string) int {
	if len(comment) <= MaxComment {
		return 0
	}
	cut := MaxComment
	for !utf8.RuneStart(comment[cut]) {
		cut--
	}
	return codepoint.Len(comment[cut:])
}

// CheckScores reports the scores that p does not have and the values that are
// out of range or not whole, by name.
func (p *Protocol) CheckScores(scores map[string]float64) []Violation {
	var out []Violation
	for name, v := range scores {
		s, ok := p.Score(name)
		switch {
		case !ok:
			out = append(out, Violation{name, fmt.Sprintf("%s has no score named %q", p.Name, name)})
		case v != math.Trunc(v) || v < float64(s.Min) || v > float64(s.Max):
			out = append(out, Violation{name, fmt.Sprintf("%s must be a whole number from %d to %d, not %v", s.Label, s.Min, s.Max, v)})
		}
	}
	slices.SortFunc(out, func(a, b Violation) int { return cmp.Compare(a.Field, b.Field) })
	return out
}

// checkSpans reports everything in the spans of r that p does not allow.
func (p *Protocol) checkSpans(r Rating, t Texts) []Violation {
	if p.Spans == nil {
		if len(r.Spans) > 0 || r.NoErrors {
			return []Violation{{"spans", "under " + p.Name + " no errors are marked; give scores only"}}
		}
		return nil
	}
	if len(r.Spans) > MaxSpans {
		return []Violation{{"spans", fmt.Sprintf("%d %ss are marked, and no more than %d can be kept; keep the %s", len(r.Spans), p.Spans.Noun(), MaxSpans, p.Spans.pick("gravest", "main ones"))}}
	}
	var out []Violation
	if r.NoErrors && len(r.Spans) > 0 {
		out = append(out, Violation{"no_errors", p.Spans.pick("the translation is said to have no errors", "the segment is said to have no terms") + ", but some are marked; take back one or the other"})
	}
	ids := map[string]bool{}
	counted := 0
	for i, s := range r.Spans {
		field := func(name string) string { return fmt.Sprintf("spans[%d].%s", i, name) }
		switch {
		case s.ID == "" || len(s.ID) > maxSpanID:
			out = append(out, Violation{field("id"), fmt.Sprintf("every %s needs an id of 1 to %d bytes", p.Spans.Noun(), maxSpanID)})
		case ids[s.ID]:
			out = append(out, Violation{field("id"), fmt.Sprintf("two %ss have the id %q; give each its own", p.Spans.Noun(), s.ID)})
		}
		ids[s.ID] = true
		if v := p.checkSide(s, t); v != nil {
			out = append(out, Violation{field(v.Field), v.Msg})
		}
		for _, v := range p.Spans.checkSpan(s, t) {
			out = append(out, Violation{field(v.Field), v.Msg})
		}
		if c, _, _ := p.Spans.Category(s.Category, ""); c.Rule != SourceError {
			counted++
		}
	}
	for i, s := range r.Spans {
		s, _ = t.Place(s)
		if msg := p.checkLink(s, ids, t.Linkable); msg != "" {
			out = append(out, Violation{fmt.Sprintf("spans[%d].link", i), msg})
		}
	}
	if most := p.Spans.MaxErrors; most > 0 && counted > most {
		out = append(
			out,
			Violation{"spans", fmt.Sprintf("%d errors are marked, and the limit is %d; keep the gravest and remove %d", counted, most, counted-most)},
		)
	}
	if len(r.Spans) > 1 && slices.ContainsFunc(r.Spans, p.Spans.isNonTranslation) {
		out = append(out, Violation{"spans", "a non-translation stands alone; remove either it or the other errors"})
	}
	return out
}

// checkLink returns a message if the link of an error is wrong, otherwise an empty text. ids are the
// ids of the errors of the rating, and elsewhere is [Texts.Linkable].
func (p *Protocol) checkLink(s ErrorSpan, ids, elsewhere map[string]bool) string {
	switch {
	case s.Link == "":
		return ""
	case !p.Spans.Links:
		return fmt.Sprintf("under %s %ss are not linked; remove the link", p.Name, p.Spans.Noun())
	case s.Link == s.ID:
		return p.Spans.One() + " can't be linked to itself; choose another one, or remove the link"
	case !ids[s.Link] && !elsewhere[s.Link]:
		return fmt.Sprintf(
			"the %s that %s is linked to does not exist, or was removed; choose another one, or remove the link", p.Spans.Noun(), p.Spans.called(s),
		)
	}
	return ""
}

// LinksElsewhere lists the links that no span of r answers, each once. They lead to other
// segments of the document, or nowhere.
func (r Rating) LinksElsewhere() []string {
	var out []string
	for _, s := range r.Spans {
		answers := func(o ErrorSpan) bool { return o.ID == s.Link }
		if s.Link != "" && !slices.ContainsFunc(r.Spans, answers) && !slices.Contains(out, s.Link) {
			out = append(out, s.Link)
		}
	}
	return out
}

// KeepLinks returns r without the links that neither a span of r nor one of the ids
// answers, and how many these are.
func (r Rating) KeepLinks(ids map[string]bool) (Rating, int) {
	gone := slices.DeleteFunc(r.LinksElsewhere(), func(link string) bool { return ids[link] })
	if len(gone) == 0 {
		return r, 0
	}
	n := 0
	r.Spans = slices.Clone(r.Spans)
	for i := range r.Spans {
		if slices.Contains(gone, r.Spans[i].Link) {
			r.Spans[i].Link = ""
			n++
		}
	}
	return r, n
}

func (m *Marking) isNonTranslation(s ErrorSpan) bool {
	c, _, _ := m.Category(s.Category, "")
	return c.Rule == NonTranslation
}

// checkSpan reports what is wrong with one span, by field of the span. A severity or category that has
// not been chosen yet is not a violation.
func (m *Marking) checkSpan(s ErrorSpan, t Texts) []Violation {
	var out []Violation
	if _, bad := t.Place(s); bad != nil {
		out = append(out, *bad)
	} else if s.Start == s.End && !m.missesPunctuation(s) && !m.isNonTranslation(s) {
		out = append(out, Violation{"end", "the mark covers nothing; select at least one character"})
	}
	switch _, ok := m.Severity(s.Severity); {
	case ok || s.Severity == "":
	case m.OfTerms():
		out = append(out, Violation{"severity", "terms have no severity; leave it out"})
	default:
		out = append(out, Violation{"severity", m.noSeverity(s.Severity)})
	}
	out = append(out, m.checkAnswers(s)...)
	if n := excess(s.Comment); n > 0 {
		out = append(out, Violation{"comment", "the comment is too long; shorten it by " + wording.Counted(n, "character")})
	}
	category, sub := m.path(s)
	if category == "" && sub == "" {
		return out
	}
	c, _, ok := m.Category(category, sub)
	switch {
	case !ok:
		out = append(out, m.noCategory(category, sub))
	case c.Rule == SourceError && s.Side != Source:
		out = append(out, Violation{"side", "a source error is marked in the source, not in the translation"})
	case c.Rule == NonTranslation:
		out = append(out, checkNonTranslation(s, t)...)
	}
	return out
}

// noSeverity is the message for an unknown severity. It lists the known ones.
func (m *Marking) noSeverity(id string) string {
	names := make([]string, len(m.Severities))
	for i, s := range m.Severities {
		names[i] = s.Name
	}
	if id == "" {
		return "choose a severity: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("there is no severity %q; choose one of: %s", id, strings.Join(names, ", "))
}

// noCategory is the violation of an unknown category or subcategory. It lists the known ones.
func (m *Marking) noCategory(name, sub string) Violation {
	c, _, ok := m.Category(name, "")
	switch {
	case len(m.Categories) == 0:
		return Violation{"category", m.Noun() + "s have no category here; remove it"}
	case name == "":
		return Violation{"category", "choose a category: " + nameList(m.Categories)}
	case !ok:
		return Violation{"category", fmt.Sprintf("there is no category %q; choose one of: %s", name, nameList(m.Categories))}
	case len(c.Sub) == 0:
		return Violation{"subcategory", fmt.Sprintf("the category %s has no subcategories; remove %q", name, sub)}
	}
	return Violation{"subcategory", fmt.Sprintf("the category %s has no subcategory %q; choose one of: %s", name, sub, nameList(c.Sub))}
}

func nameList(list []Category) string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// checkNonTranslation reports violations of the rule [NonTranslation].
func checkNonTranslation(s ErrorSpan, t Texts) []Violation {
	var out []Violation
	if s.Side != Target || s.Start != 0 || s.End != codepoint.Len(t.Translation) {
		out = append(out, Violation{"end", "a non-translation spans the whole translation; mark all of it"})
	}
	if s.Severity != nonTranslationSeverity {
		out = append(out, Violation{"severity", fmt.Sprintf("a non-translation is always %s; change the severity", nonTranslationSeverity)})
	}
	return out
}

// nonTranslationSeverity is the only severity with which a non-translation has its weight in the WMT
// data.
const nonTranslationSeverity = "major"

// A Lack is what a rating still needs before it can be submitted. It is zero for a finished rating.
type Lack struct {
	Words  string // such as "a score"
	Answer string // name of the question, other than a number, that has no answer; empty if something else is needed
}

// Missing is [Protocol.Lacks] in words.
func (p *Protocol) Missing(r Rating) string { return p.Lacks(r).Words }

// Lacks says what r still needs first.
func (p *Protocol) Lacks(r Rating) Lack {
	if p.Spans != nil {
		for _, s := range r.Spans {
			if m := p.Spans.missing(s); m != "" {
				return Lack{Words: m}
			}
		}
	}
	for _, s := range p.Scores {
		if _, asked := p.Question(s.Name); asked {
			continue
		}
		if _, ok := r.Scores[s.Name]; !ok {
			if len(p.Scores) == 1 {
				return Lack{Words: "a score"}
			}
			return Lack{Words: "a score for " + s.Label}
		}
	}
	if p.Spans != nil && p.Given == "" && len(p.Scores) == 0 && len(r.Spans) == 0 && !r.NoErrors {
		return Lack{Words: p.Spans.pick(`an error, or "no errors"`, `a term, or "no terms"`)}
	}
	return p.missingAnswer(r)
}

// missing says what a span still needs; empty if it needs nothing.
func (m *Marking) missing(s ErrorSpan) string {
	what := m.called(s)
	if s.Severity == "" && !m.OfTerms() {
		return "a severity for " + what
	}
	category, sub := m.path(s)
	if category == "" && ask(m.Categories) {
		return "a category for " + what
	}
	if m.asks(s) {
		if needs := m.asking().missingAnswer(s.asRating()).Words; needs != "" {
			return needs + " for " + what
		}
	}
	if category == "" {
		return ""
	}
	c, under, ok := m.Category(category, sub)
	switch {
	case ok && ask(c.Sub) && s.Subcategory == "":
		return fmt.Sprintf("a kind of %s for %s", c.Name, what)
	case ok && (c.Comment || under.Comment) && Blank(s.Comment):
		return fmt.Sprintf("a comment that explains %s, marked as %s", what, c.Name)
	}
	return ""
}

// called is the name of a span in messages: its words, if it has any.
func (m *Marking) called(s ErrorSpan) string {
	switch {
	case s.Text != "" || s.Start < s.End:
		return wording.Quote(s.Text)
	case m.missesPunctuation(s):
		return "the missing punctuation"
	}
	return "the mark without words"
}
