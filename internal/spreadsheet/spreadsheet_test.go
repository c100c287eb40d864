package spreadsheet

import (
	"strings"
	"testing"
)

func TestCell(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx",
		"'tis": "'tis", "'=1": "''=1", "''": "''", " =1": " =1", "a=1": "a=1", "é=": "é="} {
		if got := Cell(text); got != want {
			t.Errorf("Cell(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzCell: Text restores every text, and no cell begins a formula.
func FuzzCell(f *testing.F) {
	for _, text := range []string{"", "'", "'=", "''=", "=", "-1", "'-", "'tis", "\t", "é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := Cell(text)
		if Text(cell) != text {
			t.Errorf("%q became %q and then %q", text, cell, Text(cell))
		}
		if cell != "" && strings.IndexByte(formulas, cell[0]) >= 0 {
			t.Errorf("%q became the formula %q", text, cell)
		}
	})
}
