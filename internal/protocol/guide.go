package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/codepoint"
	"annotate/internal/wording"
)

// A Guide is the short guideline of a protocol. Its texts are plain text, not Markdown.
type Guide struct {
	Intro []string `json:"intro"`           // paragraphs before the scale
	Hints []string `json:"hints,omitempty"` // points to keep in mind, after the scale
	// Examples are shown last. Each is a finished rating under the protocol.
	Examples []Example `json:"examples,omitempty"`
}

// An Example is a translation with the rating it deserves or, under a protocol whose unit is the segment, a segment.
type Example struct {
	SourceLang  string             `json:"source_lang"` // BCP 47, as is TargetLang
	Source      string             `json:"source"`
	Gloss       string             `json:"gloss,omitempty"`       // the source in English; empty if it is English
	TargetLang  string             `json:"target_lang,omitempty"` // empty if the example has a source only
	Translation string             `json:"translation,omitempty"`
	Reads       string             `json:"reads,omitempty"`      // the translation in English; empty if it is English
	Reference   string             `json:"reference,omitempty"`  // of a segment
	Candidates  map[string]string  `json:"candidates,omitempty"` // of a segment, by name, such as "A"
	Marks       []ExampleMark      `json:"marks,omitempty"`
	Scores      map[string]float64 `json:"scores,omitempty"` // by name, as in a rating
	// Answers are by name of the question, as in a rating. A text that the annotator did not change is left out.
	Answers map[string]Answer `json:"answers,omitempty"`
	Comment string            `json:"comment,omitempty"` // on the segment or the translation
	Why     string            `json:"why"`               // the reason for the rating, in one line
}

// An ExampleMark is an error of an [Example]. Its words occur exactly once in their text.
type ExampleMark struct {
	Side        Side   `json:"side,omitempty"` // empty for the translation
	Words       string `json:"words"`
	Severity    string `json:"severity,omitempty"` // empty for a term
	Category    string `json:"category,omitempty"`
	Subcategory string `json:"subcategory,omitempty"`
	Comment     string `json:"comment,omitempty"`
	// Answers are the answers to the questions about a term.
	Answers map[string]string `json:"answers,omitempty"`
}

// Texts returns the texts of the example.
func (e Example) Texts() Texts {
	return Texts{Source: e.Source, Translation: e.Translation, Reference: e.Reference, Candidates: e.Candidates}
}

// Rating returns the rating that the example shows. It leaves out marks whose words are not in their
// text. NoErrors is set if the example has neither marks nor scores.
func (e Example) Rating() Rating {
	r := Rating{Scores: e.Scores, Answers: e.Answers, Comment: e.Comment, NoErrors: len(e.Marks) == 0 && len(e.Scores) == 0 && len(e.Answers) == 0}
	for i, m := range e.Marks {
		s := ErrorSpan{
			ID:          "s" + strconv.Itoa(i+1),
			Side:        m.Side,
			Text:        m.Words,
			Severity:    m.Severity,
			Category:    m.Category,
			Subcategory: m.Subcategory,
			Comment:     m.Comment,
			Answers:     m.Answers,
		}
		s.Side = cmp.Or(s.Side, Target)
		before, _, ok := strings.Cut(e.Texts().of(s.Side), m.Words)
		if !ok {
			continue
		}
		s.Start = codepoint.Len(before)
		s.End = s.Start + codepoint.Len(m.Words)
		r.Spans = append(r.Spans, s)
	}
	return r
}

// offered returns the guide without the examples that have a severity that m lacks.
func (g Guide) offered(m *Marking) Guide {
	g.Examples = slices.DeleteFunc(slices.Clone(g.Examples), func(e Example) bool {
		return slices.ContainsFunc(e.Marks, func(x ExampleMark) bool {
			_, ok := m.Severity(x.Severity)
			return !ok && x.Severity != ""
		})
	})
	return g
}

