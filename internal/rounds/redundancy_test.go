package rounds_test

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestLowerRedundancyDecides: a segment that has as many ratings as are asked for
// now is decided when the number is lowered, whoever is still at it; raised again, it is open
// again.
func TestLowerRedundancyDecides(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.PerDocument(1), storetest.Annotators(3), storetest.Set("redundancy=3"))
	for i := range 2 {
		s.RateNext(t, i, 0, 2, 4)
		s.RateNext(t, i, 0, 2, 4)
	}
	s.Next(t, 2) // begins the first segment and leaves it
	s.Change(t, "redundancy=2")
	var got [2]campaign.Status
	for i, seg := range s.All(t) {
		got[i] = seg.Status
	}
	if got != [2]campaign.Status{campaign.Agreed, campaign.Agreed} {
		t.Errorf("the segments are %v, want both agreed", got)
	}
	if p := storetest.Must(db.Rounds.PreviewChange(t.Context(), s.Campaign, []string{"redundancy=3"}))(t); p.OutOfGold != 2 {
		t.Errorf("raising it would do this: %s", p)
	}
	s.Change(t, "redundancy=3")
	for _, seg := range s.All(t) {
		if seg.Status != campaign.Pending {
			t.Errorf("%s is %s, want pending", seg.SegmentID, seg.Status)
		}
	}
}
