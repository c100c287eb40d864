package report

import (
	"strings"
	"testing"
)

// TestFewUnits: an interval from fewer than 15 documents carries a warning.
func TestFewUnits(t *testing.T) {
	clusters := func(n int) [][]int {
		out := make([][]int, n)
		for i := range out {
			out[i] = []int{2 * i, 2*i + 1}
		}
		return out
	}
	for n, warns := range map[int]bool{2: true, 14: true, 15: false, 50: false} {
		if got := resamplingNote(clusters(n), 2*n); strings.Contains(got, "Warning") != warns {
			t.Errorf("%d documents: %s", n, got)
		}
		if got := drawnNote(n, nil); strings.Contains(got, "Warning") != warns {
			t.Errorf("%d documents: %s", n, got)
		}
	}
}

// TestPairedTable: p below 0.05 has an asterisk, and documents are the units.
func TestPairedTable(t *testing.T) {
	var rows [][]float64
	for _, better := range []float64{2, 1.8, 0} {
		row := make([]float64, 16)
		for k := range row {
			row[k] = better
			if k%4 == 0 {
				row[k]++ // in every other document
			}
		}
		rows = append(rows, row)
	}
	rows[1][0], rows[1][2], rows[1][4], rows[1][6] = 9, 9, 9, 9 // better than the first system in half of the documents
	units := make([][]int, 8)
	for k := range rows[0] {
		units[k/2] = append(units[k/2], k)
	}
	h := &humanScores{name: "sqm", label: "SQM"}
	table, err := h.pairedTable(t.Context(), Options{Resamples: 1000, Seed: 1}, []rankedSystem{{system: "x"}, {system: "y"}, {system: "z"}}, []string{"x", "y", "z"}, rows, units)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.Note, "whole documents") || !strings.Contains(table.Note, "8 documents can give is 0.0078") {
		t.Errorf("the note is %s", table.Note)
	}
	for i, row := range table.Rows {
		for j, cell := range row.Cells[1:] {
			switch {
			case j <= i:
				if !cell.Blank {
					t.Errorf("row %d, column %d: %+v", i, j, cell)
				}
			case cell.Significant != (j == 2) || cell.Significant != (cell.Value < 0.05):
				t.Errorf("row %d, column %d: %+v", i, j, cell)
			}
		}
	}
}
