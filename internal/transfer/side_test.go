package transfer

import (
	"fmt"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/qualification"
	"annotate/internal/store/storetest"
)

// TestSideCampaignIsNoWork: ratings of the segments of side campaigns change nothing of the
// campaign: no export, no sum, no page of figures, no account of an annotator. Only a kept report is out
// of date after checks, because it has a table of them.
func TestSideCampaignIsNoWork(t *testing.T) {
	db, s := storetest.New(t, storetest.Set("rounds=2"))
	for i := range 2 {
		storetest.RateFirst(t, db, s, 2, i, 0, 2, 4)
	}
	figures := func() map[string]string {
		out := workFigures(t, db, s)
		out["audit_log"] = fmt.Sprint(storetest.Count(t, db, "audit_log WHERE campaign_id = ?", s.Campaign.ID))
		return out
	}
	for _, kind := range []campaign.Side{campaign.Training, campaign.Checks} {
		before := figures()
		side := s.MakeSide(t, kind, 3)
		for i := range 2 {
			for _, segment := range storetest.Query[string](t, db, "SELECT id FROM segments WHERE campaign_id = ? ORDER BY position", side.Campaign.ID) {
				side.Rate(t, i, side.GiveSide(t, i, segment), 4, 3, 1)
			}
		}
		storetest.WantCount(t, db, 18, "ratings r JOIN assignments a ON a.id = r.assignment_id WHERE a.campaign_id = ?", side.Campaign.ID)
		storetest.WantCount(t, db, 0, "segments WHERE campaign_id = ? AND status <> 'pending'", side.Campaign.ID)
		after := figures()
		if kind == campaign.Checks {
			if after["report state"] == before["report state"] {
				t.Error("a report from before the checks is still current")
			}
			before["report state"] = after["report state"]
			before["progress"] = after["progress"] // an annotator counts checks with the work
		}
		sameExports(t, "with a side campaign of "+string(kind), before, after)
	}
}

// workFigures are all exports of a campaign, and the figures that pages show of it.
func workFigures(t *testing.T, db *storetest.DB, s *storetest.Sample) map[string]string {
	t.Helper()
	out := allExports(t, db, s, true)
	ctx, id := t.Context(), s.Campaign.ID
	standing := storetest.Must(db.Desk.Standing(ctx, s.Campaign))(t)
	standing.Version = 0 // the report state has it
	out["standing"] = fmt.Sprint(standing)
	out["progress"] = fmt.Sprint(s.MyProgress(t, 0))
	out["report state"] = storetest.Must(db.Desk.ReportState(ctx, id))(t)
	out["campaigns"] = fmt.Sprint(len(storetest.Must(db.Records.Campaigns(ctx))(t)), len(storetest.Must(db.Accounts.CampaignsOf(ctx, s.Annotators[0].ID))(t)))
	for _, table := range []string{"tallies", "campaign_tallies", "segment_pairs", "meetings"} {
		out[table] = fmt.Sprint(storetest.Count(t, db, table+" WHERE campaign_id = ?", id))
	}
	return out
}

// TestTrainingIsNoWork: answering, training, practising and qualifying change no export, no sum, no
// hours and no progress of the campaign.
func TestTrainingIsNoWork(t *testing.T) {
	db, s := storetest.New(t, storetest.Set("rounds=2", "training_attempts=1"))
	for i := range 2 {
		storetest.RateFirst(t, db, s, 2, i, 0, 2, 4)
	}
	s.MakeTraining(t, 2)
	db.Clock.Advance(time.Second)
	before := workFigures(t, db, s)
	storetest.Check(t, db.Training.ChangeTraining(t.Context(), s.Campaign.ID, true, true, s.Lead.ID))
	for range 2 {
		s.Train(t, 0, 4, 2, 0)
		s.Train(t, 1, 0, 4, 4)
	}
	s.Practise(t, 0, 3, 3, 3)
	storetest.Check(t, db.Training.DecideTrainee(t.Context(), s.Campaign.ID, "ann2", qualification.QualifyTrainee, "good enough", s.Lead.ID))
	storetest.WantCount(t, db, 5, "training_results")
	sameExports(t, "after the training", before, workFigures(t, db, s))
}

// TestCopyTraining: the training set of a campaign comes into its copy with answers and explanations,
// ready to train on. Removed segments stay behind, and so does everything in other languages.
func TestCopyTraining(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		ctx := t.Context()
		s := storetest.Campaign(t, db.Store)
		s.MakeTraining(t, 3)
		set := storetest.Must(db.Training.TrainingSet(ctx, s.Campaign))(t)
		storetest.Check(t, db.Training.ChangeTrainingSegment(ctx, s.Campaign.ID, set[0].ID, qualification.TrainingChange{Tolerance: 0, Explanation: "why"}, s.Lead.ID))
		storetest.Check(t, db.Training.ChangeTrainingSegment(ctx, s.Campaign.ID, set[1].ID, qualification.TrainingChange{Tolerance: -1, Practice: true}, s.Lead.ID))
		storetest.Check(t, db.Training.ChangeTrainingSegment(ctx, s.Campaign.ID, set[2].ID, qualification.TrainingChange{Tolerance: -1, Removed: true}, s.Lead.ID))
		for slug, target := range map[string]string{"next": "en", "other": "de"} {
			c := storetest.Must(db.Accounts.CopyCampaign(ctx, s.Campaign, accounts.CampaignCopy{Slug: slug, Title: slug, SourceLang: "zh", TargetLang: target, Members: []string{"ann1"}}, s.Lead.ID))(t)
			n := storetest.Must(CopyTraining(ctx, db.Store, s.Campaign, c, s.Lead.ID))(t)
			got := storetest.Must(db.Training.TrainingSet(ctx, c))(t)
			if slug == "other" {
				if n != 0 || len(got) != 0 {
					t.Errorf("%d segments came into a campaign of other languages", n)
				}
				continue
			}
			if n != 2 || len(got) != 2 || got[0].Explanation != "why" || got[0].Tolerance != 0 || got[0].Answer == nil || got[0].Answer.Ratings == nil || len(got[0].Answer.Ratings) != 3 || got[0].AnsweredBy != "lead" || !got[1].Practice || got[1].ID == set[1].ID {
				t.Fatalf("the copy has %d: %+v", n, got)
			}
			if rules := storetest.Must(db.Training.TrainingRules(ctx, c))(t); rules.Required || rules.Segments != 1 {
				t.Errorf("the rules of the copy are %+v", rules)
			}
			storetest.Check(t, db.Training.ChangeTraining(ctx, c.ID, true, false, s.Lead.ID))
			copied := *s
			copied.Campaign = c
			copied.Train(t, 0, 4, 2, 0)
			if standing, _, err := db.Training.TrainingStanding(ctx, c, s.Annotators[0].ID); err != nil || standing.State != campaign.TrainingPassed {
				t.Errorf("after right ratings in the copy: %+v, %v", standing, err)
			}
		}
	})
}
