package rounds_test

import (
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// Decisions of a segment as "round status annotators".
type decided struct {
	Round      int
	Status     string
	Annotators int
	Threshold  float64
}

func decisions(t *testing.T, db *storetest.DB, segment string) []decided {
	t.Helper()
	return storetest.Query[decided](t, db, `SELECT d.round, d.status, d.annotators, d.threshold FROM decisions d JOIN segments g ON g.id = d.segment_id
		WHERE g.segment_id = ? ORDER BY d.round, d.decided_at, d.id`, segment)
}

// More annotators a segment make second looks wait for them. What a lead has decided is not
// counted as changed, though the round that it stands in is another.
func TestPreviewOfMoreAnnotators(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	a := storetest.Leading{T: t, Sample: s}
	for n := 1; n <= 2; n++ {
		storetest.RateBoth(t, db, s, n, 4, 2, 0)
	}
	s.Rate(t, 0, storetest.TurnOf(t, db, "s1", "ann1", 2), 0, 2, 4)
	s.Rate(t, 1, storetest.TurnOf(t, db, "s1", "ann2", 2), 4, 2, 0)
	a.Done(a.Discard("s1"))
	storetest.WantSegment(t, s, 1, campaign.Discarded, 2)
	preview := storetest.Must(db.Rounds.PreviewChange(t.Context(), s.Campaign, []string{"redundancy=3"}))(t)
	if got, want := preview.String(), "1 of 2 segments change: 1 second look -> pending"; got != want || preview.Withdrawn != 1 {
		t.Errorf("preview %q with %d withdrawn, want %q", got, preview.Withdrawn, want)
	}
}

// Another threshold decides every segment anew: a second look is withdrawn if its segment
// passes now, whether it is begun or not, and what was agreed may come back.
func TestThresholdChanged(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(5), storetest.PerDocument(5))
	for n, given := range [][]float64{{0, 2, 3}, {4, 2, 0}, {4, 2, 0}, {4, 2, 0}} {
		storetest.RateBoth(t, db, s, n+1, given...)
	}
	for n, want := range []campaign.Status{campaign.Agreed, campaign.Reannotate, campaign.Reannotate, campaign.Reannotate} {
		if seg := s.All(t)[n]; seg.Status != want {
			t.Fatalf("s%d is %s, want %s", n+1, seg.Status, want)
		}
	}
	s.Save(t, 0, storetest.TurnOf(t, db, "s3", "ann1", 2), 0, 3) // begins the second look at s3
	s.Rate(t, 0, storetest.TurnOf(t, db, "s4", "ann1", 2), 0, 2, 4)
	s.Rate(t, 1, storetest.TurnOf(t, db, "s4", "ann2", 2), 4, 2, 0)
	storetest.WantSegment(t, s, 4, campaign.Discarded, 2)

	preview := storetest.Must(db.Rounds.PreviewChange(t.Context(), s.Campaign, []string{"threshold=-1"}))(t)
	if preview.Segments != 5 || preview.Withdrawn != 2 || preview.ToGold != 3 || preview.SentBack+preview.Discarded+preview.OutOfGold != 0 {
		t.Errorf("preview %+v", preview)
	}
	if got, want := preview.String(), "3 of 5 segments change: 2 second look -> agreed, 1 discarded -> agreed"; got != want {
		t.Errorf("preview %q, want %q", got, want)
	}
	storetest.WantSegment(t, s, 2, campaign.Reannotate, 2) // only a preview

	did := storetest.Must(db.Rounds.ApplyChange(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Settings: []string{"threshold=-1"}}))(t)
	if did.String() != preview.String() {
		t.Errorf("did %s, previewed %s", did, preview)
	}
	s.Change(t) // reads the campaign again
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 3.5)
	storetest.WantSegment(t, s, 2, campaign.Agreed, 1, 2, 2, 2)
	storetest.WantSegment(t, s, 3, campaign.Agreed, 1, 2, 2, 2)
	storetest.WantSegment(t, s, 4, campaign.Agreed, 1, 2, 2, 2)
	storetest.WantSegment(t, s, 5, campaign.Pending, 1)
	storetest.WantCount(t, db, 4, "decisions WHERE current")
	// Nobody can begin it any more, in a page that is still open: the segment would
	// come back when somebody is set aside and restored.
	withdrawn := storetest.TurnOf(t, db, "s2", "ann1", 2)
	_, err := db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: withdrawn, CardID: s.CardID(t, 0, withdrawn, 0), Rating: storetest.Rating(1)})
	storetest.WantErr(t, err, campaign.ErrDecided)
	storetest.WantErr(t, storetest.Submit(t, s, 0, withdrawn, 0, 0, 0), campaign.ErrDecided)
	storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, withdrawn, "x"), campaign.ErrDecided)
	// The withdrawn second look is nobody's work.
	if p := s.MyProgress(t, 0); p.Second != 0 {
		t.Errorf("ann1 has %d second looks, want none", p.Second)
	}
	detail := s.Detail(t, "s2")
	if len(detail.Decisions) != 2 || !detail.Decisions[0].Superseded || detail.Decisions[0].Threshold != 0.7 ||
		detail.Decisions[1].Superseded || detail.Decisions[1].Threshold != -1 || detail.Decisions[1].Annotators != 2 || detail.Decisions[1].At.IsZero() {
		t.Errorf("decisions of s2 %+v", detail.Decisions)
	}
	storetest.WantLogged(t, db, s, "lead decide anew 3 of 5 segments change: 2 second look -> agreed, 1 discarded -> agreed")

	// Back again: the same second looks, and the one of s1 for the first time.
	s.Change(t, "threshold=0.99")
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	storetest.WantSegment(t, s, 2, campaign.Reannotate, 2)
	storetest.WantSegment(t, s, 4, campaign.Discarded, 2)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 open")
	storetest.WantStates(t, db, "s2", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 open")
	s.Change(t, "rounds=3")
	storetest.WantSegment(t, s, 4, campaign.Reannotate, 3)
	s.Change(t, "gate=report")
	storetest.WantSegment(t, s, 1, campaign.BelowThreshold, 1, 0, 2, 3.5)
	storetest.WantSegment(t, s, 4, campaign.BelowThreshold, 2, 2, 2, 2)
}

