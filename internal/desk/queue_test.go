package desk_test

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/store/storetest"
)

// The parts of the queue with discarded segments separate those that a lead discarded from those
// that failed.
func TestQueueOfDiscarded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Set("rounds=1"))
		ctx, c := t.Context(), s.Campaign
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 4, 2, 0)
		s.RateNext(t, 0, 1, 1, 1)
		storetest.WantErr(t, db.Rounds.Discard(ctx, c.ID, []string{s.RowID(t, "d1", "s2")}, "odd", s.Lead.ID), nil)
		for only, want := range map[string]string{desk.QueueFailed: "s1", desk.QueueLeft: "s2"} {
			q, err := db.Desk.Queue(ctx, c, desk.QueueFilter{Only: only, Limit: 9})
			if err != nil || q.Counts[only] != 1 || len(q.Entries) != 1 || q.Entries[0].SegmentID != want {
				t.Fatalf("%s: %+v, %v", only, q, err)
			}
			e := q.Entries[0]
			if q.Counts[desk.QueueFailed] != 1 || q.Counts[desk.QueueLeft] != 1 || q.Counts[""] != 0 || e.Status != campaign.Discarded || e.Round != 1 {
				t.Errorf("%s: %+v", only, q)
			}
			if failed := only == desk.QueueFailed; failed != (len(e.Pairs) == 1) || failed && *e.Pairs[0].R != -1 {
				t.Errorf("%s: pairs %+v", only, e.Pairs)
			}
		}
		list, n, err := db.Desk.Segments(ctx, c.ID, desk.SegmentFilter{Annotator: s.Annotators[1].Login, Limit: 9})
		if err != nil || n != 1 || len(list) != 1 || list[0].SegmentID != "s1" {
			t.Errorf("submitted by the second: %+v of %d, %v", list, n, err)
		}
		// What a lead has withdrawn is left out, too.
		storetest.Check(t, db.Rounds.RestoreSegments(ctx, c.ID, []string{s.RowID(t, "d1", "s2")}, "not odd", s.Lead.ID))
		storetest.Check(t, db.Rounds.Withdraw(ctx, c.ID, []string{s.RowID(t, "d1", "s2")}, "no text", s.Lead.ID))
		q, err := db.Desk.Queue(ctx, c, desk.QueueFilter{Only: desk.QueueLeft, Limit: 9})
		if err != nil || q.Counts[desk.QueueFailed] != 1 || q.Counts[desk.QueueLeft] != 1 || len(q.Entries) != 1 || q.Entries[0].Status != campaign.Withdrawn {
			t.Errorf("withdrawn: %+v, %v", q, err)
		}
	})
}

// TestLookByOneIsNotStranded: where one annotator is enough, another look by one waits for nobody else. Of two looks, that of somebody who left is
// stranded.
func TestLookByOneIsNotStranded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Set("redundancy=1", "gate=off"))
		ctx, c, login := t.Context(), s.Campaign, s.Annotators[0].Login
		for i, segment := range []string{"s1", "s2"} {
			s.RateNext(t, i, 0, 2, 4)
			storetest.Check(t, db.Rounds.AnotherLook(ctx, c.ID, []string{s.RowID(t, "d1", segment)}, []string{s.Annotators[i].Login}, "rejected", s.Lead.ID))
		}
		counts := func() (under, stranded int) {
			q := storetest.Must(db.Desk.Queue(ctx, c, desk.QueueFilter{Only: desk.QueueWaiting, Limit: 9}))(t)
			if len(q.Entries) != q.Counts[desk.QueueWaiting] {
				t.Errorf("the queue lists %d of %+v", len(q.Entries), q.Counts)
			}
			return q.Counts[desk.QueueWaiting], q.Counts[desk.QueueStranded]
		}
		if under, stranded := counts(); under != 2 || stranded != 0 {
			t.Errorf("%d under way and %d stranded, want 2 and 0", under, stranded)
		}
		storetest.Check(t, db.Accounts.RemoveMember(ctx, c.ID, login, s.Lead.ID))
		if under, stranded := counts(); under != 1 || stranded != 1 {
			t.Errorf("of somebody who left: %d under way and %d stranded, want 1 and 1", under, stranded)
		}
	})
}
