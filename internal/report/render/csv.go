package render

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"annotate/internal/report"
	"annotate/internal/spreadsheet"
)

// CSV writes a table with one row of headings, in which groups come before the
// name ("segment acc_t"), and values at full precision: the shortest digits that
// give the same number again, shares and hundredths as the number itself and not
// times 100. An undefined or absent value is an empty field. Texts that a
// spreadsheet would take for a formula get an apostrophe before them.
func CSV(w io.Writer, t report.Table) error {
	out := csv.NewWriter(w)
	record := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		record[i] = spreadsheet.Cell(strings.Join(append(append([]string(nil), c.Group...), c.Name), " "))
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i, cell := range row.Cells {
			record[i] = ""
			switch {
			case t.Columns[i].Kind == report.Text:
				record[i] = spreadsheet.Cell(cell.Text)
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