// Decided anew to the same end, a segment has not changed: lists by change still
// begin with what somebody did, and a large campaign is not counted again.
func TestThresholdLeavesTheRest(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	for n, given := range [][]float64{{0, 2, 4}, {0, 4, 2}} { // r is 1 and 0.5
		storetest.RateBoth(t, db, s, n+1, given...)
	}
	changed := func() (at [2]time.Time) {
		list, _, err := db.Desk.Segments(t.Context(), s.Campaign.ID, desk.SegmentFilter{Limit: 9})
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		return [2]time.Time{list[0].ChangedAt, list[1].ChangedAt}
	}
	before := changed()
	db.Clock.Advance(time.Hour)
	s.Change(t, "threshold=0.4")
	if at := changed(); !at[0].Equal(before[0]) || !at[1].After(before[1]) {
		t.Errorf("changed at %v, before %v; only s2 has changed", at, before)
	}
	if got := decisions(t, db, "s1"); len(got) != 2 || got[1] != (decided{1, "agreed", 2, 0.4}) {
		t.Errorf("decisions of s1 %+v, want what it was decided with kept", got)
	}
}

// A lead's rulings stay whatever the gate says later, until they are taken back.
func TestRulings(t *testing.T) {
	db, s := storetest.New(t, storetest.PerDocument(4))
	a := storetest.Leading{T: t, Sample: s}
	for n := range 3 {
		storetest.RateBoth(t, db, s, n+1, 4, 2, 0)
	}
	storetest.WantInvalid(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{a.Row("s1")}, " ", s.Lead.ID), "reason")
	storetest.WantInvalid(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, nil, "x", s.Lead.ID), "segments")
	storetest.WantErr(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{a.Row("s1"), "nothing"}, "x", s.Lead.ID), campaign.ErrNotFound)
	storetest.WantErr(t, a.RestoreSegments("s1"), campaign.ErrConflict)   // no lead has decided it
	storetest.WantErr(t, a.AcceptMeans("s1", "s4"), campaign.ErrConflict) // s4 has no round
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)                // all or none

	second := s.Next(t, 0)
	s.Save(t, 0, second, 0, 4)
	a.Done(a.AcceptMeans("s1", "s2"))
	a.Done(a.Discard("s3", "s4"))
	storetest.WantErr(t, a.Discard("s3"), campaign.ErrConflict)
	storetest.WantErr(t, a.FurtherAnnotator("s3", "ann1"), campaign.ErrConflict)
	s.Change(t, "threshold=-1")
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 2, 2, 2)
	storetest.WantSegment(t, s, 2, campaign.Adjudicated, 1, 2, 2, 2)
	storetest.WantSegment(t, s, 3, campaign.Discarded, 1)
	storetest.WantSegment(t, s, 4, campaign.Discarded, 1)
	storetest.SetAside(t, s, 0)
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 4, 2, 0) // the mean of those who are left
	storetest.Restore(t, s, 0)
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 2, 2, 2)
	s.Change(t, "threshold=0.7")
	storetest.WantSegment(t, s, 3, campaign.Discarded, 1)
	if d := s.Detail(t, "s3"); d.DecidingAct == nil || d.DecidingAct.Kind != campaign.Discard || d.DecidingAct.Reason != "bad source" {
		t.Errorf("s3 is held by %+v", d.DecidingAct)
	}
	storetest.WantNext(t, s, 0, campaign.ErrNoWork)

	// Taken back, the second look that was under way goes on where it was.
	a.Done(a.RestoreSegments("s1", "s3", "s4"))
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	storetest.WantSegment(t, s, 3, campaign.Reannotate, 2)
	storetest.WantSegment(t, s, 4, campaign.Pending, 1)
	if got := s.Next(t, 0); got != second || s.Work(t, 0, second).Cards[0].Revision != 1 {
		t.Errorf("ann1 goes on with %s, want %s and its draft", got, second)
	}
	storetest.WantLogged(t, db, s, "lead restore segment accept mean in s1: a mistake", "lead restore segment discard in s3: a mistake", "lead restore segment discard in s4: a mistake")
}

