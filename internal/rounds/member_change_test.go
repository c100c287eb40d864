package rounds_test

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// The segments of an annotator who is set aside, restored, removed or disabled follow in
// steps where they are many, and come out as if they had in one.
func TestMemberChangeInSteps(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetActStep(db.Store, 2)
	s := storetest.Campaign(t, db.Store, storetest.Segments(5), storetest.PerDocument(5), storetest.Annotators(3))
	for n := range 5 {
		storetest.RateBoth(t, db, s, n+1, []float64{0, 4}[n%2], 2, []float64{4, 0}[n%2])
	}
	before := outcome(t, db, s)
	wantFollowed := func(what string, status campaign.Status) {
		t.Helper()
		storetest.WantCount(t, db, 5, "segments WHERE status = ?", string(status))
		storetest.WantCount(t, db, 0, "jobs")
		if p := storetest.Must(storetest.FollowAll(t.Context(), db.Store, s.Campaign.ID))(t); p.Changed() != 0 {
			t.Errorf("%s: not what follows: %s", what, p)
		}
	}
	storetest.SetAside(t, s, 1)
	wantFollowed("set aside", campaign.Pending)
	storetest.Restore(t, s, 1)
	for i, o := range outcome(t, db, s) {
		if o.String() != before[i].String() {
			t.Errorf("restored, %s is %s, want %s", o.Segment, o, before[i])
		}
	}

	// What fails, or is killed, is gone on with.
	works := storetest.FailStatement(db.Store, "SET set_aside = state", 2)
	storetest.SetAside(t, s, 0)
	works()
	storetest.WantCount(t, db, 2, "segments WHERE status = 'pending'")
	// Programs can be opened although that has to wait.
	storetest.Exec(t, db, "INSERT INTO completing_imports (campaign_id, id, annotators, ratings) VALUES (?, 'i', '', 1)", s.Campaign.ID)
	again := storetest.Must(store.Open(t.Context(), db.Config))(t)
	storetest.Check(t, again.Close())
	storetest.Exec(t, db, "DELETE FROM completing_imports")
	storetest.Check(t, db.Housekeep(t.Context()))
	wantFollowed("gone on with", campaign.Pending)
	storetest.Restore(t, s, 0)

	s.Remove(t, "ann2")
	storetest.WantCount(t, db, 2, "assignments WHERE awaited")
	s.Join(t, "ann2", campaign.Annotator)
	storetest.WantCount(t, db, 4, "assignments WHERE awaited")
}

// The second look of an annotator who left is open again as soon as they are back, before they ask
// for work.
func TestSecondLookComesBackWithItsAnnotator(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	storetest.RateBoth(t, db, s, 1, 4, 2, 0)
	s.Remove(t, "ann2")
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 released")
	s.Join(t, "ann2", campaign.Annotator)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 open")
	if got := s.Next(t, 1); got != storetest.TurnOf(t, db, "s1", "ann2", 2) {
		t.Errorf("ann2 gets %s, want the second look", got)
	}
}
