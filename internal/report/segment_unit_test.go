package report_test

import (
	"strings"
	"testing"

	"annotate/internal/report"
)

// TestReportOfSegments: where segments are rated, the report speaks of no translations and systems, and where answers are
// compared, of no r.
func TestReportOfSegments(t *testing.T) {
	r := compute(t, inspected(t))
	data, _ := r.Section(report.DataSection)
	if words := strings.Join(data.Paragraphs, " "); strings.Contains(words, "translat") || strings.Contains(words, "system") {
		t.Errorf("the data: %s", words)
	}
	for _, table := range data.Tables {
		if table.ID == "systems-data" {
			t.Error("there is a table of systems")
		}
	}
	agreement, _ := r.Section(report.AgreementSection)
	if !strings.Contains(agreement.Note, "the answers of every pair have to be equal") || strings.Contains(agreement.Note, "Pearson") {
		t.Errorf("the gate: %s", agreement.Note)
	}
	var reasons []string
	for _, table := range agreement.Tables {
		if table.ID == "gate-reasons" {
			for _, row := range table.Rows {
				reasons = append(reasons, row.Cells[0].Text)
			}
		}
	}
	if all := strings.Join(reasons, "; "); all != "answers are equal; answers differ" {
		t.Errorf("the reasons are %s", all)
	}
}