// In a campaign where one annotator rates each segment, one can look again, and the new rating alone decides.
func TestAnotherLookOfOne(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(2), storetest.Set("redundancy=1"))
	a := storetest.Leading{T: t, Sample: s}
	s.RateNext(t, 0, 0, 2, 4)
	storetest.WantSegment(t, s, 1, campaign.Ungated, 1, 0, 2, 4)
	a.Done(a.AnotherLook("s1"))
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann1/2 open")
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	s.RateNext(t, 0, 4, 2, 0)
	storetest.WantSegment(t, s, 1, campaign.Ungated, 2, 4, 2, 0)
}

// Another look alone decides a segment, though it had its last round, and though it
// agreed; taken back, its ratings count nowhere, and its round is never another one.
func TestAnotherLook(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	storetest.RateBoth(t, db, s, 1, 0, 2, 4)
	storetest.RateBoth(t, db, s, 2, 4, 2, 0)
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	storetest.WantSegment(t, s, 2, campaign.Discarded, 2)
	storetest.WantErr(t, a.AnotherLook("s1", "ann1"), campaign.ErrConflict)           // alone
	storetest.WantErr(t, a.AnotherLook("s1", "ann1", "nobody"), campaign.ErrNotFound) // is no annotator
	a.Done(a.AnotherLook("s1"))
	a.Done(a.AnotherLook("s2", "ann2", "ann3"))
	storetest.WantErr(t, a.AnotherLook("s1"), campaign.ErrConflict) // is under way
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	storetest.WantSegment(t, s, 2, campaign.Reannotate, 3)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 open")
	s.Change(t, "threshold=-1") // what a lead asked for goes on
	s.Change(t, "threshold=0.7")
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	storetest.WantSegment(t, s, 2, campaign.Reannotate, 3)
	if w := s.Work(t, 0, s.Next(t, 0)); w.LookReason != "look again" || !w.RatedBefore {
		t.Errorf("ann1 is told %q, want the lead's words", w.LookReason)
	}
	s.RateNext(t, 0, 0, 2, 4)
	s.Rate(t, 1, storetest.TurnOf(t, db, "s1", "ann2", 2), 4, 2, 0)
	s.Rate(t, 1, storetest.TurnOf(t, db, "s2", "ann2", 3), 0, 2, 4)
	s.RateNext(t, 2, 0, 2, 3)
	storetest.WantSegment(t, s, 1, campaign.Discarded, 2)
	storetest.WantSegment(t, s, 2, campaign.Agreed, 3, 0, 2, 3.5)
	if got := decisions(t, db, "s1"); got[len(got)-1] != (decided{2, "discarded", 2, 0.7}) {
		t.Errorf("decisions of s1 %+v", got)
	}
	// The share of round 1 does not change: it passed.
	if p := s.Progress(t); p.FirstFailed != 1 || p.FirstAgreed != 1 {
		t.Errorf("round 1 fails %d times and passes %d times", p.FirstFailed, p.FirstAgreed)
	}
	a.Done(a.RestoreSegments("s1"))
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 4)
	s.Change(t, "threshold=1", "tolerance=0")
	s.Change(t, "rounds=3")
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 4)
	storetest.SetAside(t, s, 1)
	storetest.RateFirst(t, db, s, 1, 2, 4, 2, 0)
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 3) // not the round of another look
}

