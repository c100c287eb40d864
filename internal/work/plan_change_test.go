package work_test

import (
	"annotate/internal/campaign"
	"annotate/internal/plan"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestPlanIsChangedAsSeen: an edit that would do something else than was seen is refused, and an edit that
// fails in the middle leaves the plan as it was.
func TestPlanIsChangedAsSeen(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(8))
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
	})
}

// TestCopyPlan: a campaign gets the pools, batches, shares and absences of the plan of another one, of the
// people who are annotators in both, and no documents. What has passed is left out.
func TestCopyPlan(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(4), storetest.Annotators(3))
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
			storetest.Must(db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID))(t)
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
		if len(log) != 1 || !strings.HasPrefix(log[0], "New pool 法律 with the members ann1, for documents of the domain legal whose id is like l-*. New batch late: priority 3, no due date. New batch today: priority 0, due "+today+". ann2: share 0.5 instead of 1") {
			t.Errorf("the audit log says %q", log)
		}
	})
}

// TestPlanRename: a batch and a pool get another name, with their documents and without moving them. The audit log has
// the name before and after.
func TestPlanRename(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(8), storetest.Annotators(3))
		change := func(e plan.Edit) plan.Change {
			t.Helper()
			return storetest.Must(db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID))(t)
		}
		change(plan.Edit{Kind: plan.EditSaveBatch, Documents: []string{"d1", "d2"}, Batch: plan.Batch{Name: "b", Priority: 3, Due: "2030-01-02"}})
		change(plan.Edit{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "c"}})
		change(plan.Edit{Kind: plan.EditSavePool, Documents: []string{"d2", "d3"}, Pool: plan.Pool{Name: "law", Pattern: "x*", Members: []string{"ann1", "ann2"}}})
		change(plan.Edit{Kind: plan.EditAnew})
		turns := storetest.PlanOf(t, s)

		got := change(plan.Edit{Kind: plan.EditSaveBatch, Name: "b", Batch: plan.Batch{Name: "第一批", Priority: 4}, Fields: []string{"priority"}})
		if len(got.Documents) != 0 || !slices.Equal(got.Other, []string{"Batch b: the name 第一批 instead of b, priority 4 instead of 3."}) ||
			!slices.Equal(got.Was, []string{"batch b: priority 3, due 2030-01-02"}) || !slices.Equal(got.Is, []string{"batch 第一批: priority 4, due 2030-01-02"}) {
			t.Errorf("the batch changes by %+v", got)
		}
		got = change(plan.Edit{Kind: plan.EditSavePool, Name: "law", Pool: plan.Pool{Name: "قانون"}, Fields: []string{}, Join: []string{"ann3"}})
		if len(got.Documents) != 0 || !slices.Equal(got.Other, []string{"Pool law: the name قانون instead of law; new members ann3."}) {
			t.Errorf("the pool changes by %+v", got)
		}
		p := storetest.Must(db.Plan.Plan(t.Context(), s.Campaign))(t)
		var names []string
		for _, d := range p.Documents {
			names = append(names, d.Batch+"/"+d.Pool)
		}
		if want := []string{"第一批/", "第一批/قانون", "/قانون", "/"}; !slices.Equal(names, want) || len(p.Batches) != 2 || len(p.Pools) != 1 || len(p.Pools[0].Members) != 3 || p.Pools[0].Pattern != "x*" || storetest.PlanOf(t, s) != turns {
			t.Errorf("the documents are in %q, the plan is %s, was %s, %+v %+v", names, storetest.PlanOf(t, s), turns, p.Batches, p.Pools)
		}
		for want, e := range map[string]plan.Edit{
			"name: there is a batch \"c\" already; choose another name": {Kind: plan.EditSaveBatch, Name: "第一批", Batch: plan.Batch{Name: "c"}},
			"name: there is no such batch":                              {Kind: plan.EditSaveBatch, Name: "b", Batch: plan.Batch{Name: "d"}},
			"name: there is no such pool":                               {Kind: plan.EditSavePool, Name: "law", Pool: plan.Pool{Name: "d"}},
		} {
			if _, err := db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}
