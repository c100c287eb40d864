package report_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"annotate/internal/report"
)

// checkForm checks the properties of a report that its writers rely on.
func checkForm(t *testing.T, r report.Report) {
	t.Helper()
	tables, figures := map[string]bool{}, map[string]bool{}
	for _, s := range r.Sections {
		if s.Title == "" || s.Note == "" || len(s.Paragraphs) == 0 {
			t.Errorf("section %s lacks a title, a note or text", s.ID)
		}
		for _, text := range append([]string{s.Note}, s.Paragraphs...) {
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "NaN") || strings.Contains(text, "  ") {
				t.Errorf("section %s: %q", s.ID, text)
			}
		}
		for _, table := range s.Tables {
			if tables[table.ID] {
				t.Errorf("two tables are called %s", table.ID)
			}
			tables[table.ID] = true
			checkTable(t, table)
		}
		for _, f := range s.Figures {
			if figures[f.ID] {
				t.Errorf("two figures are called %s", f.ID)
			}
			figures[f.ID] = true
			checkFigure(t, f)
		}
	}
	var kept bytes.Buffer
	if err := gob.NewEncoder(&kept).Encode(r); err != nil {
		t.Fatalf("a report can't be kept: %v", err)
	}
	var back report.Report
	if err := gob.NewDecoder(&kept).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%+v", back.Tables()) != fmt.Sprintf("%+v", r.Tables()) {
		t.Error("a report changes when it is kept")
	}
}

var fitID = regexp.MustCompile(`^[a-z0-9]+(-+[a-z0-9]+)*$`)

func checkTable(t *testing.T, table report.Table) {
	t.Helper()
	if !fitID.MatchString(table.ID) || table.Title == "" || table.Caption == "" || len(table.Rows) == 0 {
		t.Errorf("table %q lacks an id, a title, a caption or rows", table.ID)
	}
	for i, row := range table.Rows {
		if len(row.Cells) != len(table.Columns) {
			t.Errorf("table %s, row %d has %d cells for %d columns", table.ID, i, len(row.Cells), len(table.Columns))
			continue
		}
		for c, cell := range row.Cells {
			numeric := table.Columns[c].Kind.Numeric()
			if !numeric && cell.Value != 0 || numeric && cell.Text != "" || math.IsInf(cell.Value, 0) {
				t.Errorf("table %s, row %d, %s: %+v", table.ID, i, table.Columns[c].Name, cell)
			}
			if numeric && table.Columns[c].Kind == report.Count && !math.IsNaN(cell.Value) && cell.Value != math.Trunc(cell.Value) {
				t.Errorf("table %s, row %d, %s is no count: %v", table.ID, i, table.Columns[c].Name, cell.Value)
			}
		}
	}
}

func checkFigure(t *testing.T, f report.Figure) {
	t.Helper()
	if !fitID.MatchString(f.ID) || f.Title == "" || f.Caption == "" || !strings.HasSuffix(f.Words, ".") || strings.Contains(f.Words, "NaN") {
		t.Errorf("figure %q lacks an id, a title, a caption or words: %q", f.ID, f.Words)
	}
	checkTable(t, f.Table)
	drawn := func(row, column int, v float64) {
		if got := f.Table.Rows[row].Cells[column].Value; got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
			t.Errorf("figure %s: %v is drawn where the table has %v", f.ID, v, got)
		}
	}
	switch f.Kind {
	case report.HeatmapFigure:
		for i := range f.Heatmap.Rows {
			if len(f.Heatmap.Values[i]) != len(f.Heatmap.Columns) || len(f.Heatmap.Shared[i]) != len(f.Heatmap.Columns) {
				t.Errorf("figure %s: row %d is not as wide as its columns", f.ID, i)
			}
		}
		row := 0
		for i := range f.Heatmap.Rows {
			for j := i + 1; j < len(f.Heatmap.Rows); j++ {
				drawn(row, 2, f.Heatmap.Values[i][j])
				drawn(row, 2, f.Heatmap.Values[j][i])
				drawn(row, 3, float64(f.Heatmap.Shared[i][j]))
				row++
			}
		}
	case report.HistogramsFigure:
		for k, p := range f.Panels {
			n := 0
			for i, b := range p.Bins {
				n += b.Count
				drawn(i, k+1, float64(b.Count))
			}
			if n != p.N || len(p.Bins) != len(f.Panels[0].Bins) {
				t.Errorf("figure %s, %s: %d in bins, %d in all", f.ID, p.Title, n, p.N)
			}
		}
	case report.LinesFigure:
		for _, line := range f.Lines {
			if len(line.X) != len(line.Y) || len(line.X) == 0 {
				t.Errorf("figure %s, %s: %d x, %d y", f.ID, line.Name, len(line.X), len(line.Y))
			}
		}
	case report.BarsFigure:
		for _, s := range f.Bars.Series {
			if len(s.Values) != len(f.Bars.Labels) {
				t.Errorf("figure %s, %s: %d values for %d labels", f.ID, s.Name, len(s.Values), len(f.Bars.Labels))
			}
		}
	default:
		t.Errorf("figure %s is of no known kind", f.ID)
	}
}
