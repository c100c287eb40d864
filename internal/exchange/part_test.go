package exchange

import (
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// TestLosses writes a segment that has every part to formats that carry all, some, and nothing.
func TestLosses(t *testing.T) {
	rating := campaign.Rating{Annotator: "x", Round: 2, Seconds: 1, SubmittedAt: time.Unix(1, 0), Rating: protocol.Rating{
		Scores: map[string]float64{"accuracy": 1, "fluency": 2}, Comment: "c", Suggestions: []protocol.Outcome{{}},
		Spans: []protocol.ErrorSpan{{Side: protocol.Source, Link: "e2"}, {ID: "e2", Side: protocol.Target, Category: "Style", Comment: "c"}},
	}}
	s := campaign.Segment{DocID: "d", SegmentID: "1", Domain: "news", DataSource: "s", Context: "c", References: []campaign.Reference{{Name: "A"}, {Name: "B"}}, Translations: []campaign.Translation{{
		System: "a", Suggested: &protocol.Suggestions{}, HumanScores: []campaign.HumanScore{{}}, Metrics: []campaign.MetricValue{{}}, Judgements: []campaign.Judgement{{}},
		Ratings: []campaign.Rating{rating}, Adjudication: &campaign.Rating{Rating: protocol.Rating{Comment: "c"}},
	}}}
	all := make([]Part, 0, len(counters))
	for _, c := range counters {
		all = append(all, c.part)
		if c.count(s) == 0 {
			t.Errorf("the segment has no %s", c.part)
		}
	}
	write := func(carries ...Part) []string {
		segments, notes := Losses(func(yield func(campaign.Segment, error) bool) { yield(s, nil) }, carries)
		for range segments { //nolint:revive // it counts
		}
		return notes()
	}
	if got := write(all...); got != nil {
		t.Errorf("a format that carries all leaves out %q", got)
	}
	if got := write(); len(got) != 10 || !slices.Contains(got, "1 rating is left out: the format has no place for it") {
		t.Errorf("a format that carries nothing leaves out %q", got)
	}
	want := []string{"2 comments on ratings are left out: the format has no place for them"}
	if got := write(slices.DeleteFunc(all, func(p Part) bool { return p == Comments })...); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
