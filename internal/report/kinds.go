package report

import (
	"fmt"
	"slices"

	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// errorKinds lists the rows of tables of errors: the categories of a protocol in their
// order, each followed by its subcategories, and a sum for each group of categories.
type errorKinds struct {
	rules *protocol.Protocol
	rows  []errorKind
}

// An errorKind is a category, a subcategory, or the sum of a group of categories.
type errorKind struct {
	id              string
	group, name     string // the names of the group and the category
	sub             string // the name of the subcategory; empty for the whole category
	overall         bool   // the sum of the group
	lastOfTheGroup  bool
	withinACategory bool // a subcategory
}

// allErrors is the id of the kind that includes every error.
const allErrors = "all"

// noCategory is the name of the row of errors without a category.
const noCategory = "(none)"

func newErrorKinds(rules *protocol.Protocol) *errorKinds {
	k := &errorKinds{rules: rules}
	if !rules.MarksErrors() || len(rules.Spans.Categories) == 0 {
		return k
	}
	var groups []string
	in := map[string][]protocol.Category{}
	for _, c := range rules.Spans.Categories {
		if _, ok := in[c.Group]; !ok {
			groups = append(groups, c.Group)
		}
		in[c.Group] = append(in[c.Group], c)
	}
	for _, group := range groups {
		for _, c := range in[group] {
			k.rows = append(k.rows, errorKind{id: kindID(c.Name, ""), group: group, name: c.Name})
			for _, sub := range c.Sub {
				k.rows = append(k.rows, errorKind{id: kindID(c.Name, sub.Name), group: group, name: c.Name, sub: sub.Name, withinACategory: true})
			}
		}
		if group != "" && len(in[group]) > 1 {
			k.rows = append(k.rows, errorKind{id: groupID(group), group: group, name: "overall " + group, overall: true})
		}
		k.rows[len(k.rows)-1].lastOfTheGroup = true
	}
	k.rows = append(k.rows, errorKind{id: kindID("", ""), name: noCategory})
	return k
}

func kindID(category, sub string) string { return "category\x00" + category + "\x00" + sub }

func groupID(group string) string { return "group\x00" + group }

// idsOf returns the ids of the kinds that an error belongs to.
func (k *errorKinds) idsOf(s protocol.ErrorSpan) []string {
	if len(k.rows) == 0 {
		return nil
	}
	out := []string{kindID(s.Category, "")}
	c, sub, ok := k.rules.Spans.Category(s.Category, s.Subcategory)
	if ok && sub.Name != "" {
		out = append(out, kindID(c.Name, sub.Name))
	}
	if c, _, ok := k.rules.Spans.Category(s.Category, ""); ok && c.Group != "" {
		out = append(out, groupID(c.Group))
	}
	return out
}

// rowsFor returns the rows of a table of the tally. Subcategories, and errors without a
// category, are rows only if there are such errors.
func (k *errorKinds) rowsFor(t *errorTally) []errorKind {
	return slices.DeleteFunc(slices.Clone(k.rows), func(row errorKind) bool {
		return (row.name == noCategory || row.withinACategory) && t.kinds[row.id] == nil
	})
}

// mostFrequent returns a sentence that names the category with the most errors.
func (k *errorKinds) mostFrequent(t *errorTally) string {
	best, n := "", 0
	for _, row := range k.rows {
		if row.overall || row.withinACategory || row.name == noCategory {
			continue
		}
		if found := t.kinds[row.id]; found != nil && found.n > n {
			best, n = row.name, found.n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("The most frequent category is %s, with %s.", best, percent(n, t.total))
}

func (row errorKind) label() string {
	if row.sub != "" {
		return row.name + " / " + row.sub
	}
	return row.name
}

func (t *errorTally) count(kind string) int {
	if k := t.kinds[kind]; k != nil {
		return k.n
	}
	return 0
}

// kindTable returns Tables 6 and 9 of Popov et al. 2025.
func (p *errorsPart) kindTable() Table {
	t := Table{ID: "errors-categories", Title: "Errors by category", Caption: "Number of errors by category, with their severity.",
		Columns: []Column{{Name: "Type", Kind: Text}, {Name: "Category", Kind: Text}}}
	if p.graded() {
		t.Columns = append(t.Columns, Column{Name: "Mean severity", Kind: Number, Decimals: 2})
	}
	t.Columns = append(
		t.Columns, Column{Name: "Errors a rating", Kind: Number, Decimals: 2}, Column{Name: "Errors", Kind: Count},
		Column{Name: "Share", Kind: Share, Decimals: 1},
	)
	for _, s := range p.severities() {
		t.Columns = append(t.Columns, Column{Name: s.Name, Group: []string{"Errors by severity"}, Kind: Count})
	}
	row := func(group, label string, name any, n int, severities map[string]int, severity stat.Interval) Row {
		cells := []Cell{text(group), text(label)}
		if p.graded() {
			cells = append(cells, estimated(p.meanSeverity(severities), severity))
		}
		cells = append(
			cells, estimated(stat.Ratio(n, p.counts.all.ratings), p.estimates.interval("errors", everything{}, name)), count(n),
			estimated(stat.Ratio(n, p.counts.all.total), p.estimates.interval("errors-shares", everything{}, name)),
		)
		for _, s := range p.severities() {
			cells = append(cells, count(severities[s.ID]))
		}
		return Row{Cells: cells}
	}
	for _, kind := range p.kinds.rowsFor(p.counts.all) {
		var severities map[string]int
		if k := p.counts.all.kinds[kind.id]; k != nil {
			severities = k.severities
		}
		severity := p.estimates.interval("errors-kinds", ofKind(kind.id), meanSeverity)
		r := row(kind.group, kind.label(), ofKind(kind.id), p.counts.all.count(kind.id), severities, severity)
		r.RuleAfter, r.Total = kind.lastOfTheGroup && kind.group != "", kind.overall
		t.Rows = append(t.Rows, r)
	}
	if len(t.Rows) == 0 {
		return t
	}
	t.Rows[len(t.Rows)-1].RuleAfter = true
	all := row("", "All", anyErrors, p.counts.all.total, p.counts.all.severities, p.estimates.interval("errors", everything{}, meanSeverity))
	all.Total = true
	t.Rows = append(t.Rows, all)
	if !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[0].Text != "" }) {
		t.dropColumn(0)
	}
	return t
}

func (t *Table) dropColumn(c int) {
	t.Columns = slices.Delete(t.Columns, c, c+1)
	for i := range t.Rows {
		t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, c, c+1)
	}
}

