package protocol

import (
	"slices"
	"strings"
)

// Marking says how errors are marked under a protocol.
type Marking struct {
	Severities []Severity `json:"severities"`           // from light to grave
	Categories []Category `json:"categories,omitempty"` // none: errors have no category
	// Links lets an error point at another one by the same annotator on the same system,
	// document and round, such as the partner of an inconsistency.
	Links bool `json:"links,omitempty"`
	// Limited makes the campaign's setting max_errors bind.
	Limited bool `json:"limited,omitempty"`
	// MissingPunctuation is what a mark without words stands for; nil where every
	// mark must cover some.
	MissingPunctuation *Template `json:"missing_punctuation,omitempty"`
	// MaxErrors is the campaign's limit on errors in one translation, those in a
	// category outside the limit not counted; 0: none. It is not part of a file.
	MaxErrors int `json:"-"`
}

// A Severity says how grave an error is.
type Severity struct {
	ID   string `json:"id"`   // as in files, e.g. "minor" or "4"
	Name string `json:"name"` // as people read it
	Text string `json:"text"` // when to give it
	// Setting names the campaign setting (yes or no) that offers this severity;
	// empty: always offered.
	Setting string `json:"setting,omitempty"`
	// Own marks one that came with a campaign's imports and has no weight.
	Own bool `json:"-"`
}

// A Category says of what kind an error is.
type Category struct {
	Name    string     `json:"name"`
	Aliases []string   `json:"aliases,omitempty"` // other spellings in imports
	Text    string     `json:"text"`              // when to choose it
	Group   string     `json:"group,omitempty"`   // categories of a group stand together, e.g. "Semantic"
	Sub     []Category `json:"sub,omitempty"`     // where there are some, one must be chosen
	Rule    Rule       `json:"rule,omitempty"`    // of its own
	Comment bool       `json:"comment,omitempty"` // an error of this category needs a comment
	Own     bool       `json:"-"`                 // came with a campaign's imports
}

// A Rule is what holds for the errors of one [Category] only.
type Rule string

const (
	// SourceError is an error of the source text: it is marked there and lies
	// outside the limit on errors.
	SourceError Rule = "source_error"
	// NonTranslation says that the text is no translation at all: it spans the
	// whole translation, is always major, and no other error stands beside it.
	NonTranslation Rule = "non_translation"
)

// A Template is what a mark of one kind begins with.
type Template struct {
	Severity    string `json:"severity"`
	Category    string `json:"category,omitempty"`
	Subcategory string `json:"subcategory,omitempty"`
}

// Severity returns the severity with the given id.
func (m *Marking) Severity(id string) (Severity, bool) {
	i := slices.IndexFunc(m.Severities, func(s Severity) bool { return s.ID == id })
	if i < 0 {
		return Severity{}, false
	}
	return m.Severities[i], true
}

// Category returns the category of an error and, below it, the subcategory; the
// second is the zero value where sub is empty. False where one is not known.
func (m *Marking) Category(name, sub string) (c, s Category, ok bool) {
	i := slices.IndexFunc(m.Categories, func(c Category) bool { return c.Name == name })
	if i < 0 {
		return c, s, false
	}
	c = m.Categories[i]
	if sub == "" {
		return c, s, true
	}
	i = slices.IndexFunc(c.Sub, func(s Category) bool { return s.Name == sub })
	if i < 0 {
		return c, s, false
	}
	return c, c.Sub[i], true
}

// missesPunctuation reports whether s stands for punctuation that is missing: the
// one mark that may be without words. Its category and severity may be changed.
func (m *Marking) missesPunctuation(s ErrorSpan) bool {
	return m.MissingPunctuation != nil && s.Subcategory == m.MissingPunctuation.Subcategory
}

// path is where s stands among the categories. The subcategory of punctuation
// that is missing is none of theirs.
func (m *Marking) path(s ErrorSpan) (category, sub string) {
	if m.missesPunctuation(s) {
		return s.Category, ""
	}
	return s.Category, s.Subcategory
}

// ask reports whether one of a list of categories has to be chosen. Those that
// came with an import do not make it so.
func ask(list []Category) bool {
	return slices.ContainsFunc(list, func(c Category) bool { return !c.Own })
}

// Canonical returns s with its severity, category and subcategory spelt as p
// spells them: names compare without case, and aliases are replaced. A category
// given as "Category/Subcategory" is taken apart at its first slash, so that none
// has one in its name. What p does not know stays as it is.
func (p *Protocol) Canonical(s ErrorSpan) ErrorSpan {
	if p.Spans == nil {
		return s
	}
	if i := slices.IndexFunc(p.Spans.Severities, func(v Severity) bool { return strings.EqualFold(v.ID, s.Severity) }); i >= 0 {
		s.Severity = p.Spans.Severities[i].ID
	}
	main, sub, cut := strings.Cut(s.Category, "/")
	i := find(p.Spans.Categories, s.Category)
	if i < 0 && cut {
		if s.Subcategory != "" {
			sub += "/" + s.Subcategory
		}
		s.Category, s.Subcategory = main, sub
		i = find(p.Spans.Categories, main)
	}
	if t := p.Spans.MissingPunctuation; t != nil && strings.EqualFold(s.Subcategory, t.Subcategory) {
		s.Subcategory = t.Subcategory
	}
	if i < 0 {
		return s
	}
	c := p.Spans.Categories[i]
	s.Category = c.Name
	if j := find(c.Sub, s.Subcategory); j >= 0 {
		s.Subcategory = c.Sub[j].Name
	}
	return s
}

// find is the place of a category by its name or an alias, without regard to
// case.
func find(list []Category, name string) int {
	return slices.IndexFunc(list, func(c Category) bool {
		return strings.EqualFold(c.Name, name) || slices.ContainsFunc(c.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
	})
}
