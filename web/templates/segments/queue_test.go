package segments

import (
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
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