// The latest act is undone on all segments on which it was done.
func TestUndo(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	for n := range 2 {
		storetest.RateBoth(t, db, s, n+1, 4, 2, 0)
	}
	storetest.WantErr(t, a.Undo("s1"), campaign.ErrConflict)
	a.Done(a.AcceptMeans("s1", "s2"))
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 2, 2, 2)
	db.Clock.Advance(time.Minute)
	a.Done(a.Discard("s2"))
	a.Done(a.Undo("s2"))
	storetest.WantSegment(t, s, 2, campaign.Adjudicated, 1, 2, 2, 2)
	a.Done(a.Undo("s1"))
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	storetest.WantSegment(t, s, 2, campaign.Reannotate, 2)
	storetest.WantErr(t, a.Undo("s1"), campaign.ErrConflict)
	// Handed out and not begun, it goes back.
	a.Done(a.Replace("s1", "ann2", "ann3"))
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 released", "ann3/2 open")
	a.Done(a.Undo("s1"))
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 open", "ann3/2 released")
	entries, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 1)
	if err != nil || entries[0].Act != "undo replace" || entries[0].Before != "second look in round 2" || entries[0].After != "second look in round 2" {
		t.Errorf("logged %+v, %v", entries, err)
	}
}

// What a lead enters stands in the audit log beside what it took the place of, and
// comes back when what took its place is taken back.
func TestEnteredScoresLeaveATrace(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Set("rounds=1"))
	a := storetest.Leading{T: t, Sample: s}
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	storetest.Check(t, db.Rounds.Adjudicate(t.Context(), s.Campaign.ID, a.Row("s1"), map[string]float64{"sys-001": 3.5}, "idiom", s.Lead.ID))
	entries, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 1)
	if err != nil || entries[0].Before != "discarded in round 1" || entries[0].After != "adjudicated in round 1, gold sys-001 3.5, sys-002 2, sys-003 2" {
		t.Errorf("logged %+v, %v", entries[0], err)
	}
	a.Done(a.Discard("s1"))
	storetest.WantSegment(t, s, 1, campaign.Discarded, 1)
	a.Done(a.RestoreSegments("s1"))
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 3.5, 2, 2)
	a.Done(a.RestoreSegments("s1"))
	storetest.WantSegment(t, s, 1, campaign.Discarded, 1)
	storetest.WantCount(t, db, 1, "adjudicated")
}

