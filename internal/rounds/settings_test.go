package rounds_test

import (
	"errors"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// A change made from an older version is refused where it would undo what another lead
// has changed since, and nothing of it is done. It applies beside changes of other values.
func TestChangeFromOlderVersion(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Annotators(0), storetest.Segments(0))
		from := s.Campaign.SettingsVersion
		version := func(want int) {
			t.Helper()
			if s.Reload(t); s.Campaign.SettingsVersion != from+want {
				t.Errorf("the settings are at version %d, want %d", s.Campaign.SettingsVersion, from+want)
			}
		}
		s.Change(t, "threshold=0.5")
		version(1)
		s.Change(t, "threshold=0.5")
		version(1)

		change := func(from int, settings ...string) error {
			return db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, "", records.CampaignChange{FromVersion: from, Settings: settings})
		}
		storetest.Check(t, change(from, "quota=9"))
		version(2)
		err := change(from, "rounds=4", "threshold=0.6")
		collision, ok := errors.AsType[*campaign.CollisionError](err)
		if !ok || len(collision.Collisions) != 1 {
			t.Fatalf("the same setting: %v", err)
		}
		storetest.WantErr(t, err, campaign.ErrConflict)
		got := collision.Collisions[0]
		got.At = s.Campaign.CreatedAt
		if want := (campaign.Collision{Key: "threshold", Was: "0.7", Theirs: "0.5", Yours: "0.6", By: "lead", At: s.Campaign.CreatedAt}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		version(2)
		if c := s.Campaign.Settings; c.Rounds != 2 || c.Threshold != 0.5 || c.Quota != 9 {
			t.Errorf("a refused change left %+v", c)
		}
		storetest.Check(t, change(from, "threshold=0.5"))

		mine, theirs := "Mine", "Theirs"
		storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Title: &theirs}))
		version(3)
		storetest.WantErr(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, "", records.CampaignChange{FromVersion: from, Title: &mine}), campaign.ErrConflict)
		storetest.WantInvalid(t, change(from+4, "quota=1"), "version")
		storetest.WantInvalid(t, change(-1, "quota=1"), "version")

		s.Change(t, "threshold=0.7")
		storetest.Check(t, change(from, "threshold=0.6"))
		if i, err := db.Desk.Interventions(t.Context(), s.Campaign.ID); err != nil || len(i.Settings) != 4 {
			t.Errorf("the changes of settings are %+v, %v; want those of threshold and quota", i.Settings, err)
		}
	})
}

// A threshold that changes which pairs fail, but not whether the segment does, changes the counted reasons. The sums
// are compared with a recount when the test ends.
func TestReasonsFollowThreshold(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=3", "gate=report"))
	for i, scores := range [][]float64{{0, 2, 4}, {2, 2, 2}, {4, 2, 0}} {
		s.RateNext(t, i, scores...)
	}
	s.Change(t, "threshold=-1")
}
