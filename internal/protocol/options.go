package protocol

import (
	"slices"
	"strings"
)

// Options are the changes that a campaign makes to a protocol.
type Options struct {
	// Settings are the values of the campaign's settings, by key.
	Settings map[string]string
	// MaxErrors is the limit on errors, if the protocol has one ([Marking.Limited]); 0 if there
	// is no limit.
	MaxErrors int
	Own       Own
}

// Own are severities and categories that the protocol lacks and that a campaign has because imported
// ratings have them. They have no weight.
type Own struct {
	Severities []string `json:"severities,omitempty"`
	Categories []string `json:"categories,omitempty"` // "Category" or "Category/Subcategory"
}

// Add adds the severity and the category of s if p lacks them, and reports whether it added any.
func (o *Own) Add(p *Protocol, s ErrorSpan) bool {
	added := false
	note := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
			added = true
		}
	}
	if _, ok := p.Spans.Severity(s.Severity); !ok && !p.Spans.OfTerms() {
		note(&o.Severities, s.Severity)
	}
	category, sub := p.Spans.path(s)
	if category == "" && sub == "" {
		return added
	}
	if _, _, ok := p.Spans.Category(category, sub); !ok {
		if sub != "" {
			category += "/" + sub
		}
		note(&o.Categories, category)
	}
	return added
}

// With returns the protocol with the changes of a campaign: without the severities and weights that its
// settings remove, and with its limit and its own severities and categories. It does not change p.
func (p *Protocol) With(o Options) *Protocol {
	q := *p
	q.settings = p.heeded()
	if p.Spans != nil {
		m := *p.Spans
		m.Severities = slices.DeleteFunc(slices.Clone(m.Severities), func(s Severity) bool {
			return s.Setting != "" && o.Settings[s.Setting] != "yes"
		})
		if m.Limited {
			m.MaxErrors = o.MaxErrors
		}
		m.Categories = slices.Clone(m.Categories)
		q.Spans = &m
		m.addOwn(o.Own)
		q.Guide = p.Guide.offered(&m)
	}
	q.Derived = slices.Clone(p.Derived)
	for i, d := range q.Derived {
		q.Derived[i].Weights = slices.DeleteFunc(slices.Clone(d.Weights), func(w Weight) bool {
			return p.removes(w, o, q.Spans)
		})
	}
	return &q
}

// The keys of campaign settings about protocols, besides [Settings].
const (
	maxErrors = "max_errors" // limits errors
	filter    = "filter"     // chooses the segments that are handed out
)

// Heeds reports whether the campaign setting with a key has an effect under p. p may be the result of [Protocol.With].
func (p *Protocol) Heeds(key string) bool {
	question, nominal := p.NominalGate()
	gated := p.Gate != ""
	switch key {
	case filter:
		return p.OfSegments()
	case "context": // terms may be linked to terms in other segments of their document
		return !p.OfSegments() || p.Spans != nil && p.Spans.Links
	case "show_reference":
		return !p.NeedsReference()
	case "gate", "rounds", "check_rate", "check_kinds", "repeat_after", "check_flag":
		return gated
	case "threshold", "flag_low_agreement":
		return p.Correlates()
	case "tolerance", "flag_bias", "flag_drift", "check_margin":
		return gated && !nominal
	case "flag_constant": // the best candidate may always be by the same system
		return gated && question.Kind != Candidate
	}
	if _, ok := Settings[key]; !ok && key != maxErrors {
		return true
	}
	return slices.Contains(p.heeded(), key)
}

// Correlates reports whether two annotators of a segment can have an r: whether they are compared by a number over several
// translations.
func (p *Protocol) Correlates() bool {
	_, nominal := p.NominalGate()
	return p.Gate != "" && !nominal && !p.OfSegments()
}

// heeded lists the keys of the settings about protocols that have an effect under p. It may contain
// empty texts.
func (p *Protocol) heeded() []string {
	if p.settings != nil {
		return p.settings
	}
	keys := []string{} // not nil, because nil means not known in Protocol.settings
	if p.Spans != nil {
		if p.Spans.Limited {
			keys = append(keys, maxErrors)
		}
		for _, s := range p.Spans.Severities {
			keys = append(keys, s.Setting)
		}
	}
	for _, d := range p.Derived {
		for _, w := range d.Weights {
			key, _, _ := strings.Cut(w.Unless, "=")
			keys = append(keys, key)
		}
	}
	return keys
}

// removes reports whether a campaign's settings remove a weight. m is the marking of the campaign.
func (p *Protocol) removes(w Weight, o Options, m *Marking) bool {
	if key, value, ok := strings.Cut(w.Unless, "="); ok && o.Settings[key] == value {
		return true
	}
	if m == nil || w.Severity == "" {
		return false
	}
	s, ok := m.Severity(w.Severity)
	return !ok || s.Own
}

// addOwn adds a campaign's own severities and categories that m lacks.
func (m *Marking) addOwn(own Own) {
	for _, id := range own.Severities {
		if _, ok := m.Severity(id); !ok {
			m.Severities = append(m.Severities, Severity{ID: id, Name: id, Own: true})
		}
	}
	for _, path := range own.Categories {
		name, sub, _ := strings.Cut(path, "/")
		i := slices.IndexFunc(m.Categories, func(c Category) bool { return c.Name == name })
		if i < 0 {
			m.Categories = append(m.Categories, Category{Name: name, Own: true})
			i = len(m.Categories) - 1
		}
		if _, _, ok := m.Category(name, sub); ok {
			continue
		}
		c := &m.Categories[i]
		c.Sub = append(slices.Clone(c.Sub), Category{Name: sub, Own: true})
	}
}
