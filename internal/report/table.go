package report

import (
	"math"
	"slices"
	"strings"

	"annotate/internal/stat"
)

// A Table is a table as plain values.
type Table struct {
	ID      string // unique in the report; letters, digits and hyphens, so that it can be a file name
	Title   string // a few words
	Caption string // explains the table to a reader who sees only the table
	Note    string // shown below the table: its data, and what is undefined; may be empty
	Scope   string // what the section of the table says of its data, for the caption where the table stands alone; may be empty
	Columns []Column
	Rows    []Row

	across string // what the columns of values are about, as a heading where a long table has a row for each of them
	matrix bool   // the columns of values have the names of the first rows
}

// aloneCaption is the caption of a table that stands alone.
func (t Table) aloneCaption() string { return strings.TrimSpace(t.Caption + " " + t.Scope) }

// A Kind says what the cells of a column contain and how they are written.
type Kind string

// The kinds of columns.
const (
	Text       Kind = "text"
	Number     Kind = "number"     // a number, written with Decimals
	Count      Kind = "count"      // a whole number
	Share      Kind = "share"      // a share in [0, 1], written times 100 with Decimals and "%"
	PValue     Kind = "p"          // a p-value, written with Decimals, and as "<0.001" where these are all 0
	Hundredths Kind = "hundredths" // a number written times 100 with Decimals and without "%", as the field prints correlations
)

// Numeric reports whether cells contain a value, which is aligned to the right.
func (k Kind) Numeric() bool { return k != Text }

// Scale is the factor by which values are multiplied when they are written: 1 or 100.
func (k Kind) Scale() float64 {
	if k == Share || k == Hundredths {
		return 100
	}
	return 1
}

// A Better says whether higher or lower values of a column are better.
type Better string

// The directions. Column heads show them as arrows.
const (
	Neither Better = ""
	Higher  Better = "higher" // ↑
	Lower   Better = "lower"  // ↓
)

// A Column is a column of a [Table].
type Column struct {
	Name     string
	Group    []string // the headings above the name, outermost first; neighbours with the same heading share a cell
	Kind     Kind
	Decimals int
	Better   Better
}

// A Row has a cell for each column.
type Row struct {
	Cells []Cell
	// RuleAfter draws a line below the row, between clusters or before a total.
	RuleAfter bool
	Total     bool // the row is a sum or mean of other rows
}

// A Mark highlights one of the best values of a column.
type Mark int

// The marks, by rank among the different values of a column.
const (
	NoMark Mark = iota
	Best
	Second
	Third
)

// A Cell contains a text in a column of texts, or else a value. The value NaN is
// undefined and is written "–".
type Cell struct {
	Text        string
	Value       float64
	Blank       bool // the cell has no value by its nature, such as on the diagonal of a matrix; nothing is written
	Mark        Mark
	Significant bool // the value is significant by the test that the table's note names
	// Link is the part after /campaigns/ of the address that lists the segments that the value counts. It is
	// empty if there is no such list. Only pages of a server use it.
	Link     string
	interval stat.Interval // of the value, until [addIntervals] shows it
}

// The columns of a table are joined from columns of one kind, which these functions make from their names:
// texts, counts, numbers, shares, hundredths and pValues. The first argument of some is the number of decimals. under
// puts a heading above columns, and higher and lower say which values are better.

// columnsOf returns columns of one kind.
func columnsOf(kind Kind, decimals int, names ...string) (columns []Column) {
	for _, name := range names {
		columns = append(columns, Column{Name: name, Kind: kind, Decimals: decimals})
	}
	return columns
}

func texts(names ...string) []Column { return columnsOf(Text, 0, names...) }

func counts(names ...string) []Column { return columnsOf(Count, 0, names...) }

func numbers(decimals int, names ...string) []Column { return columnsOf(Number, decimals, names...) }

func shares(names ...string) []Column { return columnsOf(Share, 1, names...) }

func hundredths(names ...string) []Column { return columnsOf(Hundredths, 1, names...) }

func pValues(decimals int, names ...string) []Column { return columnsOf(PValue, decimals, names...) }

// under puts a heading above all other headings of columns.
func under(heading string, columns ...[]Column) []Column {
	all := slices.Concat(columns...)
	for i := range all {
		all[i].Group = append([]string{heading}, all[i].Group...)
	}
	return all
}

// toward sets the direction of better values of columns, which it returns.
func toward(better Better, columns []Column) []Column {
	for i := range columns {
		columns[i].Better = better
	}
	return columns
}

func higher(columns []Column) []Column { return toward(Higher, columns) }

func lower(columns []Column) []Column { return toward(Lower, columns) }

// addColumns adds columns to those that the table has.
func (t *Table) addColumns(columns ...[]Column) {
	t.Columns = append(t.Columns, slices.Concat(columns...)...)
}

// add adds a row.
func (t *Table) add(cells ...Cell) { t.Rows = append(t.Rows, Row{Cells: cells}) }

// addTotal adds a sum or mean of the rows above.
func (t *Table) addTotal(cells ...Cell) {
	t.rule()
	t.Rows = append(t.Rows, Row{Cells: cells, Total: true})
}

// addMatrix adds the columns, and a row for each of them with its name.
func (t *Table) addMatrix(columns []Column, cell func(row, column int) Cell) {
	t.addColumns(columns)
	for i, c := range columns {
		row := []Cell{text(c.Name)}
		for k := range columns {
			row = append(row, cell(i, k))
		}
		t.add(row...)
	}
}

// rule draws a line below the last row, if there is one.
func (t *Table) rule() {
	if last := len(t.Rows) - 1; last >= 0 {
		t.Rows[last].RuleAfter = true
	}
}

func text(s string) Cell { return Cell{Text: s} }

func value(v float64) Cell { return Cell{Value: v} }

func count(n int) Cell { return Cell{Value: float64(n)} }

// blank is a cell that has no value by its nature.
var blank = Cell{Blank: true, Value: undefined}

// undefined is the value of undefined numbers.
var undefined = math.NaN()

// markBest marks the best, second and third of the different values in each column that
// has a direction. It ignores rows of totals.
func (t *Table) markBest() {
	for c, column := range t.Columns {
		if column.Better == Neither {
			continue
		}
		var highest []float64 // the three best different values, best first
		t.eachValue(c, func(cell *Cell) { highest = insertDistinct(highest, cell.Value, column.Better) })
		t.eachValue(c, func(cell *Cell) {
			for i, v := range highest {
				if nearlyEqual(v, cell.Value) {
					cell.Mark = Mark(i + 1)
				}
			}
		})
	}
}

// eachValue calls do with the cells of a column that have a value.
func (t *Table) eachValue(column int, do func(*Cell)) {
	for _, row := range t.Rows {
		if cell := &row.Cells[column]; !row.Total && !cell.Blank && !math.IsNaN(cell.Value) {
			do(cell)
		}
	}
}

// nearlyEqual reports whether two values differ at most by rounding.
func nearlyEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) }

// insertDistinct inserts v into the three best different values, unless it is among
// them.
func insertDistinct(best []float64, v float64, better Better) []float64 {
	for i, b := range best {
		switch {
		case nearlyEqual(b, v):
			return best
		case better == Higher && v > b, better == Lower && v < b:
			best = append(best[:i:i], append([]float64{v}, best[i:]...)...)
			return best[:min(len(best), 3)]
		}
	}
	if len(best) < 3 {
		best = append(best, v)
	}
	return best
}
