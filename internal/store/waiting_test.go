package store_test

import (
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/store/storetest"
)

// The desk names what waits for nobody who can work, what is left untouched for too long,
// and what was rated after a lead had decided; the queue lists each.
func TestDeskNamesWhatWaits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(4), storetest.PerDocument(4), storetest.Annotators(3), storetest.Set("redundancy=3"))
		a := acts{t, s}
		want := func(what string, stuck, late, overtaken int) {
			t.Helper()
			p := must(db.Progress(t.Context(), s.Campaign))(t)
			if p.Stuck != stuck || p.Late != late || p.Overtaken != overtaken {
				t.Errorf("%s: %d stuck, %d late, %d overtaken, want %d, %d, %d", what, p.Stuck, p.Late, p.Overtaken, stuck, late, overtaken)
			}
			for only, n := range map[string]int{desk.QueueStuck: stuck, desk.QueueLate: late, desk.QueueOvertaken: overtaken} {
				q := must(db.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: only, Limit: 9}))(t)
				if q.Total != n || len(q.Entries) != n {
					t.Errorf("%s: the queue lists %d of %d as %s, want %d", what, len(q.Entries), q.Total, only, n)
				}
			}
		}
		first(t, db, s, 1, 0, 0, 2, 4)
		first(t, db, s, 1, 1, 4, 2, 0)
		want("ann3 can rate it", 0, 0, 0)
		check(t, db.RemoveMember(t.Context(), s.Campaign.ID, "ann3", s.Lead.ID))
		want("nobody is left to rate s1", 1, 0, 0)
		s.Change(t, "redundancy=2")
		want("two ratings are enough", 0, 0, 0)
		wantSegment(t, s, 1, campaign.Reannotate, 2)
		db.Clock.Advance(25 * time.Hour)
		want("nobody has touched the second look for a day", 0, 1, 0)
		s.Save(t, 0, turn(t, db, "s1", "ann1", 2), 0, 3)
		s.Save(t, 1, turn(t, db, "s1", "ann2", 2), 0, 3)
		want("both have begun", 0, 0, 0)

		// What is in work when a lead decides may be submitted.
		late := given(t, db, s, 2, 0)
		s.Fill(t, 0, late, 0, 2, 4)
		db.Clock.Advance(time.Minute)
		a.done(a.discard("s2"))
		want("discarded", 0, 0, 0)
		db.Clock.Advance(time.Minute)
		s.Submit(t, 0, late)
		want("rated after that", 0, 0, 1)
		wantSegment(t, s, 2, campaign.Discarded, 1)
		a.done(a.restore("s2"))
		want("taken back", 0, 0, 0)
	})
}
