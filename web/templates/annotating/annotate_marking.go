package annotating

import (
	"github.com/a-h/templ"

	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/wire"
	"annotate/web/templates"
)

// severities are those that may be chosen.
func (v AnnotateView) severities() []wire.Severity { return stateMarking(v.Protocol).Severities }

// fieldKey is the key that leads to a score; empty if there is none.
func (v AnnotateView) fieldKey(i int) string {
	if !v.marks() || i > 1 {
		return ""
	}
	return "af"[i : i+1]
}

// ownSide is the side of the text of a card: a segment has its reference in place of a translation.
func (v AnnotateView) ownSide() protocol.Side {
	if v.Protocol.MarksReference() {
		return protocol.Reference
	}
	return protocol.Target
}

// noText says that a card has no text.
func (v AnnotateView) noText() string {
	if v.Protocol.MarksReference() {
		return "no reference"
	}
	return "no translation"
}

// marksLabel names the list of the marks of a card for those who can't see it.
func (v AnnotateView) marksLabel(c Card) string {
	switch {
	case v.itself():
		return "Terms of the segment"
	case v.Protocol.Given != "":
		return "Terms in translation " + c.Name
	}
	return "Marks of translation " + c.Name
}

// A textPart is a part of the reference, which may be a given term.
type textPart struct {
	Text string
	Term bool
}

// referenceParts divides the reference where given terms begin and end. A term that overlaps an earlier one is no part.
func (v AnnotateView) referenceParts() (out []textPart) {
	at := 0
	part := func(to int, term bool) {
		if to > at {
			text, _ := codepoint.Slice(*v.Reference, at, to)
			out, at = append(out, textPart{text, term}), to
		}
	}
	for _, t := range v.Terms {
		if t.Side == protocol.Reference && t.Start >= at {
			part(t.Start, false)
			part(t.End, true)
		}
	}
	part(codepoint.Len(*v.Reference), false)
	return out
}

// sourceMarks are the attributes of the source text where errors are marked in it.
func (v AnnotateView) sourceMarks() templ.Attributes {
	if !v.marks() {
		return nil
	}
	return templ.Attributes{"class": "marked", "data-side": "source", "lang": v.Source.Lang, "dir": v.Source.Dir}
}

// stateMarking leaves out what came with imports: it stays where it is, but is
// not offered. A score runs along only where none is entered, which it would sway.
func stateMarking(p *protocol.Protocol) *wire.Marking {
	m := &wire.Marking{
		Categories: stateCategories(p.Spans.Categories), Links: p.Spans.Links, MaxErrors: p.Spans.MaxErrors,
		MissingPunctuation: p.Spans.MissingPunctuation,
		Severities:         []wire.Severity{}, Terms: p.Spans.OfTerms(), Given: p.Given != "", Reference: p.MarksReference(),
	}
	for _, q := range p.Spans.Questions {
		asked := stateQuestion(q)
		asked.Help = q.Help
		for i, o := range q.Options {
			asked.Options[i].Text = o.Text
		}
		m.Questions = append(m.Questions, asked)
	}
	for _, s := range p.Spans.Severities {
		if !s.Own {
			m.Severities = append(m.Severities, wire.Severity{ID: s.ID, Name: s.Name, Style: templates.StyleOf(p.Spans, s.ID)})
		}
	}
	if len(p.Scores) > 0 {
		return m
	}
	for _, d := range p.Derived {
		if d.Name == p.Gate && len(d.Weights) > 0 {
			m.Derived = &wire.Derived{Label: d.Label, Weights: d.Weights}
		}
	}
	return m
}

func stateCategories(list []protocol.Category) []wire.Category {
	var out []wire.Category
	for _, c := range list {
		if !c.Own {
			out = append(out, wire.Category{Name: c.Name, Text: c.Text, Group: c.Group, Rule: c.Rule, Comment: c.Comment, Sub: stateCategories(c.Sub)})
		}
	}
	return out
}
