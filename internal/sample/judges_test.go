package sample

import (
	"maps"
	"slices"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/judgeruns"
	"annotate/internal/store"
)

// Both judges have judged every translation. One answer could not be parsed, one error has no place, and every
// other error covers its words in the text.
func testJudges(t *testing.T, st *store.Store) {
	ctx := t.Context()
	c, err := st.Records.Campaign(ctx, MQM)
	if err != nil {
		t.Fatal(err)
	}
	found, err := st.JudgeRuns.JudgeRuns(ctx, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range found {
		names = append(names, r.Method+" "+r.Model)
		if r.State != judgeruns.JudgeDone || r.Interrupted || r.Calls == 0 {
			t.Errorf("%s: %s after %d calls, %s", r.Name, r.State, r.Calls, r.Reason)
		}
	}
	if !slices.Equal(names, []string{"gemba-esa demo-small", "gemba-mqm demo-large"}) {
		t.Errorf("judges %q", names)
	}
	got := map[string]int{}
	err = st.Records.EachJudgement(ctx, c, true, func(j campaign.JudgementLine) error {
		got[j.Model+" "+string(j.Status)]++
		got[j.Model+" unplaced"] += len(j.Unplaced)
		if len(j.Trace) == 0 {
			t.Errorf("%s of %s %s has no trace", j.Judge, j.SegmentID, j.System)
		}
		if j.Status == campaign.JudgementUnparsable && (j.SegmentID != "s06" || j.System != "Birch" || len(j.Trace) != 3) {
			t.Errorf("%s could not be read of %s %s after %d calls", j.Judge, j.SegmentID, j.System, len(j.Trace))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"demo-large ok": 104, "demo-large unplaced": 1, "demo-small ok": 103, "demo-small unparsable": 1, "demo-small unplaced": 0}
	if !maps.Equal(got, want) {
		t.Errorf("judgements %v, want %v", got, want)
	}
}
