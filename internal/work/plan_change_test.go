package work_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/plan"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestPlanIsChangedAsSeen: an edit that would do something else than was seen is refused, and an edit that
// fails in the middle leaves the plan as it was.
func TestPlanIsChangedAsSeen(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(8))
	anew := plan.Edit{Kind: plan.EditAnew}
	seen := storetest.Must(db.Plan.PreviewPlan(t.Context(), s.Campaign, anew))(t)
	before := storetest.PlanOf(t, s)
	if seen.Empty() || before != "d1:, d2:, d3:, d4:" {
		t.Fatalf("the preview is %+v, the plan %s", seen, before)
	}
	s.Rate(t, 0, s.Next(t, 0), 0, 2, 4)
	_, err := db.Plan.ChangePlan(t.Context(), s.Campaign.ID, anew, seen.Fingerprint(), s.Lead.ID)
	storetest.WantErr(t, err, campaign.ErrConflict)
	moved, ok := errors.AsType[*work.MovedError](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	works := storetest.FailStatement(db.Store, "INSERT INTO plan_turns", 1)
	if _, err := db.Plan.ChangePlan(t.Context(), s.Campaign.ID, anew, moved.Change.Fingerprint(), s.Lead.ID); err == nil {
		t.Fatal("the change was not stopped")
	}
	works()
	if n := storetest.Count(t, db, "plans"); n != 0 || storetest.PlanOf(t, s) != "d1: ann1*, d2:, d3:, d4:" {
		t.Errorf("half a plan is stored: %s", storetest.PlanOf(t, s))
	}
	storetest.Must(db.Plan.ChangePlan(t.Context(), s.Campaign.ID, anew, moved.Change.Fingerprint(), s.Lead.ID))(t)
	if got := storetest.PlanOf(t, s); got != "d1: ann1* ann2, d2: ann1 ann2, d3: ann1 ann2, d4: ann1 ann2" {
		t.Errorf("the plan is %s", got)
	}
	storetest.Check(t, db.Rounds.Archive(t.Context(), s.Campaign.ID, s.Lead.ID))
	_, err = db.Plan.ChangePlan(t.Context(), s.Campaign.ID, plan.Edit{Kind: plan.EditUnassign}, "", s.Lead.ID)
	storetest.WantErr(t, err, campaign.ErrConflict)
}

// TestCopyPlan: a campaign gets the pools, batches, shares and absences of the plan of another one, of the
// people who are annotators in both, and no documents. What has passed is left out.
func TestCopyPlan(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Annotators(3))
		next := storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "next"), s.Lead.ID))(t)
		for _, a := range s.Annotators[:2] {
			storetest.Check(t, db.Accounts.AddMember(t.Context(), next.ID, a.Login, campaign.Annotator, s.Lead.ID))
		}
		if copied, err := db.Plan.CopyPlan(t.Context(), s.Campaign, next, s.Lead.ID); copied || err != nil || storetest.Count(t, db, "plans") != 0 {
			t.Errorf("a campaign without a plan: %v, %v", copied, err)
		}
		today := storetest.Must(db.Plan.Plan(t.Context(), s.Campaign))(t).Today
		for _, e := range []plan.Edit{
			{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "法律", Domain: "legal", Pattern: "l-*", Members: []string{"ann1", "ann3"}}},
			{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "late", Priority: 3, Due: "2001-02-03"}},
			{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "today", Due: today}},
			{Kind: plan.EditSetPeople, People: []plan.Person{
				{Login: "ann2", Share: 0.5, Words: 200, Away: []plan.Away{{From: "2001-01-01", To: "2001-01-02"}, {From: "2001-01-01", To: "2999-01-02"}}}, {Login: "ann3", Share: 0},
			}},
			{Kind: plan.EditAnew}, {Kind: plan.EditSetPull, Pull: false},
		} {
			change(t, db, s, e)
		}
		if copied, err := db.Plan.CopyPlan(t.Context(), s.Campaign, next, s.Lead.ID); !copied || err != nil {
			t.Fatalf("copied %v, %v", copied, err)
		}
		got := storetest.Must(db.Plan.Plan(t.Context(), next))(t)
		pools := []plan.Pool{{Name: "法律", Domain: "legal", Pattern: "l-*", Members: []string{"ann1"}}}
		batches := []plan.Batch{{Name: "late", Priority: 3}, {Name: "today", Due: today}}
		if got.Version != 1 || got.Pull || !reflect.DeepEqual(got.Pools, pools) || !reflect.DeepEqual(got.Batches, batches) || len(got.Documents) != 0 || len(got.People) != 2 {
			t.Errorf("the plan is %+v", got)
		}
		if p := got.People[1]; p.Login != "ann2" || p.Share != 0.5 || p.Words != 200 || plan.AwayText(p.Away) != "2001-01-01..2999-01-02" {
			t.Errorf("the plan says of ann2 %+v", p)
		}
		log := storetest.Query[string](t, db, "SELECT subject FROM audit_log WHERE campaign_id = ? AND act = 'change plan'", next.ID)
		if len(log) != 1 || !strings.HasPrefix(log[0], "New pool 法律: the members ann1, documents of the domain legal, ids like l-*. New batch late: priority 3, no due date. New batch today: priority 0, due "+today+". The annotator ann2: share 0.5") {
			t.Errorf("the audit log says %q", log)
		}
	})
}
