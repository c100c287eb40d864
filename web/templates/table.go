package templates

import (
	"github.com/a-h/templ"

	"annotate/internal/chart"
)

// A Table is what stands around the rows of a table.
type Table struct {
	Label   string          // of the region in which the table can be moved
	Class   string          // beside "table"; may be empty
	Caption string          // read out before the table
	Long    bool            // it can be moved up and down, too
	Foot    templ.Component // <tfoot> with rows below the others; may be nil
}

// A Head is the head of a column.
type Head struct {
	Label  string
	Class  string          // "num" for numbers
	Sort   string          // how the rows are sorted by it, as aria-sort has it; empty: not
	Href   string          // sorts the rows by it; empty: they can't be
	Hidden bool            // it is only read out
	Cell   templ.Component // in place of all this; may be nil
}

func ColumnHead(label string) Head { return Head{Label: label} }

// NumHead is the head of a column of numbers.
func NumHead(label string) Head { return Head{Label: label, Class: "num"} }

// HiddenHead is the head of a column that can be told from its cells.
func HiddenHead(label string) Head { return Head{Label: label, Hidden: true} }

// Up is the head of the column that the rows are sorted by, the smallest first.
func (h Head) Up() Head { return h.Sorted(false) }

// Down is up with the largest first.
func (h Head) Down() Head { return h.Sorted(true) }

func (h Head) Sorted(down bool) Head {
	h.Sort = "ascending"
	if down {
		h.Sort = "descending"
	}
	return h
}

// By makes the head a link that sorts the rows.
func (h Head) By(href string) Head {
	h.Href = href
	return h
}

func dayHeads(c chart.Days) []Head {
	out := []Head{ColumnHead("Day").Up(), NumHead(c.Label)}
	if !c.Bars {
		out = append(out, NumHead("Formed from"))
	}
	return out
}

// histogramHeads are the heads of the numbers of histograms, a column for each bin.
func histogramHeads(h chart.Histograms) []Head {
	out := []Head{ColumnHead(h.Whose)}
	for _, b := range h.Bins {
		out = append(out, NumHead(b))
	}
	return append(out, NumHead("All"))
}
