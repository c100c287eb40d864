package records

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// maxOwn is the largest number of own severities and categories of a campaign. A file that
// would add more probably has other data in these columns.
const maxOwn = 1000

// OwnTerms collects the severities and categories of imported ratings that a campaign's
// protocol lacks. They become the campaign's own terms.
type OwnTerms struct {
	base   *protocol.Protocol // without the changes of settings and own terms
	Rules  *protocol.Protocol // with settings and all own terms so far
	c      campaign.Campaign
	before protocol.Own        // the campaign's own terms before the import
	Own    protocol.Own        // with the new ones
	uses   map[string]*termUse // by new term, as notes begin with it
}

// A termUse counts the errors that have a new term.
type termUse struct {
	errors int
	first  campaign.Place
}

// NewOwnTerms returns OwnTerms with the severities and categories that the campaign has now.
func NewOwnTerms(c campaign.Campaign) (*OwnTerms, error) {
	base, err := BaseProtocol(c.Protocol, c.Definition)
	if err != nil {
		return nil, err
	}
	own := protocol.Own{Severities: slices.Clone(c.Own.Severities), Categories: slices.Clone(c.Own.Categories)}
	return &OwnTerms{base: base, Rules: c.Rules, c: c, before: c.Own, Own: own, uses: map[string]*termUse{}}, nil
}

// Learn returns a span with its severity and category spelt as the campaign spells them. Terms
// that the campaign lacks become its own. at is where the span was read. The violation is not
// nil if the span has no severity, or if the campaign would get too many own terms.
func (o *OwnTerms) Learn(at campaign.Place, s protocol.ErrorSpan) (protocol.ErrorSpan, *protocol.Violation) {
	if s.Severity == "" && !o.Rules.Spans.OfTerms() {
		return s, &protocol.Violation{Field: "severity", Msg: "missing; give the severity of the error"}
	}
	// A severity that the settings do not offer is still spelt as the protocol spells it,
	// so that it has the right name if the settings offer it one day.
	s = o.Rules.Canonical(o.base.Canonical(s))
	added := o.Own.Add(o.Rules, s)
	o.countUses(at, s)
	if !added {
		return s, nil
	}
	if len(o.Own.Severities)+len(o.Own.Categories) > maxOwn {
		return s, &protocol.Violation{
			Field: "category",
			Msg: fmt.Sprintf(
				"the campaign would have more than %d severities and categories that %s lacks; check that this field holds severities or categories",
				maxOwn, o.base.Name,
			),
		}
	}
	o.Rules = o.base.With(o.c.Settings.Options(o.Own))
	return s, nil
}

// countUses counts the new terms of a span.
func (o *OwnTerms) countUses(at campaign.Place, s protocol.ErrorSpan) {
	count := func(term string) {
		if o.uses[term] == nil {
			o.uses[term] = &termUse{first: at}
		}
		o.uses[term].errors++
	}
	if s.Severity != "" && slices.Index(o.Own.Severities, s.Severity) >= len(o.before.Severities) {
		count(severityTerm(s.Severity))
	}
	path := strings.TrimSuffix(s.Category+"/"+s.Subcategory, "/")
	if slices.Index(o.Own.Categories, path) >= len(o.before.Categories) {
		count(categoryTerm(path))
	}
}

func severityTerm(id string) string { return fmt.Sprintf("severity %q", id) }

func categoryTerm(path string) string { return fmt.Sprintf("category %q", path) }

// describeUses says how many errors have a new term, and where the first is.
func (o *OwnTerms) describeUses(term string) string {
	u := o.uses[term]
	if u == nil {
		return term
	}
	return fmt.Sprintf("%s of %s, first at %s:%d,", term, wording.Counted(u.errors, "error"), u.first.File, u.first.Line)
}

// Save stores the new terms, and adds them to the report.
func (o *OwnTerms) Save(tx *database.Tx, campaignID string, report *readmodel.ImportReport) error {
	severities, categories := o.Own.Severities[len(o.before.Severities):], o.Own.Categories[len(o.before.Categories):]
	if len(severities)+len(categories) == 0 {
		return nil
	}
	report.OwnSeverities, report.OwnCategories = slices.Sorted(slices.Values(severities)), slices.Sorted(slices.Values(categories))
	report.Notes = append(report.Notes, o.notes(report.OwnSeverities, report.OwnCategories)...)
	return tx.Exec("UPDATE campaigns SET own_terms = ? WHERE id = ?", EncodeOwn(o.Own), campaignID).Error
}

// notes says of every new term how often it is used, and whether its errors weigh 0 in all
// derived scores.
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
		notes = append(notes, o.describeUses(severityTerm(id))+" "+what)
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
		notes = append(notes, o.describeUses(categoryTerm(path))+" "+what)
	}
	return notes
}

// weighs reports whether a derived score depends on error spans.
func weighs(d protocol.Derived) bool { return len(d.Weights) > 0 }

// costs reports whether an error has a weight other than 0 in any derived score.
func (o *OwnTerms) costs(s protocol.ErrorSpan) bool {
	return slices.ContainsFunc(o.Rules.Derived, func(d protocol.Derived) bool {
		x, _ := d.Value(protocol.Rating{Spans: []protocol.ErrorSpan{s}})
		return weighs(d) && x != 0
	})
}
