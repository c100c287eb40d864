package report_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/report"
)

// checkedTwo are an annotator who passes all checks, and one who does not read.
func checkedTwo() []report.Checked {
	scores, rule := []float64{0, 1, 2, 3, 4, 3, 2, 3}, campaign.CheckRule{Margin: 1, Tolerance: 0.5, High: 4, Step: 1}
	judge := func(score func(i int) float64) (out []campaign.CheckItem) {
		for i := range 12 {
			degraded, repeat := "d"+strconv.Itoa(i), "r"+strconv.Itoa(i)
			out = append(out, campaign.CheckItem{Kind: campaign.DegradedCheck, Score: score(i), Against: 3, Document: degraded, Source: degraded, Original: degraded},
				campaign.CheckItem{Kind: campaign.RepeatCheck, Score: 3, Against: 3, Document: repeat, Source: repeat, Original: repeat})
		}
		return out
	}
	return []report.Checked{
		{Annotator: "a", Results: campaign.JudgeChecks(scores, judge(func(int) float64 { return 0 }), rule, 0.05)},
		{Annotator: "b", Results: campaign.JudgeChecks(scores, judge(func(i int) float64 { return float64(3 * min(i, 1)) }), rule, 0.05)},
		{Annotator: "c", Results: campaign.JudgeChecks(scores, judge(func(int) float64 { return 0 })[:2], rule, 0.05)},
		{Annotator: "d", Results: campaign.JudgeChecks(scores, nil, rule, 0.05)}, // no check of theirs can be judged yet
	}
}

func TestChecksTable(t *testing.T) {
	in := report.Input{Campaign: newCampaign(t, "sqm"), Segments: all([]campaign.Segment{sqmSegment("s1", campaign.Agreed, []float64{0, 2, 4}, []float64{1, 2, 3})}), Options: report.Options{Resamples: 10}}
	without := compute(t, in)
	in.Checked = checkedTwo()
	with := compute(t, in)

	s, _ := with.Section(report.AgreementSection)
	const words = "3 annotators took 50 checks that can be judged and passed 78.0% (39 of 50) of them."
	if !slices.Contains(s.Paragraphs, words) {
		t.Errorf("the section says %q, want %q", s.Paragraphs, words)
	}
	table := findTable(with, "checks")
	if table == nil || len(table.Rows) != 9 {
		t.Fatalf("the table is %+v", table)
	}
	var got []string
	for i, row := range table.Rows {
		got = append(got, strings.Join([]string{row.Cells[0].Text, row.Cells[1].Text, row.Cells[9].Text}, " "))
		r := in.Checked[i/3].Results[i%3]
		if row.Cells[2].Value != float64(r.Taken) || row.Cells[3].Value != float64(r.Passed) || row.Cells[4].Value != float64(r.Taken)*r.Chance || row.Cells[5].Value != float64(r.Documents) || row.Cells[6].Value != float64(r.DocumentsPassed) || row.Cells[7].Value != r.P || row.Cells[8].Value != r.Careful || math.IsNaN(r.P) {
			t.Errorf("row %d is %+v, the checks say %+v", i, row, r)
		}
	}
	want := []string{"a all ", "a degraded no", "a repeat ", "b all ", "b degraded fails checks", "b repeat ", "c all too few", "c degraded ", "c repeat "}
	if !slices.Equal(got, want) {
		t.Errorf("rows are %q, want %q", got, want)
	}

	// Nothing else changes.
	for i := range with.Sections {
		s := &with.Sections[i]
		s.Tables = slices.DeleteFunc(s.Tables, func(t report.Table) bool { return t.ID == "checks" })
		s.Paragraphs = slices.DeleteFunc(s.Paragraphs, func(p string) bool { return p == words })
	}
	if got, want := fmt.Sprintf("%+v", with), fmt.Sprintf("%+v", without); got != want {
		t.Errorf("with checks:\n%s\nwithout:\n%s", got, want)
	}
	if findTable(without, "checks") != nil {
		t.Error("a campaign without checks has a table of them")
	}
	in.Checked = checkedTwo()[3:]
	if findTable(compute(t, in), "checks") != nil {
		t.Error("a campaign without a judged check has a table of them")
	}
}

func findTable(r report.Report, id string) *report.Table {
	tables := r.Tables()
	if i := slices.IndexFunc(tables, func(t report.Table) bool { return t.ID == id }); i >= 0 {
		return &tables[i]
	}
	return nil
}