// Nobody waits for a further annotator, whose ratings count once they are there.
func TestFurtherAnnotator(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(4))
	a := storetest.Leading{T: t, Sample: s}
	storetest.RateBoth(t, db, s, 1, 0, 2, 4)
	storetest.WantErr(t, a.FurtherAnnotator("s1", "ann1"), campaign.ErrConflict)
	storetest.WantErr(t, a.FurtherAnnotator("s1", "lead"), campaign.ErrNotFound)
	a.Done(a.FurtherAnnotator("s1", "ann3"))
	storetest.WantErr(t, a.FurtherAnnotator("s1", "ann3"), campaign.ErrConflict)
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 4)
	storetest.WantCount(t, db, 2, "meetings WHERE user_id = ?", s.Annotators[2].ID)
	s.RateNext(t, 2, 4, 2, 0) // comes before anything new
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann3/1 submitted", "ann1/2 open", "ann2/2 open", "ann3/2 open")

	// In the second look, one who has not seen it: a blank form.
	a.Done(a.FurtherAnnotator("s1", "ann4"))
	joined := s.Next(t, 3)
	if w := s.Work(t, 3, joined); w.Assignment.Round != 2 || len(w.Cards[0].Rating.Scores) > 0 {
		t.Errorf("ann4 is given %+v", w.Assignment)
	}
	for i := range 3 {
		s.Rate(t, i, storetest.TurnOf(t, db, "s1", s.Annotators[i].Login, 2), 0, 2, 4)
	}
	storetest.WantSegment(t, s, 1, campaign.Agreed, 2, 0, 2, 4)
	s.Rate(t, 3, joined, 0, 2, 3)
	storetest.WantSegment(t, s, 1, campaign.Agreed, 2, 0, 2, 3.75)
	if got := decisions(t, db, "s1"); got[len(got)-1] != (decided{2, "agreed", 4, 0.7}) {
		t.Errorf("decisions %+v", got)
	}
}

// Somebody takes over from the annotator who left, or nobody does; what the replaced one submits
// does not count.
func TestReplaceAnnotator(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	for n := range 2 {
		storetest.RateBoth(t, db, s, n+1, 4, 2, 0)
	}
	storetest.WantErr(t, a.Replace("s3", "ann1", ""), campaign.ErrConflict) // has no turn
	storetest.WantErr(t, a.Replace("s1", "ann3", ""), campaign.ErrConflict) // is not in it
	s.Remove(t, "ann2")
	storetest.WantErr(t, a.Replace("s2", "ann1", "ann2"), campaign.ErrConflict) // has left
	storetest.WantErr(t, a.Replace("s2", "ann2", "ann1"), campaign.ErrConflict) // has it already
	q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Limit: 9}))(t)
	if q.Counts[""] != 2 || q.Counts[desk.QueueStranded] != 2 { // ann1 alone is no pair
		t.Errorf("queue %+v", q)
	}
	s.Rate(t, 0, storetest.TurnOf(t, db, "s1", "ann1", 2), 0, 2, 4)
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)

	a.Done(a.Replace("s1", "ann2", "ann3"))
	storetest.WantErr(t, a.Replace("s1", "ann2", ""), campaign.ErrConflict) // is replaced
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	if q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueStranded, Limit: 9}))(t); q.Counts[desk.QueueStranded] != 1 || q.Entries[0].SegmentID != "s2" {
		t.Errorf("nobody can go on with %+v, want s2", q.Entries)
	}
	s.RateNext(t, 2, 0, 2, 3)
	storetest.WantSegment(t, s, 1, campaign.Agreed, 2, 0, 2, 3.5)

	// In the first round: what they submitted goes out, and somebody else's comes in.
	storetest.RateFirst(t, db, s, 3, 0, 0, 2, 4)
	a.Done(a.Replace("s3", "ann1", "ann3"))
	storetest.WantSegment(t, s, 3, campaign.Pending, 1)
	storetest.WantPlaces(t, db, "s3", 1)
	s.Join(t, "ann2", campaign.Annotator)
	s.Rate(t, 2, storetest.TurnOf(t, db, "s3", "ann3", 1), 0, 2, 4)
	storetest.RateFirst(t, db, s, 3, 1, 0, 2, 3)
	storetest.WantSegment(t, s, 3, campaign.Agreed, 1, 0, 2, 3.5)
	if n := len(s.All(t)[2].Translations[0].Ratings); n != 2 {
		t.Errorf("%d ratings of s3 are exported, want those of ann2 and ann3", n)
	}
}

