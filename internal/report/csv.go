package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"annotate/internal/spreadsheet"
)

// CSV writes a table with one row of headings. Groups precede the name ("segment acc_t").
// Values have full precision: the fewest digits that give the same float64. Shares and
// hundredths are not multiplied by 100. An undefined or blank value is an empty field. A
// text that a spreadsheet would run as a formula gets an apostrophe before it.
func CSV(w io.Writer, t Table) error {
	out := csv.NewWriter(w)
	record := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		record[i] = spreadsheet.Escape(joinedHeading(c, c.Name))
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i, cell := range row.Cells {
			record[i] = ""
			switch {
			case t.Columns[i].Kind == Text:
				record[i] = spreadsheet.Escape(cell.Text)
			case !cell.Blank && !math.IsNaN(cell.Value):
				record[i] = strconv.FormatFloat(cell.Value, 'f', -1, 64)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
