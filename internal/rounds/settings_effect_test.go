package rounds_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// The segments of a campaign follow changed settings in steps where they are many, and come
// out as if they had in one. Until all do nobody leads the campaign, and annotators go on.
func TestSettingsFollowInSteps(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetActStep(db.Store, 2)
	s := storetest.Campaign(t, db.Store, storetest.Segments(7), storetest.PerDocument(7))
	a := storetest.Leading{T: t, Sample: s}
	for n := range 5 {
		storetest.RateBoth(t, db, s, n+1, []float64{0, 4}[n%2], 2, []float64{4, 0}[n%2])
	}
	before := outcome(t, db, s)
	mine := storetest.HandOut(t, db, s, 6, 0)
	change := func(pair string) (string, error) {
		did, err := db.Rounds.ApplyChange(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Settings: []string{pair}})
		s.Reload(t)
		return did.String(), err
	}
	wantFollowed := func(what string) {
		t.Helper()
		if p := storetest.Must(storetest.FollowAll(t.Context(), db.Store, s.Campaign.ID))(t); p.Changed() != 0 {
			t.Errorf("%s: not what follows: %s", what, p)
		}
		storetest.Check(t, db.Intake.Completing(t.Context(), s.Campaign.ID))
	}
	const lower = "2 of 7 segments change: 2 second look -> agreed"
	if p := storetest.Must(db.Rounds.PreviewChange(t.Context(), s.Campaign, []string{"threshold=-1"}))(t); p.String() != lower {
		t.Errorf("the preview says %q, want %q", p, lower)
	}
	if did := storetest.Must(change("threshold=-1"))(t); did != lower {
		t.Errorf("the change says %q, want %q", did, lower)
	}
	storetest.WantLogged(t, db, s, "lead set threshold 0.7 -> -1", "lead decide anew "+lower)
	wantFollowed("lowered")

	// A program that is killed after a step.
	works := storetest.FailStatement(db.Store, "UPDATE jobs SET position", 2)
	if _, err := change("threshold=0.7"); err == nil {
		t.Fatal("the step did not fail")
	}
	works()
	refused, ok := errors.AsType[*records.CompletingError](db.Intake.Completing(t.Context(), s.Campaign.ID))
	if !ok || !refused.Settings || refused.Share < 0.28 || refused.Share > 0.29 {
		t.Errorf("while segments follow, leads are told %v, want 2 of 7", refused)
	}
	storetest.WantErr(t, a.Discard("s1"), campaign.ErrBusy)
	_, err := change("threshold=0.5")
	storetest.WantErr(t, err, campaign.ErrBusy)
	s.Rate(t, 0, mine, 0, 2, 4)
	storetest.Check(t, db.Housekeep(t.Context()))
	wantFollowed("gone on with by housekeeping")
	if got := lastAudits(t, db, s, 1)[0]; got != "lead decide anew 2 of 7 segments change: 2 agreed -> second look" {
		t.Errorf("logged %q", got)
	}
	for i, o := range outcome(t, db, s)[:5] {
		if o.String() != before[i].String() {
			t.Errorf("there and back, %s is %s, want %s", o.Segment, o, before[i])
		}
	}

	works = storetest.FailStatement(db.Store, "UPDATE jobs SET position", 2)
	if _, err := change("redundancy=3"); err == nil {
		t.Fatal("the step did not fail")
	}
	works()
	again, err := store.Open(t.Context(), db.Config)
	storetest.Check(t, err)
	storetest.Check(t, again.Close())
	wantFollowed("gone on with by the next program")
	storetest.WantCount(t, db, 7, "segments WHERE status = 'pending'")

	// Another program does all the steps.
	end := storetest.BeforeStatement(db.Store, "FROM jobs WHERE id = ", 1, func(*gorm.DB) {
		other := storetest.Must(store.Open(t.Context(), db.Config))(t)
		storetest.Check(t, other.Close())
	})
	if did := storetest.Must(change("redundancy=2"))(t); did != (readmodel.SettingsPreview{}).String() {
		t.Errorf("the change says %q, want nothing", did)
	}
	end()
	wantFollowed("done by another program")
}

// Ratings get their scores by changed settings in steps. A segment that is submitted meanwhile is
// decided by the step that reaches it, when all its ratings have the scores that count.
func TestScoresFollowInSteps(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		storetest.SetActStep(db.Store, 2)
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(6), storetest.PerDocument(6), storetest.Systems(1), storetest.Set("critical=yes", "gate=report"))
		critical := protocol.ErrorSpan{ID: "a", Side: protocol.Target, Start: 0, End: 11, Severity: "critical", Category: "Other"}
		rate := func(i int, id string) {
			t.Helper()
			w := s.Work(t, i, id)
			card := w.Cards[0]
			saved := storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[i].ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: protocol.Rating{Spans: []protocol.ErrorSpan{critical}}}))(t)
			storetest.Check(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[i].ID, id, map[string]int{card.ID: saved.Revision}))
		}
		for range 6 {
			rate(0, s.Next(t, 0))
		}
		id := storetest.HandOut(t, db, s, 6, 1)
		before := gates(t, db, s)
		works := storetest.FailStatement(db.Store, "UPDATE jobs SET position", 2)
		err := db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Settings: []string{"critical=no"}})
		works()
		if err == nil {
			t.Fatal("the step did not fail")
		}
		if s.Reload(t); !slices.Equal(s.Campaign.Own.Severities, []string{"critical"}) {
			t.Errorf("own severities %q, want that which is used, from the beginning", s.Campaign.Own.Severities)
		}
		card := s.Work(t, 1, id).Cards[0]
		major := critical
		major.Severity = "major"
		saved := storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[1].ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: protocol.Rating{Spans: []protocol.ErrorSpan{major}}}))(t)
		storetest.Check(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[1].ID, id, map[string]int{card.ID: saved.Revision}))
		if got := gates(t, db, s); got["s6 sys-001 ann1"] != -25 || got["s6 sys-001 ann2"] != -5 {
			t.Errorf("submitted meanwhile, the scores are %v", got)
		}
		storetest.WantSegment(t, s, 6, campaign.Pending, 1)
		storetest.Check(t, db.Housekeep(t.Context()))
		storetest.WantSegment(t, s, 6, campaign.BelowThreshold, 1, -2.5)
		got := gates(t, db, s)
		delete(got, "s6 sys-001 ann2")
		for key, x := range got {
			if x != 0 {
				t.Errorf("%s scores %v, want 0", key, x)
			}
		}
		log := strings.Join(lastAudits(t, db, s, 3), "\n")
		if !strings.Contains(log, `recompute scores 6 of 7 ratings with errors have another score; "critical" is used, stays as the campaign's own and costs nothing`) {
			t.Errorf("logged %q", log)
		}
		storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Settings: []string{"critical=yes"}}))
		got = gates(t, db, s)
		delete(got, "s6 sys-001 ann2")
		if !maps.Equal(got, before) {
			t.Errorf("there and back, the scores are %v, want %v", got, before)
		}
	})
}
