package desk_test

import (
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/plan"
	"annotate/internal/store/storetest"
)

// The desk names what waits for nobody who can work, what is left untouched for too long,
// and what was rated after a lead had decided; the queue lists each.
func TestDeskNamesWhatWaits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.PerDocument(4), storetest.Annotators(3), storetest.Set("redundancy=3"))
		a := storetest.Leading{T: t, Sample: s}
		want := func(what string, stuck, late, overtaken int) {
			t.Helper()
			p := s.Progress(t)
			if p.Stuck != stuck || p.Late != late || p.Overtaken != overtaken {
				t.Errorf("%s: %d stuck, %d late, %d overtaken, want %d, %d, %d", what, p.Stuck, p.Late, p.Overtaken, stuck, late, overtaken)
			}
			for only, n := range map[string]int{desk.QueueStuck: stuck, desk.QueueLate: late, desk.QueueOvertaken: overtaken} {
				q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: only, Limit: 9}))(t)
				if q.Counts[only] != n || len(q.Entries) != n {
					t.Errorf("%s: the queue lists %d of %d as %s, want %d", what, len(q.Entries), q.Counts[only], only, n)
				}
			}
		}
		storetest.RateBoth(t, db, s, 1, 4, 2, 0)
		want("ann3 can rate it", 0, 0, 0)
		s.Remove(t, "ann3")
		want("nobody is left to rate s1", 1, 0, 0)
		s.Change(t, "redundancy=2")
		want("two ratings are enough", 0, 0, 0)
		storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
		db.Clock.Advance(25 * time.Hour)
		want("nobody has touched the second look for a day", 0, 1, 0)
		s.Save(t, 0, storetest.TurnOf(t, db, "s1", "ann1", 2), 0, 3)
		s.Save(t, 1, storetest.TurnOf(t, db, "s1", "ann2", 2), 0, 3)
		want("both have begun", 0, 0, 0)
		storetest.ReportProblem(t, s, 0, storetest.TurnOf(t, db, "s1", "ann1", 2), "no sentence")
		if p := s.Progress(t); p.Held != 1 {
			t.Errorf("a reported problem holds %d second looks back, want 1", p.Held)
		}

		// An assignment that is in work when a lead decides may still be submitted.
		late := storetest.HandOut(t, db, s, 2, 0)
		s.Fill(t, 0, late, 0, 2, 4)
		db.Clock.Advance(time.Minute)
		a.Done(a.Discard("s2"))
		want("discarded", 0, 0, 0)
		db.Clock.Advance(time.Minute)
		s.Submit(t, 0, late)
		want("rated after that", 0, 0, 1)
		storetest.WantSegment(t, s, 2, campaign.Discarded, 1)
		a.Done(a.RestoreSegments("s2"))
		want("taken back", 0, 0, 0)
	})
}

// A segment is stuck too if the plan lets nobody have it who has not had it yet.
func TestDeskNamesWhatThePlanHoldsBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.PerDocument(1), storetest.Annotators(3), storetest.Set("redundancy=2"))
		edit := func(e plan.Edit) { storetest.Must(db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID))(t) }
		want := func(what string, names ...string) {
			t.Helper()
			var got []string
			for _, e := range storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueStuck, Sort: desk.SortPosition, Limit: 9}))(t).Entries {
				got = append(got, e.SegmentID)
			}
			if !slices.Equal(got, names) {
				t.Errorf("%s: %q are stuck, want %q", what, got, names)
			}
			storetest.CheckGoesOn(t, s, what)
		}
		edit(plan.Edit{Kind: plan.EditAssign, Logins: []string{"ann1", "ann2"}})
		edit(plan.Edit{Kind: plan.EditSetPull})
		want("planned for two who have not had it")
		s.Skip(t, 0, s.Next(t, 0), "not my field")
		want("ann2 has not had it")
		s.RateNext(t, 1, 0, 2, 4)
		want("ann1 skipped it and ann2 is done", "s1")
		edit(plan.Edit{Kind: plan.EditSetPull, Pull: true})
		want("ann3 may have what nobody is planned for")
		edit(plan.Edit{Kind: plan.EditSavePool, Documents: []string{"d1"}, Pool: plan.Pool{Name: "law", Members: []string{"ann1", "ann2"}}})
		want("ann3 is not in the pool", "s1")
		edit(plan.Edit{Kind: plan.EditEnd})
		want("without a plan")
	})
}

