package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/codepoint"
)

// A Guide is the short guideline of a protocol. Its texts are plain ones.
type Guide struct {
	Intro []string `json:"intro"`           // paragraphs before the scale
	Hints []string `json:"hints,omitempty"` // points to keep in mind, after the scale
	// Examples are shown last. Each is a finished rating under the protocol.
	Examples []Example `json:"examples,omitempty"`
}

// An Example is a translation with the rating it deserves.
type Example struct {
	SourceLang  string             `json:"source_lang"` // BCP 47, as is TargetLang
	Source      string             `json:"source"`
	Gloss       string             `json:"gloss,omitempty"` // the source in English, unless it is
	TargetLang  string             `json:"target_lang"`
	Translation string             `json:"translation"`
	Reads       string             `json:"reads,omitempty"` // the translation in English, unless it is
	Marks       []ExampleMark      `json:"marks,omitempty"`
	Scores      map[string]float64 `json:"scores,omitempty"` // by name, as in a rating
	Why         string             `json:"why"`              // in one line
}

// An ExampleMark is an error of an [Example]. Its words stand once in their text.
type ExampleMark struct {
	Side        Side   `json:"side,omitempty"` // empty: the translation
	Words       string `json:"words"`
	Severity    string `json:"severity"`
	Category    string `json:"category,omitempty"`
	Subcategory string `json:"subcategory,omitempty"`
	Comment     string `json:"comment,omitempty"`
}

// Texts are those that the marks of the example lie in.
func (e Example) Texts() Texts { return Texts{Source: e.Source, Translation: e.Translation} }

// Rating is the rating that the example shows. Marks whose words are not in their
// text are left out. One with neither marks nor scores says that there are no errors.
func (e Example) Rating() Rating {
	r := Rating{Scores: e.Scores, NoErrors: len(e.Marks) == 0 && len(e.Scores) == 0}
	for i, m := range e.Marks {
		s := ErrorSpan{ID: "s" + strconv.Itoa(i+1), Side: m.Side, Text: m.Words, Severity: m.Severity, Category: m.Category, Subcategory: m.Subcategory, Comment: m.Comment}
		if s.Side == "" {
			s.Side = Target
		}
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

// offered is the guide as it is where only the severities of m are offered: without
// examples that have another one.
func (g Guide) offered(m *Marking) Guide {
	g.Examples = slices.DeleteFunc(slices.Clone(g.Examples), func(e Example) bool {
		return slices.ContainsFunc(e.Marks, func(x ExampleMark) bool {
			_, ok := m.Severity(x.Severity)
			return !ok
		})
	})
	return g
}

// checkGuide: every example could be submitted.
func (l *problemList) checkGuide(p *Protocol) {
	for i, e := range p.Guide.Examples {
		field := fmt.Sprintf("guide.examples[%d]", i)
		for _, f := range []struct{ key, text string }{
			{"source", e.Source}, {"translation", e.Translation}, {"source_lang", e.SourceLang}, {"target_lang", e.TargetLang}, {"why", e.Why},
		} {
			if f.text == "" {
				l.add(field+"."+f.key, "missing")
			}
		}
		found := true
		for j, m := range e.Marks {
			side := m.Side
			if side == "" {
				side = Target
			}
			if n := strings.Count(e.Texts().of(side), m.Words); m.Words == "" || n != 1 {
				l.add(fmt.Sprintf("%s.marks[%d].words", field, j), "must stand once in the %s, not %d times", side, n)
				found = false
			}
		}
		if !found {
			continue
		}
		for _, v := range p.Check(e.Rating(), e.Texts()) {
			l.add(field+"."+strings.Replace(v.Field, "spans", "marks", 1), "%s", v.Msg)
		}
		if missing := p.Missing(e.Rating()); missing != "" {
			l.add(field, "needs %s", missing)
		}
	}
}

// Markdown is the guide of p, without its scales, as a text in Markdown that can be
// changed into a campaign's own.
func (p *Protocol) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", plainMarkdown.Replace(p.About))
	for _, text := range p.Guide.Intro {
		b.WriteString("\n" + plainMarkdown.Replace(text) + "\n")
	}
	if len(p.Guide.Hints) > 0 {
		b.WriteString("\n")
	}
	for _, text := range p.Guide.Hints {
		b.WriteString("- " + plainMarkdown.Replace(text) + "\n")
	}
	if len(p.Guide.Examples) > 0 {
		b.WriteString("\n# Examples\n")
	}
	for _, e := range p.Guide.Examples {
		b.WriteString("\n> " + withGloss(e.Source, e.Gloss) + "\n>\n> " + withGloss(e.Translation, e.Reads) + "\n\n")
		for _, line := range p.verdict(e) {
			b.WriteString("- " + plainMarkdown.Replace(line) + "\n")
		}
		b.WriteString("- " + plainMarkdown.Replace(e.Why) + "\n")
	}
	return b.String()
}

// verdict is what an example is given, a line for each mark and one for the scores.
func (p *Protocol) verdict(e Example) []string {
	var lines []string
	for _, m := range e.Marks {
		severity, _ := p.Spans.Severity(m.Severity)
		line := "“" + m.Words + "”: " + severity.Name
		if m.Category != "" {
			line += ", " + strings.TrimSuffix(m.Category+" / "+m.Subcategory, " / ")
		}
		lines = append(lines, line)
	}
	var values []string
	for _, v := range p.Values(e.Rating()) {
		values = append(values, fmt.Sprintf("%s %g", v.Label, v.Score))
	}
	return append(lines, strings.Join(values, ", "))
}

// withGloss is a text with what it means.
func withGloss(text, gloss string) string {
	if gloss == "" {
		return plainMarkdown.Replace(text)
	}
	return plainMarkdown.Replace(text) + " (" + plainMarkdown.Replace(gloss) + ")"
}

// plainMarkdown writes a text so that Markdown shows it as it is.
var plainMarkdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "`", "\\`", "~", `\~`, "|", `\|`, "&", `\&`, "\n", " ")
