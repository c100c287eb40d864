package report_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"annotate/internal/report"
)

// A checker compares the cells of a report with values that a simple algorithm computed.
// At the end it knows which cells were not compared.
type checker struct {
	t      *testing.T
	tables map[string]report.Table
	seen   map[string]map[[2]int]bool
	// Of intervals.
	resamples int
	seed      uint64
}

func newChecker(t *testing.T, r report.Report) *checker {
	c := &checker{t: t, tables: map[string]report.Table{}, seen: map[string]map[[2]int]bool{}, resamples: r.Stamp.Resamples, seed: r.Stamp.Seed}
	for _, table := range r.Tables() {
		c.tables[table.ID] = table
	}
	for _, f := range r.Figures() {
		c.tables["figure "+f.ID] = f.Table
	}
	for id := range c.tables {
		c.seen[id] = map[[2]int]bool{}
	}
	return c
}

// rowKey identifies a row by its texts, or by its first value if it has none.
func rowKey(table report.Table, row report.Row) string {
	var parts []string
	for i, cell := range row.Cells {
		if !table.Columns[i].Kind.Numeric() && cell.Text != "" {
			parts = append(parts, cell.Text)
		}
	}
	if len(parts) == 0 {
		return trim(row.Cells[0].Value)
	}
	return strings.Join(parts, "|")
}

func trim(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(sprint(v), "0"), ".")
}

// want compares a cell, found by the texts of its row and the headings of its
// column, joined by "|".
func (c *checker) want(id, row, column string, want float64) {
	c.t.Helper()
	table, ok := c.tables[id]
	if !ok {
		c.t.Errorf("there is no table %s", id)
		return
	}
	for j, col := range table.Columns {
		if strings.Join(append(append([]string{}, col.Group...), col.Name), "|") != column {
			continue
		}
		for i, r := range table.Rows {
			if rowKey(table, r) != row {
				continue
			}
			c.seen[id][[2]int{i, j}] = true
			if got := r.Cells[j].Value; !near(got, want) {
				c.t.Errorf("%s, %s, %s: got %v, want %v", id, row, column, got, want)
			}
			return
		}
	}
	c.t.Errorf("table %s has no row %q with a column %q", id, row, column)
}

// has reports whether a table has a column.
func (c *checker) has(id, column string) bool {
	return slices.ContainsFunc(c.tables[id].Columns, func(col report.Column) bool {
		return strings.Join(append(slices.Clone(col.Group), col.Name), "|") == column
	})
}

// plainBounded are the bounds of an interval and the number of documents that are drawn.
type plainBounded [3]float64

// bounds compares the two bounds of an interval. One without width is none, but for a share: if none of n documents has anything of it, with a
// probability of 0.05, then each has something with the probability 1 - 0.05^(1/n).
func (c *checker) bounds(id, row, group string, want plainBounded) {
	c.t.Helper()
	if math.Abs(want[0]-want[1]) < 1e-12 {
		some := 1 - math.Exp(math.Log(0.05)/want[2])
		share := slices.ContainsFunc(c.tables[id].Columns, func(col report.Column) bool {
			return col.Kind == report.Share && strings.Join(append(slices.Clone(col.Group), col.Name), "|") == group+"|Low"
		})
		switch {
		case share && want[0] < 1e-12 && want[2] > 1:
			want[1] = want[0] + some
		case share && want[0] > 1-1e-12 && want[2] > 1:
			want[0] -= some
		default:
			want = plainBounded{nan, nan}
		}
	}
	c.want(id, row, group+"|Low", want[0])
	c.want(id, row, group+"|High", want[1])
}

func near(got, want float64) bool {
	return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))
}

// leave marks a column as checked. Each call has a comment with the reason.
func (c *checker) leave(id, column string) {
	for j, col := range c.tables[id].Columns {
		if col.Name == column {
			for i := range c.tables[id].Rows {
				c.seen[id][[2]int{i, j}] = true
			}
		}
	}
}

// done fails for every number that was not compared.
func (c *checker) done() (numbers int) {
	c.t.Helper()
	for id, table := range c.tables {
		for i, row := range table.Rows {
			for j, cell := range row.Cells {
				if !table.Columns[j].Kind.Numeric() || cell.Blank {
					continue
				}
				numbers++
				if !c.seen[id][[2]int{i, j}] {
					c.t.Errorf("table %s, row %q, column %s: nothing was compared with %v", id, rowKey(table, row), table.Columns[j].Name, cell.Value)
				}
			}
		}
	}
	return numbers
}
