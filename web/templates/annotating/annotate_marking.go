package annotating

import (
	"github.com/a-h/templ"

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
