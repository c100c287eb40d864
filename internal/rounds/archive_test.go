package rounds_test

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judgeruns"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// TestArchivedIsReadOnly checks that an archived campaign refuses every change but can be read, and
// that a campaign that is brought back is closed and works as before.
func TestArchivedIsReadOnly(t *testing.T) {
	db := storetest.Open(t)
	ctx := t.Context()
	s := storetest.Campaign(t, db.Store, storetest.PerDocument(4))
	s.RateNext(t, 0, 0, 2, 4)
	open, id, lead := s.Next(t, 0), s.Campaign.ID, s.Lead.ID
	storetest.ReportProblem(t, s, 1, s.Next(t, 1), "what is this?")
	problem := storetest.AllProblems(t, s)[0].ID
	storetest.Check(t, db.Rounds.Archive(ctx, id, lead))
	c := storetest.Must(db.Records.Campaign(ctx, "sample"))(t)
	if !c.Archived || c.State != campaign.Closed || c.SettingsVersion != s.Campaign.SettingsVersion+1 {
		t.Errorf("the archived campaign is %t, %s, version %d", c.Archived, c.State, c.SettingsVersion)
	}
	before := storetest.Count(t, db, "audit_log")
	segment, opened := s.RowID(t, "d1", "s1"), campaign.Open
	for name, change := range map[string]func() error{
		"settings": func() error {
			return db.Rounds.ChangeCampaign(ctx, id, lead, records.CampaignChange{Settings: []string{"quota=1"}})
		},
		"state":     func() error { return db.Rounds.ChangeCampaign(ctx, id, lead, records.CampaignChange{State: &opened}) },
		"guide":     func() error { return db.Records.SetGuide(ctx, id, lead, "a guide", "") },
		"act":       func() error { return db.Rounds.Discard(ctx, id, []string{segment}, "no", lead) },
		"set aside": func() error { return db.Desk.SetAside(ctx, id, "ann1", "no", lead) },
		"problem":   func() error { return db.Work.ResolveProblem(ctx, id, problem, "this", false, lead) },
		"member":    func() error { return db.Accounts.AddMember(ctx, id, "researcher", campaign.Lead, lead) },
		"judge": func() error {
			_, err := db.JudgeRuns.BeginJudge(ctx, c, judgeruns.JudgeSpec{Name: "judge", Method: "gemba-da", Model: "m"}, lead)
			return err
		},
		"remove member": func() error { return db.Accounts.RemoveMember(ctx, id, "researcher", lead) },
		"archive":       func() error { return db.Rounds.Archive(ctx, id, lead) },
		"import": func() error {
			_, err := db.Intake.ImportSegments(ctx, id, storetest.SegmentLines(storetest.Segment(9, 9, s.Systems)), intake.ImportOptions{})
			return err
		},
	} {
		if err := change(); err == nil {
			t.Errorf("%s: nothing refuses it in an archived campaign", name)
		} else {
			storetest.WantErr(t, err, campaign.ErrConflict)
		}
	}
	s.Campaign = c
	if err := s.TryRate(ctx, 0, open, 0, 2, 4); err == nil {
		t.Error("a rating was taken")
	}
	storetest.WantCount(t, db, before, "audit_log")
	storetest.Must(db.Accounts.Pseudonyms(ctx, id))(t) // an export makes them
	storetest.Check(t, db.Housekeep(ctx))

	storetest.Check(t, db.Rounds.BringBack(ctx, id, lead))
	storetest.WantErr(t, db.Rounds.BringBack(ctx, id, lead), campaign.ErrConflict)
	storetest.Check(t, db.Rounds.ChangeCampaign(ctx, id, lead, records.CampaignChange{State: &opened}))
	s.Campaign = storetest.Must(db.Records.Campaign(ctx, "sample"))(t)
	s.Rate(t, 0, open, 0, 2, 4)
}
