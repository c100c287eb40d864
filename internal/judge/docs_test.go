package judge

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestDocs checks that the tables of docs/judges.md describe every method and every variant correctly.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/judges.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Methods() {
		scale, spans := fmt.Sprintf("%g to %g", m.Scale.Lowest, m.Scale.Highest), "no"
		if math.IsInf(m.Scale.Lowest, -1) {
			scale = fmt.Sprintf("%g and below", m.Scale.Highest)
		}
		if m.Spans {
			spans = "yes"
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s | %d, %d, %d |\n", m.Name, m.Title, scale, spans, m.Calls.Least, m.Calls.Usual, m.Calls.Most)
		if !strings.Contains(string(b), row) {
			t.Errorf("docs/judges.md lacks the row %s", row)
		}
		for _, v := range m.Variants {
			if begin, end := fmt.Sprintf("\n| `%s` | `%s` | ", m.Name, v.Name), fmt.Sprintf(" | %d |\n", v.Calls.Usual); !hasRow(string(b), begin, end) {
				t.Errorf("docs/judges.md lacks a row that begins %q and ends %q", begin, end)
			}
		}
	}
}

// hasRow reports whether a text has a table row with a given beginning and end.
func hasRow(text, begin, end string) bool {
	_, rest, found := strings.Cut(text, begin)
	row, _, _ := strings.Cut(rest, "\n")
	return found && strings.HasSuffix(row+"\n", end)
}
