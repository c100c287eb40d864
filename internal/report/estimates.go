package report

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/stat"
)

// estimates collects the sums by document of the statistics that have intervals. The groups are drawn apart, so that the
// interval of a statistic draws the documents of its group. The zero value is empty.
//
// Memory grows as that of [stat.Totals], with the sums of each group in each document.
type estimates struct {
	documents map[string]int
	groups    map[groupKey]*estimateGroup
}

// A groupKey names a group: a row of a table, or several rows over the same data.
type groupKey struct {
	table string
	row   any
}

// everything is the row of a group over all data.
type everything struct{}

// An estimateGroup has statistics over the same documents, by name. Column 0 of its totals is the base.
type estimateGroup struct {
	totals     stat.Totals
	statistics []estimate
	numbers    map[any]int // by name: the place in statistics
	width      int
	intervals  []stat.Interval // by place in statistics, then that of a part that is 0 everywhere
	deviation  bool            // the group has one statistic, a standard deviation, by the sums of addDeviation
}

// An estimate is a statistic of the sums from a column.
type estimate struct {
	from, to int
	of       func(sums []float64) float64 // nil for a part of the base
}

// The statistics of groups, with the sums that they take.

// ratioOf is a mean or a share: a sum over another one.
func ratioOf(sums []float64) float64 { return sums[0] / sums[1] }

// logDeviationOf is the logarithm of a population standard deviation by Σx, Σx² and n. It is NaN if all values are
// equal but for rounding.
func logDeviationOf(s []float64) float64 {
	squares := s[2]*s[1] - s[0]*s[0]
	if squares <= 1e-12*s[2]*s[1] {
		return math.NaN()
	}
	return math.Log(squares)/2 - math.Log(s[2])
}

// correlationOf is Pearson's r by the sums of [stat.PearsonOf].
func correlationOf(s []float64) float64 { return stat.PearsonOf(s[0], s[1], s[2], s[3], s[4], s[5]) }

// document returns the number of a document.
func (e *estimates) document(id string) int {
	n, ok := e.documents[id]
	if !ok {
		if e.documents == nil {
			e.documents = map[string]int{}
		}
		n = len(e.documents)
		e.documents[id] = n
	}
	return n
}

// group returns a group, which it creates if there is none.
func (e *estimates) group(table string, row any) *estimateGroup {
	if e.groups == nil {
		e.groups = map[groupKey]*estimateGroup{}
	}
	g := entry(e.groups, groupKey{table, row})
	if g.numbers == nil {
		g.numbers, g.width = map[any]int{}, 1
	}
	return g
}

// base adds to what the parts of the group are divided by.
func (g *estimateGroup) base(document int, x float64) { g.totals.Add(document, 0, x) }

// part adds to a statistic that is divided by the base of the group.
func (g *estimateGroup) part(document int, name any, x float64) {
	g.totals.Add(document, g.statistic(name, nil, 1).from, x)
}

// add adds to the sums of a statistic.
func (g *estimateGroup) add(document int, name any, of func(sums []float64) float64, sums ...float64) {
	from := g.statistic(name, of, len(sums)).from
	for i, x := range sums {
		g.totals.Add(document, from+i, x)
	}
}

// addDeviation adds n values, by their sum and that of their squares, to the standard deviation that is the only statistic of the group.
func (g *estimateGroup) addDeviation(document int, sum, squares, n float64) {
	g.deviation = true
	for column, x := range []float64{sum, squares, n} {
		g.totals.Add(document, column, x)
	}
}

func (g *estimateGroup) statistic(name any, of func(sums []float64) float64, sums int) estimate {
	n, ok := g.numbers[name]
	if !ok {
		n = len(g.statistics)
		g.numbers[name] = n
		g.statistics = append(g.statistics, estimate{g.width, g.width + sums, of})
		g.width += sums
	}
	return g.statistics[n]
}

