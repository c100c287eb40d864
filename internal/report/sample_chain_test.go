package report_test

import (
	"testing"

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
	c := newChecker(t, stored(t, st, sample.Rating))
	for stage, want := range map[string][]float64{ // segments, in work, settled, ready, handed on
		"Sample chain 1: sentences to inspect, English":          {8, 2, 6, 5, 5},
		"Sample chain 2: references to write, English to German": {5, 1, 4, 4, 4},
		"Sample chain 3: references to review":                   {4, 1, 3, 2, 2},
	} {
		for i, column := range []string{"Segments", "In work", "Settled", "Ready", "Handed on"} {
			c.want("chain-funnel", stage, column, want[i])
		}
	}
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
