package transfer

import (
	"fmt"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestSideCampaignIsNoWork: ratings of the segments of side campaigns change nothing of the
// campaign: no export, no sum, no page of figures, no account of an annotator.
func TestSideCampaignIsNoWork(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Set("rounds=2"))
		for i := range 2 {
			storetest.RateFirst(t, db, s, 2, i, 0, 2, 4)
		}
		figures := func() map[string]string {
			out := allExports(t, db, s, true)
			ctx, id := t.Context(), s.Campaign.ID
			out["standing"] = fmt.Sprint(storetest.Must(db.Standing(ctx, s.Campaign))(t))
			out["progress"] = fmt.Sprint(storetest.Must(db.MyProgress(ctx, s.Campaign, s.Annotators[0].ID))(t))
			out["report state"] = storetest.Must(db.ReportState(ctx, id))(t)
			out["campaigns"] = fmt.Sprint(len(storetest.Must(db.Campaigns(ctx))(t)), len(storetest.Must(db.CampaignsOf(ctx, s.Annotators[0].ID))(t)))
			for _, table := range []string{"tallies", "campaign_tallies", "segment_pairs", "meetings", "audit_log"} {
				out[table] = fmt.Sprint(storetest.Count(t, db, table+" WHERE campaign_id = ?", id))
			}
			return out
		}
		before := figures()
		for _, kind := range []campaign.Side{campaign.Training, campaign.Checks} {
			side := s.MakeSide(t, kind, 3)
			for i := range 2 {
				for _, segment := range storetest.Query[string](t, db, "SELECT id FROM segments WHERE campaign_id = ? ORDER BY position", side.Campaign.ID) {
					side.Rate(t, i, side.GiveSide(t, i, segment), 4, 3, 1)
				}
			}
			if n := storetest.Count(t, db, "ratings r JOIN assignments a ON a.id = r.assignment_id WHERE a.campaign_id = ?", side.Campaign.ID); n != 18 {
				t.Fatalf("the side campaign has %d ratings, want 18", n)
			}
			if n := storetest.Count(t, db, "segments WHERE campaign_id = ? AND status <> 'pending'", side.Campaign.ID); n != 0 {
				t.Errorf("%d segments of the side campaign are decided", n)
			}
		}
		sameExports(t, "with side campaigns", before, figures())
	})
}
