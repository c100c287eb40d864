package report

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// Two annotators decide on the same two suggestions; the one of anna3 is not in the campaign.
func TestFatesOfSuggestions(t *testing.T) {
	tr := campaign.Translation{Suggested: &protocol.Suggestions{Origin: "XCOMET", Spans: []protocol.ErrorSpan{{ID: "1", Category: "Style"}, {ID: "2"}}}}
	decided := func(annotator string, became ...protocol.Became) campaign.Rating {
		r := campaign.Rating{Annotator: annotator}
		for i, b := range became {
			r.Suggestions = append(r.Suggestions, protocol.Outcome{ID: string(rune('1' + i)), Became: b})
		}
		return r
	}
	f := fates{}
	f.add(&estimates{}, 0, tr, decided("anna1", protocol.Accepted, protocol.Rejected))
	f.add(&estimates{}, 0, tr, decided("anna2", protocol.Changed, protocol.Rejected))
	f.add(&estimates{}, 0, campaign.Translation{}, decided("anna3", protocol.Rejected))
	want := [][]any{
		{"Annotator", "anna1", 2, 1, 0, 1, 0.5},
		{"Annotator", "anna2", 2, 0, 1, 1, 0.5},
		{"Annotator", "anna3", 1, 0, 0, 1, 0.0},
		{"Category", noCategory, 2, 0, 0, 2, 0.0},
		{"Category", "Style", 2, 1, 1, 0, 1.0},
		{"Origin", "XCOMET", 4, 1, 1, 2, 0.5},
	}
	got := f.table(&estimates{}).Rows
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d: %v", len(got), len(want), got)
	}
	for i, row := range want {
		for j, cell := range row {
			switch c := got[i].Cells[j]; cell := cell.(type) {
			case string:
				if c.Text != cell {
					t.Errorf("row %d, column %d is %q, want %q", i, j, c.Text, cell)
				}
			case int:
				if c.Value != float64(cell) {
					t.Errorf("row %d, column %d is %v, want %d", i, j, c.Value, cell)
				}
			case float64:
				if c.Value != cell {
					t.Errorf("row %d, column %d is %v, want %v", i, j, c.Value, cell)
				}
			}
		}
	}
}
