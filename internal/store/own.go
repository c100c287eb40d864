package store

import (
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// maxOwn bounds the severities and categories that a campaign has of its own. A
// file with more has something else in that column.
const maxOwn = 1000

// ownTerms learns the severities and categories of finished ratings that a
// campaign's protocol lacks, so that a later span finds what an earlier one
// brought.
type ownTerms struct {
	base   *protocol.Protocol // without settings and own terms
	rules  *protocol.Protocol // with what is learnt
	c      campaign.Campaign
	before protocol.Own
	own    protocol.Own
	met    map[string]*termUse // new terms, as notes begin with them
}

// termUse counts the errors that have a new term.
type termUse struct {
	errors int
	first  place
}

func newOwnTerms(c campaign.Campaign) (*ownTerms, error) {
	base, err := baseProtocol(c.Protocol, c.Definition)
	if err != nil {
		return nil, err
	}
	own := protocol.Own{Severities: slices.Clone(c.Own.Severities), Categories: slices.Clone(c.Own.Categories)}
	return &ownTerms{base: base, rules: c.Rules, c: c, before: c.Own, own: own, met: map[string]*termUse{}}, nil
}

// learn returns a span, read at a place, with its terms spelt as the campaign spells
// them, those it lacks being its own from now on. The violation is nil if that could
// be done.
func (o *ownTerms) learn(at place, s protocol.ErrorSpan) (protocol.ErrorSpan, *protocol.Violation) {
	if s.Severity == "" {
		return s, &protocol.Violation{Field: "severity", Msg: "missing; say how grave the error is"}
	}
	// First as the protocol spells it without the campaign's settings: a severity
	// that is not offered keeps the name under which it may be one day.
	s = o.rules.Canonical(o.base.Canonical(s))
	added := o.own.Add(o.rules, s)
	o.meet(at, s)
	if !added {
		return s, nil
	}
	if len(o.own.Severities)+len(o.own.Categories) > maxOwn {
		return s, &protocol.Violation{Field: "category", Msg: fmt.Sprintf("the campaign would have more than %d severities and categories that %s lacks; are they what this field holds?", maxOwn, o.base.Name)}
	}
	o.rules = o.base.With(o.c.Settings.Options(o.own))
	return s, nil
}

// meet counts a span with new terms.
func (o *ownTerms) meet(at place, s protocol.ErrorSpan) {
	count := func(term string) {
		if o.met[term] == nil {
			o.met[term] = &termUse{first: at}
		}
		o.met[term].errors++
	}
	if slices.Index(o.own.Severities, s.Severity) >= len(o.before.Severities) {
		count(severityTerm(s.Severity))
	}
	path := strings.TrimSuffix(s.Category+"/"+s.Subcategory, "/")
	if slices.Index(o.own.Categories, path) >= len(o.before.Categories) {
		count(categoryTerm(path))
	}
}

func severityTerm(id string) string   { return fmt.Sprintf("severity %q", id) }
func categoryTerm(path string) string { return fmt.Sprintf("category %q", path) }

// uses says how often a new term was met, and where first.
func (o *ownTerms) uses(term string) string {
	u := o.met[term]
	if u == nil {
		return term
	}
	errors := "errors"
	if u.errors == 1 {
		errors = "error"
	}
	return fmt.Sprintf("%s of %d %s, first at %s:%d,", term, u.errors, errors, u.first.file, u.first.line)
}

// save stores what is new, and names it in the report.
func (o *ownTerms) save(tx *gorm.DB, campaignID string, report *ImportReport) error {
	severities, categories := o.own.Severities[len(o.before.Severities):], o.own.Categories[len(o.before.Categories):]
	if len(severities)+len(categories) == 0 {
		return nil
	}
	report.OwnSeverities, report.OwnCategories = slices.Sorted(slices.Values(severities)), slices.Sorted(slices.Values(categories))
	report.Notes = append(report.Notes, o.notes(report.OwnSeverities, report.OwnCategories)...)
	return tx.Exec("UPDATE campaigns SET own_terms = ? WHERE id = ?", encodeOwn(o.own), campaignID).Error
}

// notes say of every new term where it was met, and whether it costs nothing in
// all scores that weigh errors.
func (o *ownTerms) notes(severities, categories []string) []string {
	weighed := slices.ContainsFunc(o.rules.Derived, weighs)
	var notes []string
	for _, id := range severities {
		what := "is none of " + o.base.Name + "'s"
		if s, ok := o.base.Spans.Severity(id); ok && s.Setting != "" {
			what = fmt.Sprintf("costs nothing until %s=yes", s.Setting)
		} else if weighed && !o.costs(protocol.ErrorSpan{Severity: id}) {
			what += " and costs nothing"
		}
		notes = append(notes, o.uses(severityTerm(id))+" "+what)
	}
	for _, path := range categories {
		name, sub, _ := strings.Cut(path, "/")
		what := "is none of " + o.base.Name + "'s"
		costs := slices.ContainsFunc(o.rules.Spans.Severities, func(s protocol.Severity) bool {
			return o.costs(protocol.ErrorSpan{Severity: s.ID, Category: name, Subcategory: sub})
		})
		if weighed && !costs {
			what += " and costs nothing, whatever the severity"
		}
		notes = append(notes, o.uses(categoryTerm(path))+" "+what)
	}
	return notes
}

// weighs reports whether a derived score depends on the error spans.
func weighs(d protocol.Derived) bool { return len(d.Weights) > 0 }

// costs reports whether an error counts in any derived score.
func (o *ownTerms) costs(s protocol.ErrorSpan) bool {
	return slices.ContainsFunc(o.rules.Derived, func(d protocol.Derived) bool {
		x, _ := d.Value(protocol.Rating{Spans: []protocol.ErrorSpan{s}})
		return weighs(d) && x != 0
	})
}

// placed is Texts.Place for a span whose other texts the database must be able to
// hold.
func placed(t protocol.Texts, s protocol.ErrorSpan) (protocol.ErrorSpan, *protocol.Violation) {
	for _, f := range spanTexts(s) {
		if f.text != storable(f.text) {
			bad := notStorable(f.name)
			return s, &bad
		}
	}
	return t.Place(s)
}

type field struct{ name, text string }

// spanTexts are the texts of a span that are not words of the translation.
func spanTexts(s protocol.ErrorSpan) []field {
	return []field{{"id", s.ID}, {"severity", s.Severity}, {"category", s.Category}, {"subcategory", s.Subcategory}, {"comment", s.Comment}, {"link", s.Link}, {"suggestion", s.Suggestion}}
}

func notStorable(field string) protocol.Violation {
	return protocol.Violation{Field: field, Msg: "must be UTF-8 without the character U+0000"}
}
