package rounds_test

import (
	"testing"

	"annotate/internal/store/storetest"
)

// An annotator who is not active holds no place, however the segment came to them, and gets it back
// on becoming active if it still has a place.
func TestOnlyActiveAnnotatorsHoldPlaces(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.PerDocument(3), storetest.Annotators(2), storetest.Set("redundancy=1", "release_hours=0"))
		a := storetest.Leading{T: t, Sample: s}
		ctx, ann1 := t.Context(), s.Annotators[0]
		storetest.HandOut(t, db, s, 1, 0)
		reported := storetest.HandOut(t, db, s, 2, 0)
		storetest.ReportProblem(t, s, 0, reported, "no source")
		storetest.HandOut(t, db, s, 3, 0)
		a.Done(a.Replace("s3", "ann1", "ann2"))

		storetest.Check(t, db.SetDisabled(ctx, ann1.ID, true))
		storetest.WantStates(t, db, "s1", "ann1/1 released")
		storetest.Check(t, db.ResolveProblem(ctx, s.Campaign.ID, storetest.AllProblems(t, s)[0].ID, "it is a title", false, s.Lead.ID))
		storetest.WantStates(t, db, "s2", "ann1/1 released")
		a.Done(a.Undo("s3"))
		storetest.WantStates(t, db, "s3", "ann1/1 released", "ann2/1 released")
		storetest.CheckGoesOn(t, s, "ann1 can't sign in")
		for _, name := range []string{"s3", "s1"} {
			if got := storetest.SegmentOf(t, s, 1, s.RateNext(t, 1, 0, 2, 4)); got != name {
				t.Errorf("ann2 is given %s, want %s", got, name)
			}
		}
		storetest.Check(t, db.SetDisabled(ctx, ann1.ID, false))
		if got := s.Next(t, 0); got != reported {
			t.Errorf("ann1 goes on with %s, want s2", storetest.SegmentOf(t, s, 0, got))
		}
	})
}
