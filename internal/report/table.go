package report

import "math"

// A Table is one table as plain values.
type Table struct {
	ID      string // unique in the report; letters, digits and hyphens, fit for a file name
	Title   string // a few words
	Caption string // what a reader of the table alone needs
	Note    string // below it: from what it was computed, what is undefined; may be empty
	Columns []Column
	Rows    []Row
}

// A Kind says what the cells of a column hold, and how they are written.
type Kind string

// The kinds of columns.
const (
	Text       Kind = "text"
	Number     Kind = "number"     // with Decimals
	Count      Kind = "count"      // whole
	Share      Kind = "share"      // of 1; written times 100 with "%" and Decimals
	Hundredths Kind = "hundredths" // written times 100 with Decimals and without "%", as the field prints correlations
)

// Numeric reports whether cells hold a value and stand right.
func (k Kind) Numeric() bool { return k != Text }

// Scale is what values are multiplied with where they are written: 1 or 100.
func (k Kind) Scale() float64 {
	if k == Share || k == Hundredths {
		return 100
	}
	return 1
}

// A Better says which way a column's values are good.
type Better string

// The directions; the field marks them with an arrow.
const (
	Neither Better = ""
	Higher  Better = "higher" // ↑
	Lower   Better = "lower"  // ↓
)

// A Column is a column of a [Table].
type Column struct {
	Name     string
	Group    []string // of headings above the name, outermost first; neighbours with equal ones share a cell
	Kind     Kind
	Decimals int
	Better   Better
}

// A Row has a cell for each column.
type Row struct {
	Cells []Cell
	// RuleAfter asks for a line below the row: between clusters, or before a total.
	RuleAfter bool
	Total     bool // sums up rows, such as "overall"
}

// A Mark sets off the best values of a column.
type Mark int

// The marks, by place among the different values of a column.
const (
	NoMark Mark = iota
	Best
	Second
	Third
)

// A Cell is a text, in a column of texts, or a value: NaN is undefined, and written
// "–".
type Cell struct {
	Text        string
	Value       float64
	Blank       bool // there is nothing to have a value, such as on a matrix' diagonal: written as nothing
	Mark        Mark
	Significant bool // the value differs significantly from zero, as the table's note says
}

// text and value make cells.
func text(s string) Cell { return Cell{Text: s} }

func value(v float64) Cell { return Cell{Value: v} }

func count(n int) Cell { return Cell{Value: float64(n)} }

// undefined stands for a value that is not defined.
var undefined = math.NaN()

// mark sets off the best, second and third of the different values in each column
// that has a direction. Rows that are totals have no part.
func (t *Table) mark() {
	for c, column := range t.Columns {
		if column.Better == Neither {
			continue
		}
		var places []float64 // of the three best different values, best first
		t.eachValue(c, func(cell *Cell) { places = place(places, cell.Value, column.Better) })
		t.eachValue(c, func(cell *Cell) {
			for i, v := range places {
				if same(v, cell.Value) {
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

// same takes values for equal that differ by rounding alone.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) }

// place puts v among the three best different values.
func place(best []float64, v float64, better Better) []float64 {
	for i, b := range best {
		switch {
		case same(b, v):
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
