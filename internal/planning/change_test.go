package planning_test

import (
	"annotate/internal/campaign"
	"annotate/internal/plan"
	"annotate/internal/planning"
	"annotate/internal/store/storetest"
	"errors"
	"testing"
)

// TestPlanIsChangedAsSeen: an edit that would do something else than was seen is refused, and an edit that
// fails in the middle leaves the plan as it was.
func TestPlanIsChangedAsSeen(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(8))
		anew := plan.Edit{Kind: plan.EditAnew}
		seen := storetest.Must(db.PreviewPlan(t.Context(), s.Campaign, anew))(t)
		before := storetest.PlanOf(t, s)
		if seen.Empty() || before != "d1:, d2:, d3:, d4:" {
			t.Fatalf("the preview is %+v, the plan %s", seen, before)
		}
		s.Rate(t, 0, s.Next(t, 0), 0, 2, 4)
		_, err := db.ChangePlan(t.Context(), s.Campaign.ID, anew, seen.Fingerprint(), s.Lead.ID)
		storetest.WantErr(t, err, campaign.ErrConflict)
		moved, ok := errors.AsType[*planning.MovedError](err)
		if !ok {
			t.Fatalf("the error is %v", err)
		}
		works := storetest.FailStatement(db.Store, "INSERT INTO plan_turns", 1)
		if _, err := db.ChangePlan(t.Context(), s.Campaign.ID, anew, moved.Change.Fingerprint(), s.Lead.ID); err == nil {
			t.Fatal("the change was not stopped")
		}
		works()
		if n := storetest.Count(t, db, "plans"); n != 0 || storetest.PlanOf(t, s) != "d1: ann1*, d2:, d3:, d4:" {
			t.Errorf("half a plan is stored: %s", storetest.PlanOf(t, s))
		}
		storetest.Must(db.ChangePlan(t.Context(), s.Campaign.ID, anew, moved.Change.Fingerprint(), s.Lead.ID))(t)
		if got := storetest.PlanOf(t, s); got != "d1: ann1* ann2, d2: ann1 ann2, d3: ann1 ann2, d4: ann1 ann2" {
			t.Errorf("the plan is %s", got)
		}
		storetest.Check(t, db.Archive(t.Context(), s.Campaign.ID, s.Lead.ID))
		_, err = db.ChangePlan(t.Context(), s.Campaign.ID, plan.Edit{Kind: plan.EditUnassign}, "", s.Lead.ID)
		storetest.WantErr(t, err, campaign.ErrConflict)
	})
}