// A round above the first keeps an annotator who has submitted it or is asked for it. Those
// whom a lead has taken off it do not count.
func TestRoundKeepsAnAnnotator(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	storetest.RateBoth(t, db, s, 1, 4, 2, 0)
	a.Done(a.Replace("s1", "ann1", ""))
	storetest.WantErr(t, a.Replace("s1", "ann2", ""), campaign.ErrConflict)
	a.Done(a.Replace("s1", "ann2", "ann3"))
	storetest.WantErr(t, a.Replace("s1", "ann3", ""), campaign.ErrConflict)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 released", "ann2/2 released", "ann3/2 open")
}

// Nobody takes their own place, which would lock them out.
func TestNobodyReplacesThemselves(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	a := storetest.Leading{T: t, Sample: s}
	turn := s.Next(t, 0)
	db.Clock.Advance(100 * time.Hour)
	storetest.Check(t, db.Housekeep(t.Context()))
	storetest.WantStates(t, db, "s1", "ann1/1 released")
	storetest.WantInvalid(t, a.Replace("s1", "ann1", "ann1"), "by")
	if s.Next(t, 0) != turn {
		t.Error("ann1 does not go on")
	}
}

// The reason of every act is as long as its field on the page lets it be, and no longer.
func TestReasonsAreShort(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(1))
	ctx, id, by := t.Context(), s.Campaign.ID, s.Lead.ID
	row, long := []string{s.RowID(t, "d1", "s1")}, strings.Repeat("文", campaign.MaxReason)
	acts := map[string]func(reason string) error{
		"a segment":    func(reason string) error { return db.Rounds.AskForAdjudication(ctx, id, row, reason, by) },
		"an annotator": func(reason string) error { return db.Desk.SetAside(ctx, id, "ann2", reason, by) },
		"a skip": func(reason string) error {
			return db.Work.Skip(ctx, s.Campaign, s.Annotators[0].ID, s.Next(t, 0), reason)
		},
	}
	for what, do := range acts {
		t.Run(what, func(t *testing.T) {
			storetest.WantInvalid(t, do(" \n"), "reason")
			storetest.WantInvalid(t, do(long+"文"), "reason")
			storetest.WantInvalid(t, do("a\x00b"), "reason")
			storetest.Check(t, do(long))
		})
	}
}

// Taken off a round that they have submitted, somebody counts there no more, whatever
// decision was formed with them before.
func TestReplacedAfterSubmitting(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	storetest.RateBoth(t, db, s, 1, 0, 2, 3)
	a.Done(a.FurtherAnnotator("s1", "ann3"))
	s.RateNext(t, 2, 4, 2, 0)
	storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
	a.Done(a.Replace("s1", "ann3", ""))
	if got := s.All(t)[0].Status; got != campaign.Reannotate { // only from round 2 on
		t.Errorf("s1 is %s", got)
	}
	a.Done(a.Undo("s1"))
	a.Done(a.Undo("s1"))
	s.Change(t, "gate=report")
	a.Done(a.Replace("s1", "ann3", ""))
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 3.5)
	s.Change(t, "threshold=1")
	storetest.WantSegment(t, s, 1, campaign.BelowThreshold, 1, 0, 2, 3.5)
	s.Change(t, "threshold=0.7")
	storetest.WantSegment(t, s, 1, campaign.Agreed, 1, 0, 2, 3.5)
}

// TestAuditedScores: the audit log writes gold with at most four decimals.
func TestAuditedScores(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=3", "threshold=-1"))
	for i, scores := range [][]float64{{3, 2, 0}, {3, 2, 0}, {2, 2, 1}} {
		storetest.RateFirst(t, db, s, 1, i, scores...)
	}
	a := storetest.Leading{T: t, Sample: s}
	a.Done(a.Discard("s1"))
	before := storetest.Query[string](t, db, "SELECT before FROM audit_log WHERE before <> ''")
	if len(before) != 1 || !strings.HasSuffix(before[0], s.Systems[0]+" 2.6667, "+s.Systems[1]+" 2, "+s.Systems[2]+" 0.3333") {
		t.Errorf("the audit log says %q", before)
	}
}
