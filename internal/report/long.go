package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// mostColumns is the largest number of columns of values of a wide table with intervals. More of them do not fit a page or a screen.
const mostColumns = 12

// numericColumns counts the columns of values.
func (t Table) numericColumns() (n int) {
	for _, c := range t.Columns {
		if c.Kind.Numeric() {
			n++
		}
	}
	return n
}

// A columnGroup has the columns that become one row of a long table: neighbours below the same headings, or a single column.
type columnGroup struct {
	headings []string
	columns  []int
}

// groups divides the columns of values by their headings if all groups then have the same columns. Otherwise it returns single columns.
func (t Table) groups() (groups []columnGroup) {
	var single []columnGroup
	for i, c := range t.Columns {
		if !c.Kind.Numeric() {
			continue
		}
		single = append(single, columnGroup{append(slices.Clone(c.Group), c.Name), []int{i}})
		if n := len(groups); n > 0 && slices.Equal(groups[n-1].headings, c.Group) {
			groups[n-1].columns = append(groups[n-1].columns, i)
		} else {
			groups = append(groups, columnGroup{c.Group, []int{i}})
		}
	}
	same := func(g columnGroup) bool {
		return len(g.headings) > 0 && slices.EqualFunc(g.columns, groups[0].columns, func(a, b int) bool {
			return t.Columns[a].Name == t.Columns[b].Name && t.sameKind(a, b)
		})
	}
	if len(groups) < 2 || slices.ContainsFunc(groups, func(g columnGroup) bool { return !same(g) }) {
		return single
	}
	return groups
}

// sameKind reports whether the values of two columns are written alike.
func (t Table) sameKind(a, b int) bool {
	return t.Columns[a].Kind == t.Columns[b].Kind && t.Columns[a].Decimals == t.Columns[b].Decimals
}

// alike reports whether the groups of columns can stand below each other.
func (t Table) alike() bool {
	groups := t.groups()
	return !slices.ContainsFunc(groups, func(g columnGroup) bool {
		return len(g.columns) != len(groups[0].columns) ||
			slices.ContainsFunc(g.columns, func(c int) bool { return !t.sameKind(c, groups[0].columns[slices.Index(g.columns, c)]) })
	})
}

// long returns a table that has a row for each row and each group of columns of t, with the bounds of intervals
// beside the values. The groups of t must be alike.
func (t Table) long(documents int) Table {
	out := t
	out.Columns, out.Rows, out.matrix = nil, nil, false
	for _, c := range t.Columns {
		if c.Kind == Text {
			out.Columns = append(out.Columns, c)
		}
	}
	groups, has := t.groups(), t.haveIntervals()
	last := func(g columnGroup) string { return g.headings[len(g.headings)-1] }
	slices.SortStableFunc(groups, func(a, b columnGroup) int { // groups with the same last heading stand together, in the order of the columns
		first := func(of string) int {
			return slices.IndexFunc(groups, func(g columnGroup) bool { return last(g) == of })
		}
		return cmp.Compare(first(last(a)), first(last(b)))
	})
	out.addColumns(texts(cmp.Or(t.across, "Of")))
	for k, column := range groups[0].columns {
		c := t.Columns[column]
		c.Group = nil
		if len(groups[0].columns) == 1 {
			c.Name = "Value"
		}
		out.Columns = append(out.Columns, c)
		if slices.ContainsFunc(groups, func(g columnGroup) bool { return has[g.columns[k]] }) {
			out.addColumns(bounds(columnsOf(c.Kind, c.Decimals, intervalName())))
		}
	}
	for _, r := range t.Rows {
		from := len(out.Rows)
		for _, g := range groups {
			row := Row{Total: r.Total}
			for i, c := range r.Cells {
				if t.Columns[i].Kind == Text {
					row.Cells = append(row.Cells, c)
				}
			}
			row.Cells = append(row.Cells, text(strings.Join(g.headings, ": ")))
			blank := true
			for k, column := range g.columns {
				c := r.Cells[column]
				blank = blank && c.Blank
				bounds := c.limits(t.Columns[column].Kind)
				c.interval.Resamples = 0
				row.Cells = append(row.Cells, c)
				if slices.ContainsFunc(groups, func(g columnGroup) bool { return has[g.columns[k]] }) {
					row.Cells = append(row.Cells, bounds...)
				}
			}
			if !blank {
				out.Rows = append(out.Rows, row)
			}
		}
		if len(out.Rows) > from {
			out.Rows[len(out.Rows)-1].RuleAfter = true
		}
	}
	out.Note = strings.TrimSpace(t.Note + " " + drawnNote(documents, t.cellIntervals()))
	return out
}

// numberColumns names the columns of a large matrix by the numbers of its rows, so that they are narrow.
func (t *Table) numberColumns() {
	if !t.matrix || t.numericColumns() <= mostColumns {
		return
	}
	t.Columns, t.Rows = slices.Clone(t.Columns), slices.Clone(t.Rows)
	for i := 1; i < len(t.Columns); i++ {
		number := strconv.Itoa(i)
		t.Columns[i].Name = number
		t.Rows[i-1].Cells = slices.Clone(t.Rows[i-1].Cells)
		t.Rows[i-1].Cells[0].Text = number + " " + t.Rows[i-1].Cells[0].Text
	}
	t.Note = strings.TrimSpace(t.Note + " The columns have the numbers of the rows.")
}
