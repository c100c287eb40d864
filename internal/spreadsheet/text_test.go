package spreadsheet

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzText checks that cells that are written as CSV are read as they were.
func FuzzText(f *testing.F) {
	f.Add("source", "A", "x")
	f.Add("", "\"", "a\"b\n")
	f.Add(" a ", "=1,2;3\t4", "é\r\nb")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		want := []string{a, b, c}
		for _, cell := range want {
			if !utf8.ValidString(cell) || strings.ContainsRune(cell, 0) {
				return // no cell can have this text
			}
		}
		var file bytes.Buffer
		file.WriteString("sep=,\n")
		w := csv.NewWriter(&file)
		if err := w.Write(want); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		book, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()), "a.csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, problems := readAll(t, book, 0)
		for len(want) > 0 && want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		var got []string
		for _, row := range rows {
			if row.Number != 2 || row.Line != 2 {
				t.Errorf("row %d on line %d", row.Number, row.Line)
			}
			for _, cell := range row.Cells {
				got = append(got, cell.Text)
			}
		}
		if len(problems) > 0 || strings.Join(got, "\x00") != strings.Join(want, "\x00") || len(got) != len(want) {
			t.Errorf("%q was read as %q, %q", want, got, problems)
		}
	})
}

// TestDeclaredDivider: a first line names what divides the columns, whatever ends it, and counts as
// a row.
func TestDeclaredDivider(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		text := "sep=:" + end + "source:A, B" + end + "eins:one" + end
		b, err := Open(strings.NewReader(text), int64(len(text)), "a.csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, problems := readAll(t, b, 0)
		if len(problems) > 0 || len(rows) != 2 || rows[0].Number != 2 || rows[0].Line != 2 || len(rows[0].Cells) != 2 || rows[0].Cells[1].Text != "A, B" || rows[1].Cells[1].Text != "one" {
			t.Errorf("lines that end in %q: %v, problems %v", end, rows, problems)
		}
	}
}