// Whether ratings came after a decision goes by the order in which they were stored. Once a
// lead has looked at them the desk does not name the segment any more, until others come.
func TestRatedAfterDecision(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.PerDocument(3), storetest.Annotators(4), storetest.Set("redundancy=3"))
		a := storetest.Leading{T: t, Sample: s}
		want := func(what string, names ...string) {
			t.Helper()
			var got []string
			for _, e := range storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueOvertaken, Sort: desk.SortPosition, Limit: 9}))(t).Entries {
				got = append(got, e.SegmentID)
			}
			// A segment that a lead discarded does not count as failed.
			if p := s.Progress(t); !slices.Equal(got, names) || p.Overtaken != len(names) || p.Failed != 0 {
				t.Errorf("%s: %q are rated after a decision, %d on the desk, want %q; %d failed", what, got, p.Overtaken, names, p.Failed)
			}
			for _, name := range []string{"s1", "s2", "s3"} {
				if d := s.Detail(t, name); d.Overtaken != slices.Contains(names, name) {
					t.Errorf("%s: the page of %s says %v", what, name, d.Overtaken)
				}
			}
		}
		var late [3][3]string // by segment and annotator
		for i := range 3 {
			for n := range 3 {
				late[n][i] = storetest.HandOut(t, db, s, n+1, i)
				s.Fill(t, i, late[n][i], 0, 2, 4)
			}
		}
		s.Submit(t, 0, late[0][0])
		s.Submit(t, 0, late[1][0])
		db.Clock.Advance(-time.Hour)
		a.Done(a.Discard("s1", "s2"))
		want("a clock set back brings nothing after the decision")
		db.Clock.Advance(-time.Hour)
		s.Submit(t, 1, late[0][1])
		want("a clock set back hides nothing that came after it", "s1")
		s.Submit(t, 1, late[1][1])
		want("another one", "s1", "s2")

		seen := func(names ...string) error {
			return db.Rounds.LookAtRatings(t.Context(), s.Campaign.ID, a.Rows(names), "they change nothing", s.Lead.ID)
		}
		storetest.WantErr(t, seen("s1", "s3"), campaign.ErrConflict)
		a.Done(seen("s1", "s2"))
		want("looked at")
		storetest.WantErr(t, seen("s1"), campaign.ErrConflict)
		storetest.WantSegment(t, s, 1, campaign.Discarded, 1)
		log := storetest.Query[string](t, db, "SELECT subject || ' ' || reason FROM audit_log WHERE act = 'look at later ratings' AND user_id = ? ORDER BY subject", s.Lead.ID)
		if !slices.Equal(log, []string{"s1 they change nothing", "s2 they change nothing"}) {
			t.Errorf("the audit log has %q", log)
		}
		a.Done(a.Undo("s1"))
		want("undone", "s1", "s2")
		a.Done(seen("s1", "s2"))
		s.Submit(t, 2, late[0][2])
		want("a further rating", "s1")
		a.Done(seen("s1"))

		// Imported ratings come when they are imported. Scores that are computed anew are no new ratings.
		storetest.ImportRatings(t, s, storetest.TurnLines(s, "s2", s.Annotators[3].Login, 1, 1, 2, 3)...)
		want("an import", "s2")
		a.Done(a.RestoreSegments("s2"))
		want("nothing is decided")
		a.Done(a.Discard("s2"))
		want("decided with all that is there")
	})
}
