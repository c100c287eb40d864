package records

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// maxOwn bounds the severities and categories that a campaign has of its own. A
// file with more has something else in that column.
const maxOwn = 1000

// OwnTerms learns the severities and categories of finished ratings that a
// campaign's protocol lacks, so that a later span finds what an earlier one
// brought.
type OwnTerms struct {
	base   *protocol.Protocol // without settings and own terms
	Rules  *protocol.Protocol // with what is learnt
	c      campaign.Campaign
	before protocol.Own
	Own    protocol.Own
	met    map[string]*termUse // new terms, as notes begin with them
}

// termUse counts the errors that have a new term.
type termUse struct {
	errors int
	first  Place
}

// NewOwnTerms begins with the severities and categories that the campaign has.
func NewOwnTerms(c campaign.Campaign) (*OwnTerms, error) {
	base, err := BaseProtocol(c.Protocol, c.Definition)
	if err != nil {
		return nil, err
	}
	own := protocol.Own{Severities: slices.Clone(c.Own.Severities), Categories: slices.Clone(c.Own.Categories)}
	return &OwnTerms{base: base, Rules: c.Rules, c: c, before: c.Own, Own: own, met: map[string]*termUse{}}, nil
}

// Learn returns a span, read at a place, with its terms spelt as the campaign spells
// them, those it lacks being its own from now on. The violation is nil if that could
// be done.
func (o *OwnTerms) Learn(at Place, s protocol.ErrorSpan) (protocol.ErrorSpan, *protocol.Violation) {
	if s.Severity == "" {
		return s, &protocol.Violation{Field: "severity", Msg: "missing; say how grave the error is"}
	}
	// First as the protocol spells it without the campaign's settings: a severity
	// that is not offered keeps the name under which it may be one day.
	s = o.Rules.Canonical(o.base.Canonical(s))
	added := o.Own.Add(o.Rules, s)
	o.meet(at, s)
	if !added {
		return s, nil
	}
	if len(o.Own.Severities)+len(o.Own.Categories) > maxOwn {
		return s, &protocol.Violation{Field: "category", Msg: fmt.Sprintf("the campaign would have more than %d severities and categories that %s lacks; check that this field holds severities or categories", maxOwn, o.base.Name)}
	}
	o.Rules = o.base.With(o.c.Settings.Options(o.Own))
	return s, nil
}

// meet counts a span with new terms.
func (o *OwnTerms) meet(at Place, s protocol.ErrorSpan) {
	count := func(term string) {
		if o.met[term] == nil {
			o.met[term] = &termUse{first: at}
		}
		o.met[term].errors++
	}
	if slices.Index(o.Own.Severities, s.Severity) >= len(o.before.Severities) {
		count(severityTerm(s.Severity))
	}
	path := strings.TrimSuffix(s.Category+"/"+s.Subcategory, "/")
	if slices.Index(o.Own.Categories, path) >= len(o.before.Categories) {
		count(categoryTerm(path))
	}
}

func severityTerm(id string) string { return fmt.Sprintf("severity %q", id) }

func categoryTerm(path string) string { return fmt.Sprintf("category %q", path) }

// uses says how often a new term was met, and where first.
func (o *OwnTerms) uses(term string) string {
	u := o.met[term]
	if u == nil {
		return term
	}
	return fmt.Sprintf("%s of %s, first at %s:%d,", term, wording.Counted(u.errors, "error"), u.first.File, u.first.Line)
}

// Save stores what is new, and names it in the report.
func (o *OwnTerms) Save(tx *database.Tx, campaignID string, report *ImportReport) error {
	severities, categories := o.Own.Severities[len(o.before.Severities):], o.Own.Categories[len(o.before.Categories):]
	if len(severities)+len(categories) == 0 {
		return nil
	}
	report.OwnSeverities, report.OwnCategories = slices.Sorted(slices.Values(severities)), slices.Sorted(slices.Values(categories))
	report.Notes = append(report.Notes, o.notes(report.OwnSeverities, report.OwnCategories)...)
	return tx.Exec("UPDATE campaigns SET own_terms = ? WHERE id = ?", EncodeOwn(o.Own), campaignID).Error
}

// notes say of every new term where it was met, and whether it costs nothing in
// all scores that weigh errors.
func (o *OwnTerms) notes(severities, categories []string) []string {
	weighed := slices.ContainsFunc(o.Rules.Derived, weighs)
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
		costs := slices.ContainsFunc(o.Rules.Spans.Severities, func(s protocol.Severity) bool {
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
func (o *OwnTerms) costs(s protocol.ErrorSpan) bool {
	return slices.ContainsFunc(o.Rules.Derived, func(d protocol.Derived) bool {
		x, _ := d.Value(protocol.Rating{Spans: []protocol.ErrorSpan{s}})
		return weighs(d) && x != 0
	})
}

// Placed is Texts.Place for a span whose other texts the database must be able to
// hold.
func Placed(t protocol.Texts, s protocol.ErrorSpan) (protocol.ErrorSpan, *protocol.Violation) {
	for _, f := range SpanTexts(s) {
		if f.Text != database.Storable(f.Text) {
			bad := NotStorable(f.Name)
			return s, &bad
		}
	}
	return t.Place(s)
}

// A Field is a text of an error span with the name of its field.
type Field struct{ Name, Text string }

// SpanTexts are the texts of a span that are not words of the translation.
func SpanTexts(s protocol.ErrorSpan) []Field {
	return []Field{{"id", s.ID}, {"severity", s.Severity}, {"category", s.Category}, {"subcategory", s.Subcategory}, {"comment", s.Comment}, {"link", s.Link}, {"suggestion", s.Suggestion}}
}

// NotStorable says that a field has characters that not every database keeps.
func NotStorable(field string) protocol.Violation {
	return protocol.Violation{Field: field, Msg: "must be UTF-8 without the character U+0000"}
}
