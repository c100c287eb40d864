package report_test

import (
	"net/url"
	"strings"
	"testing"

	"annotate/internal/desk"
	"annotate/internal/evaluation"
	"annotate/internal/report"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// TestSampleChains counts the chains of the sample by hand: the README of the sample says what becomes of each segment.
func TestSampleChains(t *testing.T) {
	st := demo(t)
	if err := sample.LoadChains(t.Context(), st, sample.NewClock(now)); err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{sample.Inspect, sample.Reference, sample.Review, sample.Terms} {
		stored(t, st, slug)
	}
	c := newChecker(t, stored(t, st, sample.Rating))
	checkLists(t, st, c.tables)
	for stage, want := range map[string][]float64{ // segments, in work, settled, ready, handed on
		"Sample chain 1: sentences to inspect, English":          {8, 2, 6, 5, 5},
		"Sample chain 2: references to write, English to German": {5, 1, 4, 4, 4},
		"Sample chain 3: references to review":                   {4, 1, 3, 2, 2},
	} {
		for i, column := range []string{"Segments", "In work", "Settled", "Ready", "Handed on"} {
			c.want("chain-funnel", stage, column, want[i])
		}
	}
	c.want("chain-behind", "Sample chain 1: sentences to inspect, English|does not meet keep=yes", "Segments", 1)
	c.want("chain-behind", "Sample chain 3: references to review|does not meet verdict=accept,edit", "Segments", 1)
	c.want("chain-funnel", "Sample chain 4: systems to rate", "Segments", 2)
	c.want("chain-funnel", "Sample chain 4: systems to rate", "Settled", 1)
	c.want("chain-edits", "Sample chain 2: references to write, English to German|The reference", "Edited", 0.5)

	c = newChecker(t, stored(t, st, sample.Culture))
	c.want("terms", "All", "Terms", 4)
	c.want("terms", "Social", "Terms", 2)
	c.want("terms-systems", "All", "Terms", 6)
	c.want("terms-systems", "Birch", "Rendered", 0)
	c.want("terms-systems", "Aster", "Rendered", 0.5)
	c.want("terms-errors", "Birch", "Of these|Undecided", 0.5)
	c.want("terms-drop", "Literalization", "Translations", 1)
	for _, row := range c.tables["terms-drop"].Rows {
		for _, cell := range row.Cells {
			if cell.Significant {
				t.Errorf("a drop from one translation of %s is marked", row.Cells[0].Text)
			}
		}
	}
	checkScoreCharts(t, st)
}

// checkLists: a number of a chain links to as many segments as it counts.
func checkLists(t *testing.T, st *store.Store, tables map[string]report.Table) {
	lists := 0
	for _, id := range []string{"chain-funnel", "chain-behind"} {
		for _, row := range tables[id].Rows {
			for i, cell := range row.Cells {
				slug, query, _ := strings.Cut(cell.Link, "/segments")
				if cell.Link == "" || tables[id].Columns[i].Kind != report.Count {
					continue
				}
				lists++
				c, err := st.Records.Campaign(t.Context(), slug)
				if err != nil {
					t.Fatal(err)
				}
				values, _ := url.ParseQuery(strings.TrimPrefix(query, "?"))
				_, n, err := st.Desk.Segments(t.Context(), c.ID, desk.SegmentFilter{Step: values.Get("step"), Limit: 1})
				if err != nil || float64(n) != cell.Value {
					t.Errorf("%s: %s lists %d segments (%v), and the cell counts %v", id, cell.Link, n, err, cell.Value)
				}
			}
		}
	}
	if lists < 25 {
		t.Errorf("only %d numbers link to segments", lists)
	}
}

// checkScoreCharts: pages show no distribution of gate scores that are places of candidates, or of a protocol without a gate.
func checkScoreCharts(t *testing.T, st *store.Store) {
	for _, x := range []struct {
		slug             string
		buckets, ratings bool
	}{{sample.Inspect, true, true}, {sample.Reference, false, true}, {sample.Terms, true, false}, {sample.Culture, true, true}} {
		c, err := st.Records.Campaign(t.Context(), x.slug)
		if err != nil {
			t.Fatal(err)
		}
		d, err := st.Desk.ScoreDistributions(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Buckets) > 0 != x.buckets || d.All.Ratings > 0 != x.ratings {
			t.Errorf("%s has %d buckets and the gate scores of %d ratings", x.slug, len(d.Buckets), d.All.Ratings)
		}
	}
}

// stored is the report of a campaign as its page computes it.
func stored(t *testing.T, st *store.Store, slug string) report.Report {
	t.Helper()
	c, err := st.Records.Campaign(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	r, err := evaluation.ComputeReport(t.Context(), st, &evaluation.ReportTask{Campaign: c})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
