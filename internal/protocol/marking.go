package protocol

import (
	"slices"
	"strings"
)

// Marking says how errors or terms are marked under a protocol.
type Marking struct {
	// Layer says whether the spans are errors or terms. Empty means [ErrorLayer].
	Layer      Layer      `json:"layer,omitempty"`
	Severities []Severity `json:"severities,omitempty"` // from light to grave; empty for terms
	Categories []Category `json:"categories,omitempty"` // empty if spans have no category
	// Questions are the questions about each term in the source. They are choices with one answer, and
	// texts.
	Questions []Question `json:"questions,omitempty"`
	// Links allows an error to be linked to another error by the same annotator on the same
	// system, document and round, such as the partner of an inconsistency.
	Links bool `json:"links,omitempty"`
	// Limited says that the campaign's setting max_errors applies.
	Limited bool `json:"limited,omitempty"`
	// MissingPunctuation has the severity and category of a mark without words, which stands
	// for missing punctuation. If it is nil, every mark must cover at least one character.
	MissingPunctuation *Template `json:"missing_punctuation,omitempty"`
	// MaxErrors is the campaign's limit on the errors of one translation; 0 if there is none.
	// Source errors do not count. It is not part of a file.
	MaxErrors int `json:"-"`
}

// A Layer is the kind of a protocol's spans.
type Layer string

const (
	// ErrorLayer has errors of a translation. They have a severity.
	ErrorLayer Layer = "errors"
	// TermLayer has terms, such as those that are bound to a culture. They have a category and answers to
	// questions, and no severity. A term of the source may be linked to its counterpart.
	TermLayer Layer = "terms"
)

// OfTerms reports whether the spans are terms. It is false for a nil m.
func (m *Marking) OfTerms() bool { return m != nil && m.Layer == TermLayer }

// One is [Marking.Noun] with its article.
func (m *Marking) One() string {
	if m.OfTerms() {
		return "a term"
	}
	return "an error"
}

// Kind is the property that agreement compares besides the places of spans: "severity" or
// "category".
func (m *Marking) Kind() string {
	if m.OfTerms() {
		return "category"
	}
	return "severity"
}

// Noun is the word for a span in messages: "error" or "term".
func (m *Marking) Noun() string {
	if m.OfTerms() {
		return "term"
	}
	return "error"
}

// A Severity says how grave an error is.
type Severity struct {
	ID   string `json:"id"`   // in files, e.g. "minor" or "4"
	Name string `json:"name"` // on pages
	Text string `json:"text"` // when to choose it
	// Setting is the key of a campaign setting. The severity is offered if its value is yes.
	// If Setting is empty, the severity is always offered.
	Setting string `json:"setting,omitempty"`
	// Own says that the severity came with imported ratings. It has no weight.
	Own bool `json:"-"`
}

// A Category is a kind of error.
type Category struct {
	Name    string     `json:"name"`
	Aliases []string   `json:"aliases,omitempty"` // other names in imported files
	Text    string     `json:"text"`              // when to choose it
	Group   string     `json:"group,omitempty"`   // pages list the categories of a group together, e.g. "Semantic"
	Sub     []Category `json:"sub,omitempty"`     // subcategories; if there are any, one must be chosen
	Rule    Rule       `json:"rule,omitempty"`    // a special rule for errors of this category
	Comment bool       `json:"comment,omitempty"` // an error of this category needs a comment
	Own     bool       `json:"-"`                 // it came with imported ratings
}

// A Rule is a special rule for the errors of a [Category].
type Rule string

const (
	// SourceError: the error is in the source text. It is marked there, and does not count
	// towards the limit on errors.
	SourceError Rule = "source_error"
	// NonTranslation: the text is not a translation at all. The mark spans the whole
	// translation, its severity is major, and the rating has no other error.
	NonTranslation Rule = "non_translation"
)

// A Template has the severity and category with which a new mark starts.
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

// Category returns a category and a subcategory by their names. The subcategory s is the zero value if
// sub is empty. ok is false if one of them is not known.
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

// missesPunctuation reports whether s stands for missing punctuation. Such a mark may be without words.
// Annotators can change its category and severity.
func (m *Marking) missesPunctuation(s ErrorSpan) bool {
	return m.MissingPunctuation != nil && s.Subcategory == m.MissingPunctuation.Subcategory
}

// path returns the names of the category and subcategory of s. The subcategory is empty for missing
// punctuation, because that is not a subcategory of the list.
func (m *Marking) path(s ErrorSpan) (category, sub string) {
	if m.missesPunctuation(s) {
		return s.Category, ""
	}
	return s.Category, s.Subcategory
}

// ask reports whether one of a list of categories must be chosen: it has one that did not come with an
// import.
func ask(list []Category) bool {
	return slices.ContainsFunc(list, func(c Category) bool { return !c.Own })
}

// Canonical returns s with its severity, category and subcategory spelt as p spells them. It ignores
// case and replaces aliases. It divides a category of the form "Category/Subcategory" at its first
// slash. Names that p does not know stay as they are.
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

// find returns the index of a category by its name or an alias, ignoring case; -1 if there is none.
func find(list []Category, name string) int {
	return slices.IndexFunc(list, func(c Category) bool {
		return strings.EqualFold(c.Name, name) || slices.ContainsFunc(c.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
	})
}
