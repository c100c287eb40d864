package segments

import (
	"slices"
	"testing"

	"annotate/internal/protocol"
	"annotate/web/templates"
)

// TestAcceptMean: the mean can be accepted only where there is one.
func TestAcceptMean(t *testing.T) {
	for id, want := range map[string]bool{"sqm": true, "esa": true, "mqm": true, "rate": true, "culture": true, "terms": false, "inspect": false, "review": false} {
		p, ok := protocol.Lookup(id)
		if !ok {
			t.Fatal(id)
		}
		if got := slices.ContainsFunc(severalOptions(p, ActAccept, ActDiscard), func(o templates.Option) bool { return o.Value == ActAccept }); got != want {
			t.Errorf("%s offers to accept the means: %v", id, got)
		}
		v := SegmentView{Protocol: p}
		v.Segment.Complete = 1
		if got := slices.ContainsFunc(v.acts(), func(a act) bool { return a.ID == ActAdjudicate }); got != want {
			t.Errorf("%s offers to accept the mean of a segment: %v", id, got)
		}
	}
}