// kindSystemTable returns errors by category and system.
func (p *errorsPart) kindSystemTable() Table {
	t := Table{ID: "errors-categories-systems", Title: "Errors by category and system", Caption: "Mean number of errors a rating by category, for each system.",
		Columns: []Column{{Name: "Type", Kind: Text}, {Name: "Category", Kind: Text}}}
	names := sorted(p.counts.systems)
	for _, name := range names {
		t.Columns = append(t.Columns, Column{Name: name, Group: []string{"Errors a rating"}, Kind: Number, Decimals: 2})
	}
	for _, kind := range p.kinds.rowsFor(p.counts.all) {
		r := Row{Cells: []Cell{text(kind.group), text(kind.label())}, RuleAfter: kind.lastOfTheGroup && kind.group != "", Total: kind.overall}
		for _, name := range names {
			r.Cells = append(r.Cells, p.rate(name, p.counts.systems[name].count(kind.id), ofKind(kind.id)))
		}
		t.Rows = append(t.Rows, r)
	}
	if len(t.Rows) == 0 {
		return t
	}
	t.Rows[len(t.Rows)-1].RuleAfter = true
	all := Row{Cells: []Cell{text(""), text("All")}, Total: true}
	for _, name := range names {
		all.Cells = append(all.Cells, p.rate(name, p.counts.systems[name].total, anyErrors))
	}
	t.Rows = append(t.Rows, all)
	if !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[0].Text != "" }) {
		t.dropColumn(0)
	}
	return t
}

// rate is a number of errors of a system as errors a rating. name is that of its estimate.
func (p *errorsPart) rate(system string, errors int, name any) Cell {
	return estimated(stat.Ratio(errors, p.counts.systems[system].ratings), p.estimates.interval("errors", ofSystem(system), name))
}
