package segments

import (
	"strings"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web/templates/pagetest"
)

// TestWhyPairsFailed: a pair of different answers has no difference of scores.
func TestWhyPairsFailed(t *testing.T) {
	r := 0.5
	for want, p := range map[string]campaign.Pair{
		"r 0.50": {R: &r, Reason: agreement.BelowThreshold}, "their answers differ": {Reason: agreement.Different},
	} {
		if got := failed(p); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}

// TestRejectedOfMany: the list of rejected segments names the document of each, and says how many more there are.
func TestRejectedOfMany(t *testing.T) {
	v := QueueView{
		Page: pagetest.LeadPage("lead"), AllRejected: 1234,
		Rejected: []readmodel.Rejection{{ID: "x", DocID: "story", SegmentID: "s4", Stage: "Review"}, {ID: "y", DocID: "s5", SegmentID: "s5", Stage: "Review"}},
	}
	page, _ := pagetest.Written(t, rejected(v))
	got := pagetest.Words(page.Selection)
	for _, want := range []string{"s4 of story rejected in Review", "s5 rejected in Review", "1,232 more segments are rejected, and listed here once"} {
		if !strings.Contains(got, want) {
			t.Errorf("the list lacks %q: %s", want, got)
		}
	}
}
