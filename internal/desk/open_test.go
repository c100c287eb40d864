package desk_test

import (
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/store/storetest"
)

// The desk counts as open what annotators find in their own work: also a segment that is
// settled, where a lead asks them as further annotators, and nothing that is over.
func TestOpenIsWhatAnnotatorsAreAskedFor(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3), storetest.Annotators(3))
	lead := storetest.Leading{T: t, Sample: s}
	storetest.RateFirst(t, db, s, 1, 0, 0, 2, 4)
	storetest.RateFirst(t, db, s, 1, 1, 0, 2, 4) // agreed
	storetest.RateFirst(t, db, s, 2, 0, 0, 2, 4)
	storetest.RateFirst(t, db, s, 2, 1, 4, 2, 0) // a second look
	storetest.RateBoth(t, db, s, 3, 4, 2, 0)
	lead.Done(lead.Discard("s3"))
	lead.Done(lead.FurtherAnnotator("s1", "ann3"))
	p := s.Progress(t)
	for i, want := range []struct{ open, second int }{{1, 1}, {1, 1}, {1, 0}} {
		mine := s.MyProgress(t, i)
		if a := p.Annotators[i]; a.Open != want.open || a.Second != want.second || a.Open != mine.Begun+mine.Second {
			t.Errorf("%s has %d open, %d of them second looks, want %v; their own work is %+v", a.User.Login, a.Open, a.Second, want, mine)
		}
	}
	// What was not touched for long is late, whoever it waits for.
	db.Clock.Advance(25 * time.Hour)
	if p := s.Progress(t); p.Late != 1 {
		t.Errorf("%d second looks are late, want 1", p.Late)
	}
	q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Limit: 10}))(t)
	if q.Counts[""] != 1 || p.Segments[campaign.Reannotate] != 1 {
		t.Errorf("the queue has %d segments", q.Counts[""])
	}
}
