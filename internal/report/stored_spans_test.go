package report

import (
	"reflect"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// StoredSpans has the spans of judges beside suggestions. A judge that marks no errors, or whose answer
// could not be parsed, has no entry. A judge that found no error has an empty entry.
func TestStoredSpans(t *testing.T) {
	spans := []protocol.ErrorSpan{{ID: "1", Side: protocol.Target, End: 3, Severity: "major"}}
	tr := campaign.Translation{
		Suggested: &protocol.Suggestions{Origin: "gemba", Spans: spans},
		Judgements: []campaign.Judgement{
			{Judge: "clean", Status: campaign.JudgementOK, Spans: []protocol.ErrorSpan{}},
			{Judge: "gemba", Status: campaign.JudgementOK, Spans: spans}, // whose spans were suggested
			{Judge: "other", Status: campaign.JudgementOK, Spans: spans},
			{Judge: "scores", Status: campaign.JudgementOK},
			{Judge: "silent", Status: campaign.JudgementUnparsable, Spans: spans},
		},
	}
	want := []MarkedBy{{"gemba", spans}, {"clean", []protocol.ErrorSpan{}}, {"other", spans}}
	if got := (StoredSpans{}).Spans(campaign.Segment{}, tr); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (StoredSpans{}).Spans(campaign.Segment{}, campaign.Translation{}); len(got) > 0 {
		t.Errorf("without spans there are %+v", got)
	}
}
