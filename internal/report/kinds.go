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
		Columns: texts("Type", "Category")}
	if p.graded() {
		t.addColumns(numbers(2, "Mean severity"))
	}
	t.addColumns(numbers(2, "Errors a rating"), counts("Errors"), shares("Share"))
	for _, s := range p.severities() {
		t.addColumns(under("Errors by severity", counts(s.Name)))
	}
	row := func(name any, n int, severities map[string]int, severity stat.Interval) (cells []Cell) {
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
		return cells
	}
	for _, kind := range p.kinds.rowsFor(p.counts.all) {
		var severities map[string]int
		if k := p.counts.all.kinds[kind.id]; k != nil {
			severities = k.severities
		}
		severity := p.estimates.interval("errors-kinds", ofKind(kind.id), meanSeverity)
		t.addKind(kind, row(ofKind(kind.id), p.counts.all.count(kind.id), severities, severity)...)
	}
	severity := p.estimates.interval("errors", everything{}, meanSeverity)
	t.addAllKinds(row(anyErrors, p.counts.all.total, p.counts.all.severities, severity))
	return t
}

// addKind adds the row of a kind, which begins with its group and its name.
func (t *Table) addKind(kind errorKind, cells ...Cell) {
	cells = append([]Cell{text(kind.group), text(kind.label())}, cells...)
	t.Rows = append(t.Rows, Row{Cells: cells, RuleAfter: kind.lastOfTheGroup && kind.group != "", Total: kind.overall})
}

// addAllKinds adds the row of all errors, if there are rows of kinds, and removes the column of groups if no kind has one.
func (t *Table) addAllKinds(cells []Cell) {
	if len(t.Rows) == 0 {
		return
	}
	t.addTotal(append([]Cell{text(""), text("All")}, cells...)...)
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[0].Text != "" }) {
		return
	}
	t.Columns = t.Columns[1:]
	for i := range t.Rows {
		t.Rows[i].Cells = t.Rows[i].Cells[1:]
	}
}

// kindSystemTable returns errors by category and system.
func (p *errorsPart) kindSystemTable() Table {
	t := Table{ID: "errors-categories-systems", Title: "Errors by category and system",
		Caption: "Mean number of errors a rating by category, for each system.",
		Columns: texts("Type", "Category")}
	names := sorted(p.counts.systems)
	for _, name := range names {
		t.addColumns(under("Errors a rating", numbers(2, name)))
	}
	for _, kind := range p.kinds.rowsFor(p.counts.all) {
		var rates []Cell
		for _, name := range names {
			rates = append(rates, p.rate(name, p.counts.systems[name].count(kind.id), ofKind(kind.id)))
		}
		t.addKind(kind, rates...)
	}
	var all []Cell
	for _, name := range names {
		all = append(all, p.rate(name, p.counts.systems[name].total, anyErrors))
	}
	t.addAllKinds(all)
	return t
}

// rate is a number of errors of a system as errors a rating. name is that of its estimate.
func (p *errorsPart) rate(system string, errors int, name any) Cell {
	return estimated(stat.Ratio(errors, p.counts.systems[system].ratings), p.estimates.interval("errors", ofSystem(system), name))
}
