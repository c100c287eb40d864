package ingest

import (
	"testing"
)

// TestNoteForms: a note has the form of its count, and keeps what stands in quotation marks.
func TestNoteForms(t *testing.T) {
	for _, tt := range []struct {
		note Note
		want string
	}{
		{Note{Text: "{row|rows} left out", Count: 1, File: "f", Line: 3}, "1 row left out, first at f:3"},
		{Note{Text: "{row that has|rows that have} no id", Count: 2, File: "f", Line: 3}, "2 rows that have no id, first at f:3"},
		{Note{Text: `{key|keys} "a\"{x|y}" ignored`, Count: 1, File: "f", Line: 3}, `1 key "a\"{x|y}" ignored, first at f:3`},
		{Note{Text: "{column|columns} left out", Count: 2, File: "f", Line: 1, Names: []string{"A"}}, "2 columns left out, first at f:1: A and 1 more"},
	} {
		if got := tt.note.String(); got != tt.want {
			t.Errorf("%+v reads %q, want %q", tt.note, got, tt.want)
		}
	}
}