// checkGuide adds the problems that would keep an example of the guide from being submitted.
func (l *problemList) checkGuide(p *Protocol) {
	for i, e := range p.Guide.Examples {
		field := fmt.Sprintf("guide.examples[%d]", i)
		hasTarget := !p.OfSegments() || e.Reference != "" || len(e.Candidates) > 0
		for _, f := range []struct {
			key, text string
			needed    bool
		}{
			{"source", e.Source, true}, {"translation", e.Translation, !p.OfSegments()}, {"source_lang", e.SourceLang, true}, {"target_lang", e.TargetLang, hasTarget}, {"why", e.Why, true},
		} {
			if f.text == "" && f.needed {
				l.add(field+"."+f.key, "missing")
			}
		}
		if p.OfSegments() && e.Translation != "" {
			l.add(field+".translation", "the cards of this protocol are segments; give candidates or a reference, or leave it out")
		}
		found := true
		for j, m := range e.Marks {
			side := m.Side
			side = cmp.Or(side, Target)
			if n := strings.Count(e.Texts().of(side), m.Words); m.Words == "" || n != 1 {
				l.add(fmt.Sprintf("%s.marks[%d].words", field, j), "must stand once in the %s, not %d times", side, n)
				found = false
			}
		}
		if !found {
			continue
		}
		texts := e.Texts()
		texts.Given = e.Rating().Spans
		for _, v := range p.Check(e.Rating(), texts) {
			l.add(field+"."+strings.Replace(v.Field, "spans", "marks", 1), "%s", v.Msg)
		}
		if missing := p.Missing(p.Finished(e.Rating(), e.Texts())); missing != "" {
			l.add(field, "needs %s", missing)
		}
	}
}

// Markdown returns the guide of p, without its scales, in Markdown. A lead can start a campaign's own
// guide from it.
func (p *Protocol) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", wording.Markdown(p.About))
	for _, text := range p.Guide.Intro {
		b.WriteString("\n" + wording.Markdown(text) + "\n")
	}
	if len(p.Guide.Hints) > 0 {
		b.WriteString("\n")
	}
	for _, text := range p.Guide.Hints {
		b.WriteString("- " + wording.Markdown(text) + "\n")
	}
	if len(p.Guide.Examples) > 0 {
		b.WriteString("\n# Examples\n")
	}
	for _, e := range p.Guide.Examples {
		b.WriteString("\n> " + withGloss(e.Source, e.Gloss) + "\n")
		for _, t := range e.Targets() {
			b.WriteString(">\n> " + withGloss(t.Labelled(), t.Reads) + "\n")
		}
		b.WriteString("\n")
		for _, line := range p.verdict(e) {
			b.WriteString("- " + wording.Markdown(line) + "\n")
		}
		b.WriteString("- " + wording.Markdown(e.Why) + "\n")
	}
	return b.String()
}

// An ExampleTarget is a text of an [Example] in the target language.
type ExampleTarget struct {
	Side  Side   // the side whose marks lie on it; empty for a candidate
	Label string // "Reference" or the name of a candidate; empty for the translation
	Text  string
	Reads string // in English; empty if it is English
}

// Labelled is the label followed by the text.
func (t ExampleTarget) Labelled() string {
	if t.Label == "" {
		return t.Text
	}
	return t.Label + ": " + t.Text
}

// Targets lists the texts in the target language: the translation, the reference, and the candidates in byte order
// of their names.
func (e Example) Targets() (out []ExampleTarget) {
	if e.Translation != "" {
		out = append(out, ExampleTarget{Side: Target, Text: e.Translation, Reads: e.Reads})
	}
	if e.Reference != "" {
		out = append(out, ExampleTarget{Side: Reference, Label: "Reference", Text: e.Reference})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Candidates)) {
		out = append(out, ExampleTarget{Label: name, Text: e.Candidates[name]})
	}
	return out
}

// verdict describes the rating of an example: one line for each mark and each answer, one for the scores,
// and one for the comment.
func (p *Protocol) verdict(e Example) []string {
	var lines []string
	for _, m := range e.Marks {
		severity, _ := p.Spans.Severity(m.Severity)
		said := []string{severity.Name, strings.TrimSuffix(m.Category+" / "+m.Subcategory, " / ")}
		for _, q := range p.Spans.Questions {
			if text, ok := m.Answers[q.Name]; ok {
				said = append(said, strings.TrimSuffix(q.Label, "?")+": "+q.Words(Answer{Text: text}))
			}
		}
		lines = append(lines, "“"+m.Words+"”: "+strings.Join(slices.DeleteFunc(said, func(text string) bool { return text == "" }), ", "))
	}
	for _, q := range p.Asks() {
		if a, ok := e.Answers[q.Name]; ok {
			lines = append(lines, strings.TrimSuffix(q.Label, "?")+": "+q.Words(a))
		}
	}
	var values []string
	for _, v := range p.Values(e.Rating()) {
		values = append(values, fmt.Sprintf("%s %g", v.Label, v.Score))
	}
	if len(values) > 0 {
		lines = append(lines, strings.Join(values, ", "))
	}
	if e.Comment != "" {
		lines = append(lines, "Comment: "+e.Comment)
	}
	return lines
}

// withGloss returns a text with its meaning in brackets, if it has one.
func withGloss(text, gloss string) string {
	if gloss == "" {
		return wording.Markdown(text)
	}
	return wording.Markdown(text) + " (" + wording.Markdown(gloss) + ")"
}
