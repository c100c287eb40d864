package spreadsheet

import (
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx",
		"'tis": "'tis", "'=1": "''=1", "''": "''", " =1": " =1", "a=1": "a=1", "é=": "é="} {
		if got := Escape(text); got != want {
			t.Errorf("Escape(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzEscape: Unescape restores every text, and no cell begins a formula.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{"", "'", "'=", "''=", "=", "-1", "'-", "'tis", "\t", "é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := Escape(text)
		if Unescape(cell) != text {
			t.Errorf("%q became %q and then %q", text, cell, Unescape(cell))
		}
		if cell != "" && strings.IndexByte(formulas, cell[0]) >= 0 {
			t.Errorf("%q became the formula %q", text, cell)
		}
	})
}
