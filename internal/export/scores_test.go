package export_test

import (
	"reflect"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/ingest"
)

// TestScores: what is written is what is read again.
func TestScores(t *testing.T) {
	segments := []campaign.Segment{
		{DocID: "d", SegmentID: "1", Translations: []campaign.Translation{
			{System: "B", Metrics: []campaign.MetricValue{{Name: "COMET", Score: 0.1}}},
			{System: "A", Metrics: []campaign.MetricValue{{Name: "BLEU-refA", Score: 1e-7}, {Name: "COMET", Score: -2.5}}},
		}},
		{DocID: "d", SegmentID: "2", Translations: []campaign.Translation{{System: "A"}}},
	}
	systems := []campaign.MetricScore{{Metric: "BLEU-refA", System: "A", Score: 31.4159}}
	var b strings.Builder
	source := func(yield func(campaign.Segment, error) bool) {
		for _, s := range segments {
			if !yield(s, nil) {
				return
			}
		}
	}
	metrics := []campaign.Metric{{Name: "BLEU-refA", Group: "surface"}, {Name: "COMET", LowerIsBetter: true}}
	if err := export.Scores(&b, metrics, systems, source); err != nil {
		t.Fatal(err)
	}
	yes := true
	want := []campaign.MetricScore{
		{Metric: "BLEU-refA", System: "A", DocID: "d", SegmentID: "1", Score: 1e-7, Group: "surface"},
		{Metric: "COMET", System: "A", DocID: "d", SegmentID: "1", Score: -2.5, LowerIsBetter: &yes},
		{Metric: "COMET", System: "B", DocID: "d", SegmentID: "1", Score: 0.1, LowerIsBetter: &yes},
		{Metric: "BLEU-refA", System: "A", Score: 31.4159, Group: "surface"},
	}
	var got []campaign.MetricScore
	for s, err := range ingest.Scores(strings.NewReader(b.String()), ingest.Options{File: "scores.jsonl"}) {
		if err != nil {
			t.Fatal(err)
		}
		s.Place = campaign.Place{}
		got = append(got, s)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v\nwant %+v", got, want)
	}
}
