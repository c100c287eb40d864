package judge

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestDocs checks that the table of docs/judges.md has every method as it is.
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
	}
}
