package main

import (
	"annotate/internal/store/storetest"
)

// plannedSegments is how many segments, of two in a document, a killed change of a plan is about.
const plannedSegments = 400

// plans has the command line plan all documents of a campaign, or take all of them away again. If the command is
// killed, the plan is as before or as after it, and the audit log has an entry for each change that is stored.
func (k *kills) plans(kill bool) {
	if k.planned == nil {
		k.planned = storetest.Campaign(k.t, k.db.Store, storetest.Slug("planned"), storetest.Segments(plannedSegments), storetest.Annotators(0), storetest.Set("redundancy=2"))
		for _, u := range k.sample.Annotators {
			storetest.Check(k.t, k.db.Accounts.AddMember(k.t.Context(), k.planned.Campaign.ID, u.Login, "annotator", ""))
		}
	}
	const all = plannedSegments // two places in each document of two segments
	id := k.planned.Campaign.ID
	count := func(of string) int {
		return storetest.Count(k.t, k.db, of, id)
	}
	before := count("plan_turns WHERE campaign_id = ?")
	change, want := "balance", all
	if before == all {
		change, want = "unassign", 0
	}
	ended := k.runAs("plan", kill, "plan", change, "planned")
	storetest.Check(k.t, k.db.Intake.DropDead(k.t.Context()))
	after := count("plan_turns WHERE campaign_id = ?")
	if after != want && (ended || after != before) {
		k.t.Errorf("a change of a plan (ended: %v) left %d of %d places; there were %d", ended, after, want, before)
	}
	version, entries := count("plans WHERE campaign_id = ?"), count("audit_log WHERE act = 'change plan' AND campaign_id = ?")
	if version > 0 {
		version = storetest.Query[int](k.t, k.db, "SELECT version FROM plans WHERE campaign_id = ?", id)[0]
	}
	if version != entries {
		k.t.Errorf("%d changes of the plan are stored, and %d are in the audit log", version, entries)
	}
}
