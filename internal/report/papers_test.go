package report_test

import (
	"context"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/report"
	"annotate/internal/sample"
)

// TestPapers computes reports of sample data and checks that they have each table and figure that docs/papers.md names, with a value in it.
func TestPapers(t *testing.T) {
	st := demo(t)
	both := demoInput(t, st, sample.ChineseEnglish)
	zh, err := both.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ar, err := demoInput(t, st, sample.EnglishArabic).Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	both.Metrics = evaluations(append(zh, ar...)...)
	both.AgentCalls = []report.AgentCalls{{Judge: "agent", Rounds: map[string]map[float64]int{"search": {1: 3, 2: 1}}}}
	both.Options.Systems = []report.SystemAbout{{System: zh[0].Report.Systems[0], Class: "LLM", Size: "7B"}}
	reports := []report.Report{compute(t, both), compute(t, demoInput(t, st, sample.MQM)), compute(t, demoInput(t, st, sample.RATE)), besidePapers(t), compute(t, inspected(t))}
	terms, _, _ := culture(t)
	reports = append(reports, compute(t, terms))
	var made []string
	for _, r := range reports {
		for _, table := range r.Tables() {
			if hasValue(table) {
				made = append(made, table.ID)
			}
		}
		for _, f := range r.Figures() {
			if hasValue(f.Table) {
				made = append(made, f.ID)
			}
		}
	}
	page, err := os.ReadFile("../../docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 2 || strings.HasPrefix(cells[1], "---") || strings.TrimSpace(cells[1]) == "paper" {
			continue
		}
		if len(cells) != 6 {
			t.Errorf("a row has %d cells, want 4: %s", len(cells)-2, line)
			continue
		}
		ids := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[3], -1)
		if none := strings.TrimSpace(cells[3]) == "–"; none != (len(ids) == 0) {
			t.Errorf("the row names no id and has no dash: %s", line)
		}
		for _, id := range ids {
			named++
			pattern := strings.NewReplacer("DOMAIN", "[a-z0-9]+", "CLASS", "[a-z0-9]+", "SCORE", "[a-z0-9-]+", "N", "[0-9]+").Replace(id[1])
			if !regexp.MustCompile(`(?m)^` + pattern + `$`).MatchString(strings.Join(made, "\n")) {
				t.Errorf("no report of the sample data has %s with a value in it", id[1])
			}
		}
	}
	if named < 40 {
		t.Errorf("the page names %d ids, fewer than its tables have", named)
	}
}

// hasValue reports whether a table has a value that is defined.
func hasValue(table report.Table) bool {
	return slices.ContainsFunc(table.Rows, func(r report.Row) bool {
		for i, c := range r.Cells {
			if table.Columns[i].Kind.Numeric() && !c.Blank && !math.IsNaN(c.Value) {
				return true
			}
		}
		return false
	})
}

// inspected is a campaign that inspects a segment.
func inspected(t *testing.T) report.Input {
	c := newCampaign(t, "inspect")
	s := campaign.Segment{DocID: "d", SegmentID: "1", Source: "text", Status: campaign.Agreed, Round: 1, Complete: 1, Translations: []campaign.Translation{{}}}
	for _, who := range []string{"a", "b"} {
		s.Translations[0].Ratings = append(s.Translations[0].Ratings, campaign.Rating{Annotator: who, Round: 1, Rating: protocol.Rating{
			Scores: map[string]float64{"difficulty": 4}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "phenomena": {Several: []string{"slang"}}, "cleaned": {Text: "text"}}}})
	}
	segments := judged(c, segmentsOf(s))
	return report.Input{Campaign: c, Segments: segments, Chain: []report.Stage{{Campaign: c, Segments: segments}}}
}

// besidePapers compares two campaigns over two domains.
func besidePapers(t *testing.T) report.Report {
	t.Helper()
	first, second := besideSegment("s1", "minor", []mark{esa("ann", 90, [2]int{0, 2})}), besideSegment("s2", "minor", []mark{esa("ann", 80)})
	second.Domain = "speech"
	c := newCampaign(t, "esa")
	r, err := report.Compute(context.Background(), report.Input{Campaign: c, Segments: judged(c, segmentsOf(first, second)), Options: report.Options{Resamples: 10},
		Sides: []report.Side{{Label: "first", Campaign: c}, {Label: "second", Campaign: newCampaign(t, "rate"),
			Segments: segmentsOf(besideSegment("s1", "5", []mark{rate("bob", 70, 80, [2]int{0, 2})}), besideSegment("s2", "5", []mark{rate("bob", 60, 50)}))}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