// draw computes the intervals of all groups. Those over equally many documents follow each other and share the draws.
func (e *estimates) draw(ctx context.Context, b stat.Bootstrap) error {
	byUnits := map[int][]*estimateGroup{}
	for _, g := range e.groups {
		units := g.totals.Units()
		byUnits[units] = append(byUnits[units], g)
	}
	for _, units := range slices.Sorted(maps.Keys(byUnits)) {
		for _, g := range byUnits[units] {
			if err := g.draw(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw computes the intervals of a group, and lets go of its sums.
func (g *estimateGroup) draw(ctx context.Context, b stat.Bootstrap) error {
	defer func() { g.totals = stat.Totals{} }()
	if g.deviation {
		in, err := g.totals.SkewedJackknife(ctx, b, logDeviationOf)
		in.Low, in.High = math.Exp(in.Low), math.Exp(in.High)
		g.intervals = []stat.Interval{in}
		return err
	}
	var err error
	g.intervals, err = g.totals.Intervals(ctx, b, func(t []float64) []float64 {
		t = append(slices.Clip(t), make([]float64, max(0, g.width-len(t)))...)
		out := make([]float64, len(g.statistics)+1)
		for i, s := range g.statistics {
			if s.of == nil {
				out[i] = t[s.from] / t[0]
			} else {
				out[i] = s.of(t[s.from:s.to])
			}
		}
		out[len(out)-1] = 0 / t[0]
		return out
	})
	if err != nil {
		return err
	}
	g.countDocuments()
	return nil
}

// deviations reports whether a standard deviation has an interval.
func (e *estimates) deviations() bool {
	for _, g := range e.groups {
		if g.deviation && g.intervals[0].Resamples > 0 {
			return true
		}
	}
	return false
}

// countDocuments counts the documents with data of each statistic: those in which the last of its sums, which it is divided by, or
// the base is not 0.
func (g *estimateGroup) countDocuments() {
	documents := append(g.totals.Documents(), make([]int, g.width)...)
	for i := range g.intervals {
		of := 0
		if i < len(g.statistics) && g.statistics[i].of != nil {
			of = g.statistics[i].to - 1
		}
		g.intervals[i].Units = documents[of]
	}
}

// interval returns the interval of a statistic of a group.
func (e *estimates) interval(table string, row, name any) stat.Interval {
	return e.groups[groupKey{table, row}].interval(name)
}

// interval returns the interval of a statistic. A statistic that got nothing is a part that is 0.
func (g *estimateGroup) interval(name any) stat.Interval {
	if g == nil || g.intervals == nil {
		return stat.Interval{}
	}
	n, ok := g.numbers[name]
	if !ok {
		n = len(g.statistics)
	}
	return g.intervals[n]
}

// estimated returns a cell with the interval of its value, which [addIntervals] shows.
func estimated(v float64, in stat.Interval) Cell {
	if math.IsNaN(v) {
		in = stat.Interval{}
	}
	return Cell{Value: v, interval: in}
}

// addIntervals shows the intervals of cells, and removes them from the cells. If one column of a table has intervals,
// or the table is that of a figure, the bounds stand beside the values. Otherwise they have a table of their own,
// after that of the values. A table with too many columns is long instead. documents is the number of documents of
// the campaign.
func addIntervals(sections []Section, documents int) {
	for i := range sections {
		s := &sections[i]
		var tables []Table
		for _, t := range s.Tables {
			switch n := t.columnsWithIntervals(); {
			case n > 1 && t.numericColumns() > mostColumns && !t.matrix && t.alike():
				tables = append(tables, t.long(documents))
			case n > 1:
				apart := t.intervals(t.haveIntervals(), drawnNote(documents, t.cellIntervals()))
				if apart.numericColumns() > mostColumns && t.alike() {
					long := t.long(documents)
					long.ID, long.Title, long.Caption = apart.ID, apart.Title, apart.Caption
					apart = long
				}
				t.numberColumns()
				tables = append(tables, t, apart)
			default:
				t.insertIntervals(documents)
				t.numberColumns()
				tables = append(tables, t)
			}
			t.removeIntervals()
		}
		for k := range s.Figures {
			f := &s.Figures[k]
			if !slices.ContainsFunc(s.Tables, func(t Table) bool { return t.ID == f.Table.ID }) {
				f.Table.insertIntervals(documents)
			}
			f.Table.removeIntervals()
		}
		s.Tables = tables
	}
}

// insertIntervals puts two columns after each column that has intervals.
func (t *Table) insertIntervals(documents int) {
	has := t.haveIntervals()
	several := t.columnsWithIntervals() > 1
	var columns []Column
	for i, c := range t.Columns {
		columns = append(columns, c)
		if has[i] {
			heading := intervalName()
			if several {
				heading = c.Name + ": " + heading
			}
			c.Name = heading
			columns = append(columns, bounds([]Column{c})...)
		}
	}
	if len(columns) == len(t.Columns) {
		return
	}
	rows := make([]Row, len(t.Rows))
	for i, r := range t.Rows {
		rows[i] = r
		rows[i].Cells = nil
		for k, c := range r.Cells {
			rows[i].Cells = append(rows[i].Cells, c)
			if has[k] {
				rows[i].Cells = append(rows[i].Cells, c.limits(t.Columns[k].Kind)...)
			}
		}
	}
	t.Columns, t.Rows, t.Note = columns, rows, strings.TrimSpace(t.Note+" "+drawnNote(documents, t.cellIntervals()))
}

// intervals returns the table of the intervals in some columns. note says how they come about.
func (t Table) intervals(has []bool, note string) Table {
	out := Table{ID: t.ID + "-intervals", Title: t.Title + ": intervals",
		Caption: intervalName() + "s of the values in the table “" + t.Title + "”.", Note: note}
	for i, c := range t.Columns {
		if has[i] {
			out.addColumns(bounds([]Column{c}))
		} else if c.Kind == Text {
			out.Columns = append(out.Columns, c)
		}
	}
	for _, r := range t.Rows {
		row := Row{RuleAfter: r.RuleAfter, Total: r.Total}
		for i, c := range r.Cells {
			if has[i] {
				row.Cells = append(row.Cells, c.limits(t.Columns[i].Kind)...)
			} else if t.Columns[i].Kind == Text {
				row.Cells = append(row.Cells, c)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// limits returns the bounds of the interval of a cell in a column of a kind.
func (c Cell) limits(kind Kind) []Cell {
	if c.Blank {
		return []Cell{{Blank: true}, {Blank: true}}
	}
	return limits(kind, c.interval)
}

// cellIntervals lists the intervals of all cells.
func (t Table) cellIntervals() (all []stat.Interval) {
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			all = append(all, c.interval)
		}
	}
	return all
}

// haveIntervals says which columns have a cell with an interval.
func (t Table) haveIntervals() []bool {
	has := make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for i, c := range r.Cells {
			has[i] = has[i] || c.interval.Resamples > 0
		}
	}
	return has
}

func (t Table) columnsWithIntervals() (n int) {
	for _, has := range t.haveIntervals() {
		if has {
			n++
		}
	}
	return n
}

func (t Table) removeIntervals() {
	for _, r := range t.Rows {
		for i := range r.Cells {
			r.Cells[i].interval = stat.Interval{}
		}
	}
}
