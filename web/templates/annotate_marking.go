package templates

import (
	"github.com/a-h/templ"

	"annotate/internal/protocol"
)

// A StateMarking says to the scripts of the page how errors are marked.
type StateMarking struct {
	Severities         []StateSeverity    `json:"severities"` // from light to grave
	Categories         []StateCategory    `json:"categories,omitempty"`
	Links              bool               `json:"links,omitempty"`
	MaxErrors          int                `json:"max_errors,omitempty"`
	MissingPunctuation *protocol.Template `json:"missing_punctuation,omitempty"`
	Derived            *StateDerived      `json:"derived,omitempty"`
	Suggestions        bool               `json:"suggestions,omitempty"` // there are some to decide on
}

// A StateSeverity is one that is offered.
type StateSeverity struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Style string `json:"style"` // class of its line
}

// A StateCategory is one that is offered, with those below it.
type StateCategory struct {
	Name    string          `json:"name"`
	Text    string          `json:"text"`
	Group   string          `json:"group,omitempty"`
	Rule    protocol.Rule   `json:"rule,omitempty"`
	Comment bool            `json:"comment,omitempty"`
	Sub     []StateCategory `json:"sub,omitempty"`
}

// StateDerived is the score that runs along while errors are marked.
type StateDerived struct {
	Label   string            `json:"label"`
	Weights []protocol.Weight `json:"weights"`
}

// severities are those that may be chosen.
func (v AnnotateView) severities() []StateSeverity { return stateMarking(v.Protocol).Severities }

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
func stateMarking(p *protocol.Protocol) *StateMarking {
	m := &StateMarking{
		Categories: stateCategories(p.Spans.Categories), Links: p.Spans.Links, MaxErrors: p.Spans.MaxErrors,
		MissingPunctuation: p.Spans.MissingPunctuation,
	}
	for _, s := range p.Spans.Severities {
		if !s.Own {
			m.Severities = append(m.Severities, StateSeverity{s.ID, s.Name, styleOf(p.Spans, s.ID)})
		}
	}
	if len(p.Scores) > 0 {
		return m
	}
	for _, d := range p.Derived {
		if d.Name == p.Gate && len(d.Weights) > 0 {
			m.Derived = &StateDerived{d.Label, d.Weights}
		}
	}
	return m
}

func stateCategories(list []protocol.Category) []StateCategory {
	var out []StateCategory
	for _, c := range list {
		if !c.Own {
			out = append(out, StateCategory{c.Name, c.Text, c.Group, c.Rule, c.Comment, stateCategories(c.Sub)})
		}
	}
	return out
}
