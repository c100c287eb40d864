package rounds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

// Undoing an act opens the problems again that it answered, and gives back what it took.
func TestUndoBringsBackProblems(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	for n := range 3 {
		id := storetest.HandOut(t, db, s, n+1, 0)
		storetest.Check(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, id, "no source"))
	}
	problem := storetest.AllProblems(t, s)[2].ID // of s1
	// One that was answered before is not the act's to open.
	storetest.Check(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, problem, "go on", false, s.Lead.ID))
	for _, act := range []struct {
		name string
		do   func() error
	}{
		{"discard", func() error { return a.Discard("s1", "s2", "s3") }},
		{"withdraw", func() error {
			return db.Rounds.Withdraw(t.Context(), s.Campaign.ID, a.Rows([]string{"s1", "s2", "s3"}), "bad", s.Lead.ID)
		}},
		{"another look", func() error {
			return db.Rounds.AnotherLook(t.Context(), s.Campaign.ID, a.Rows([]string{"s1", "s2", "s3"}), []string{"ann2", "ann3"}, "look", s.Lead.ID)
		}},
	} {
		a.Done(act.do())
		storetest.WantCount(t, db, 0, "problems WHERE resolved_at = 0")
		wantSegmentState(t, db, "s2", false, "ann1/1 released")
		a.Done(a.Undo("s3"))
		storetest.WantCount(t, db, 2, "problems WHERE resolved_at = 0")
		wantSegmentState(t, db, "s1", false, "ann1/1 open")
		wantSegmentState(t, db, "s2", true, "ann1/1 problem")
		for _, p := range storetest.AllProblems(t, s) {
			if (p.ID == problem) != (p.Answer == "go on") || (p.ID == problem) == p.ResolvedAt.IsZero() {
				t.Errorf("problem after undoing %s: %+v", act.name, p)
			}
		}
	}
	// The answer to a problem may be an act, and goes with it.
	p := storetest.AllProblems(t, s)[0]
	storetest.Check(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, p.ID, "it has none", true, s.Lead.ID))
	wantSegmentState(t, db, p.SegmentID, false, "ann1/1 released")
	a.Done(a.Undo(p.SegmentID))
	wantSegmentState(t, db, p.SegmentID, true, "ann1/1 problem")
	// Of somebody who is set aside, too.
	a.Done(a.Discard("s2"))
	storetest.SetAside(t, s, 0)
	a.Done(a.Undo("s2"))
	storetest.Restore(t, s, 0)
	wantSegmentState(t, db, "s2", true, "ann1/1 problem")
	db.Clock.Advance(time.Minute)
	storetest.SetAside(t, s, 0)
	a.Done(a.Discard("s2"))
	storetest.Restore(t, s, 0)
	wantSegmentState(t, db, "s2", false, "ann1/1 released")
	a.Done(a.Undo("s2"))
	wantSegmentState(t, db, "s2", true, "ann1/1 problem")
}

// wantSegmentState checks whether a segment is held for the lead, and its first turns.
func wantSegmentState(t *testing.T, db *storetest.DB, segment string, held bool, turns ...string) {
	t.Helper()
	if n := storetest.Count(t, db, "segments WHERE segment_id = ? AND held", segment); (n == 1) != held {
		t.Errorf("%s is held: %v, want %v", segment, n == 1, held)
	}
	got := storetest.Query[string](t, db, `SELECT u.login || '/' || a.round || ' ' || a.state FROM assignments a JOIN users u ON u.id = a.user_id
		JOIN segments g ON g.id = a.segment_id WHERE g.segment_id = ? AND a.round = 1 ORDER BY u.login`, segment)
	if !slices.Equal(got, turns) {
		t.Errorf("turns of %s %q, want %q", segment, got, turns)
	}
}

// What was released before it was replaced is not handed out by undoing that, and what
// a lead had given before stays given.
func TestUndoOfReplacing(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	storetest.HandOut(t, db, s, 1, 0)
	db.Clock.Advance(100 * time.Hour)
	storetest.Check(t, db.Housekeep(t.Context()))
	storetest.WantStates(t, db, "s1", "ann1/1 released")
	a.Done(a.Replace("s1", "ann1", "ann2"))
	storetest.WantStates(t, db, "s1", "ann1/1 released", "ann2/1 open")
	a.Done(a.Undo("s1"))
	storetest.WantStates(t, db, "s1", "ann1/1 released", "ann2/1 released")

	a.Done(a.FurtherAnnotator("s1", "ann3"))
	a.Done(a.Replace("s1", "ann3", ""))
	a.Done(a.FurtherAnnotator("s1", "ann3"))
	a.Done(a.Undo("s1"))
	a.Done(a.Undo("s1"))
	storetest.WantCount(t, db, 1, "assignments WHERE added AND state = 'open'")
	a.Done(a.Undo("s1"))
	storetest.WantCount(t, db, 0, "assignments WHERE added")
	// What was submitted since stays.
	a.Done(a.FurtherAnnotator("s1", "ann3"))
	s.Rate(t, 2, storetest.TurnOf(t, db, "s1", "ann3", 1), 0, 2, 4)
	a.Done(a.Undo("s1"))
	storetest.WantStates(t, db, "s1", "ann1/1 released", "ann2/1 released", "ann3/1 submitted")
}

// A lead can ask an annotator for a segment that the annotator has skipped. The skip holds again
// when the lead undoes that, also if it came after the act.
func TestUndoKeepsSkips(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	a := storetest.Leading{T: t, Sample: s}
	turn := s.Next(t, 0)
	skip := func(reason string) {
		t.Helper()
		storetest.Check(t, db.Work.Skip(t.Context(), s.Campaign, s.Annotators[0].ID, turn, reason))
	}
	skipped := func(what, reason string) {
		t.Helper()
		storetest.WantStates(t, db, "s1", "ann1/1 released")
		if got := s.Detail(t, "s1").Turns[0].Skipped; got != reason {
			t.Errorf("%s: ann1 skipped s1 because %q, want %q", what, got, reason)
		}
		storetest.WantNext(t, s, 0, campaign.ErrNoWork)
	}
	skip("not my field")
	a.Done(a.FurtherAnnotator("s1", "ann1"))
	storetest.WantStates(t, db, "s1", "ann1/1 open")
	a.Done(a.Undo("s1"))
	skipped("undone", "not my field")

	// What a lead asks for is handed out again after the annotator has left it idle.
	a.Done(a.FurtherAnnotator("s1", "ann1"))
	db.Clock.Advance(100 * time.Hour)
	storetest.Check(t, db.Housekeep(t.Context()))
	storetest.WantStates(t, db, "s1", "ann1/1 released")
	if s.Next(t, 0) != turn {
		t.Error("ann1 does not get what the lead asked for")
	}
	db.Clock.Advance(100 * time.Hour)
	storetest.Check(t, db.Housekeep(t.Context()))
	a.Done(a.FurtherAnnotator("s1", "ann1"))
	skip("still not my field")
	skipped("skipped again", "still not my field")
	a.Done(a.Undo("s1"))
	skipped("the second act undone", "still not my field")
}

// Replacing an annotator answers the problem that the annotator has reported, so that others get
// the segment. Undoing the act opens the problem again.
func TestReplacingAnswersTheProblem(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(4), storetest.Set("redundancy=3"))
	a := storetest.Leading{T: t, Sample: s}
	for i := range 2 {
		storetest.ReportProblem(t, s, i, storetest.HandOut(t, db, s, 1, i), "no source")
	}
	open := func() int { return storetest.Count(t, db, "problems WHERE resolved_at = 0") }
	a.Done(a.Replace("s1", "ann1", "ann3"))
	wantSegmentState(t, db, "s1", true, "ann1/1 released", "ann2/1 problem", "ann3/1 open")
	if open() != 1 {
		t.Errorf("%d problems are open, want that of ann2", open())
	}
	a.Done(a.Replace("s1", "ann2", ""))
	wantSegmentState(t, db, "s1", false, "ann1/1 released", "ann2/1 released", "ann3/1 open")
	if p := storetest.AllProblems(t, s)[0]; p.ResolvedAt.IsZero() || p.Answer == "" {
		t.Errorf("the problem is %+v, want it answered with the reason", p)
	}
	s.RateNext(t, 3, 0, 2, 4)
	a.Done(a.Undo("s1"))
	wantSegmentState(t, db, "s1", true, "ann1/1 released", "ann2/1 problem", "ann3/1 open", "ann4/1 submitted")
	if open() != 1 {
		t.Errorf("%d problems are open after the undo, want that of ann2", open())
	}
}

// The order of acts is that in which they were done, whatever the clock says.
func TestActsUnderAClockSetBack(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	a := storetest.Leading{T: t, Sample: s}
	storetest.RateBoth(t, db, s, 1, 4, 2, 0)
	a.Done(a.Discard("s1"))
	db.Clock.Advance(-24 * time.Hour)
	a.Done(a.AcceptMeans("s1"))
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 2, 2, 2)
	d := s.Detail(t, "s1")
	if len(d.Acts) != 2 || d.Acts[1].Kind != campaign.AcceptMean {
		t.Errorf("acts %+v", d.Acts)
	}
	a.Done(a.Undo("s1"))
	storetest.WantSegment(t, s, 1, campaign.Discarded, 1)
}

// An act on many segments is done in steps, and is one act all the same.
func TestActOnMany(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetActStep(db.Store, 2)
	s := storetest.Campaign(t, db.Store, storetest.Segments(5), storetest.PerDocument(5), storetest.Annotators(3))
	a := storetest.Leading{T: t, Sample: s}
	all := []string{"s1", "s2", "s3", "s4", "s5"}
	for n := range 4 {
		storetest.RateBoth(t, db, s, n+1, 4, 2, 0)
	}
	storetest.WantErr(t, a.AcceptMeans(all...), campaign.ErrConflict) // s5 has no round
	storetest.WantCount(t, db, 0, "acts")
	a.Done(a.AcceptMeans(all[:4]...))
	for n := range 4 {
		storetest.WantSegment(t, s, n+1, campaign.Adjudicated, 1, 2, 2, 2)
	}
	if n := len(slices.Compact(storetest.Query[string](t, db, "SELECT batch FROM acts ORDER BY seq"))); n != 1 {
		t.Errorf("%d batches, want one", n)
	}
	a.Done(a.Undo("s2"))
	for n := range 4 {
		storetest.WantSegment(t, s, n+1, campaign.Reannotate, 2)
	}
	storetest.WantCount(t, db, 4, "audit_log WHERE act = 'undo accept mean'")
	storetest.WantCount(t, db, 0, "jobs")
}

// An act on several segments is undone on one of them, or on all where no other act came after it. What
// the undo will touch is known before, and nothing else is touched.
func TestUndoSaysWhatItTouches(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetActStep(db.Store, 2)
	s := storetest.Campaign(t, db.Store, storetest.Segments(5), storetest.PerDocument(5))
	a := storetest.Leading{T: t, Sample: s}
	a.Done(a.Discard("s1", "s2", "s3", "s4", "s5"))
	a.Done(a.RestoreSegments("s2"))
	undo := func(segment string) *readmodel.Undo {
		return s.Detail(t, segment).Undo
	}
	wantStatuses := func(want ...campaign.Status) {
		t.Helper()
		for n, status := range want {
			storetest.WantSegment(t, s, n+1, status, 1)
		}
	}
	const out, in = campaign.Discarded, campaign.Pending
	u := undo("s1")
	if u.Segments != 4 || u.Blocked != 1 || !slices.Equal(u.Blocking, []readmodel.SegmentID{{ID: a.Row("s2"), Name: "s2"}}) {
		t.Errorf("the undo would touch %+v", u)
	}
	for _, refused := range []struct {
		act      string
		segments int
	}{{u.ActID, 5}, {u.ActID, 3}, {undo("s2").ActID, 1}, {"", 1}} {
		storetest.WantErr(t, db.Rounds.Undo(t.Context(), s.Campaign.ID, a.Row("s1"), refused.act, refused.segments, s.Lead.ID), campaign.ErrConflict)
	}
	wantStatuses(out, in, out, out, out)
	a.Done(a.UndoHere("s1"))
	wantStatuses(in, in, out, out, out)
	entries, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 2)
	if err != nil || entries[0].Act != "undo discard" || entries[0].Subject != "s1" || entries[0].Before != "discarded in round 1" || entries[0].After != "pending in round 1" || entries[1].Act == "undo discard" {
		t.Errorf("logged %+v, %v", entries, err)
	}
	// The rest is undone although a step fails, and the segment with a later act is left alone.
	works := storetest.FailStatement(db.Store, "UPDATE acts SET undone", 2)
	a.Done(a.Undo("s5"))
	works()
	wantStatuses(in, in, in, in, in)
	if u := undo("s2"); u == nil || u.Segments != 1 || u.Blocked != 0 {
		t.Errorf("the undo of s2 would touch %+v", u)
	}
	a.Done(a.Undo("s2"))
	wantStatuses(in, out, in, in, in)
	if u := undo("s2"); u == nil || u.Segments != 1 || u.Blocked != 0 {
		t.Errorf("then the undo of s2 would touch %+v", u)
	}
	a.Done(a.Undo("s2"))
	wantStatuses(in, in, in, in, in)
	if n := storetest.Count(t, db, "jobs"); n != 0 || undo("s2") != nil {
		t.Errorf("%d batches are under way, or there is more to undo", n)
	}
}

// Where a step fails, what was done before it is undone.
func TestActOnManyFails(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetActStep(db.Store, 2)
	s := storetest.Campaign(t, db.Store, storetest.Segments(5), storetest.PerDocument(5))
	a := storetest.Leading{T: t, Sample: s}
	all := a.Rows([]string{"s1", "s2", "s3", "s4", "s5"})
	works := storetest.FailStatement(db.Store, "INSERT INTO acts", 2)
	if err := db.Rounds.Discard(t.Context(), s.Campaign.ID, all, "all", s.Lead.ID); err == nil || !strings.Contains(err.Error(), "the statement fails") {
		t.Errorf("error %v", err)
	}
	works()
	storetest.WantCount(t, db, 2, "acts WHERE undone")
	if n := storetest.Count(t, db, "segments WHERE status <> 'pending'") + storetest.Count(t, db, "jobs"); n != 0 {
		t.Errorf("%d segments are not pending, or batches under way", n)
	}
	// An act that another program took for abandoned, and begins to take back, is not gone on with.
	works = storetest.BeforeStatement(db.Store, "UPDATE jobs SET beat", 2, func(tx *gorm.DB) {
		storetest.Check(t, tx.Session(&gorm.Session{NewDB: true}).Exec("UPDATE jobs SET position = 1").Error)
	})
	storetest.WantErr(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, all, "all", s.Lead.ID), campaign.ErrConflict)
	works()
	if n := storetest.Count(t, db, "segments WHERE status <> 'pending'") + storetest.Count(t, db, "jobs"); n != 0 {
		t.Errorf("%d segments are not pending, or batches under way", n)
	}
	// Undoing goes on where it failed.
	a.Done(db.Rounds.Discard(t.Context(), s.Campaign.ID, all, "all", s.Lead.ID))
	works = storetest.FailStatement(db.Store, "UPDATE acts SET undone", 2)
	a.Done(a.Undo("s1"))
	works()
	if n := storetest.Count(t, db, "segments WHERE status <> 'pending'") + storetest.Count(t, db, "jobs"); n != 0 {
		t.Errorf("%d segments are not pending, or batches under way", n)
	}
}

// While an act is done on many segments, no other act is done on them, nor is it undone.
// What is left of it by a program that was killed is taken back.
func TestActOnManyKilled(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		db.DB.DeadAfter = 50 * time.Millisecond
		s := storetest.Campaign(t, db.Store, storetest.PerDocument(4))
		a := storetest.Leading{T: t, Sample: s}
		a.Done(a.Discard("s1", "s2"))
		storetest.Exec(t, db, "INSERT INTO jobs (id, kind, campaign_id) SELECT DISTINCT batch, 'act', campaign_id FROM acts")
		storetest.WantErr(t, a.RestoreSegments("s1"), campaign.ErrConflict)
		storetest.WantErr(t, a.Undo("s1"), campaign.ErrConflict)
		a.Done(a.Discard("s3"))
		a.Done(db.Housekeep(t.Context()))
		storetest.WantSegment(t, s, 1, campaign.Pending, 1)
		storetest.WantSegment(t, s, 2, campaign.Pending, 1)
		storetest.WantSegment(t, s, 3, campaign.Discarded, 1)
		storetest.WantCount(t, db, 0, "jobs")
		storetest.WantCount(t, db, 2, "audit_log WHERE act = 'undo discard' AND reason <> ''")
		a.Done(a.Discard("s1"))
	})
}

// An act that answers problems mails its reason once to each annotator who reported them, however many problems and steps there are.
// Undoing it on a segment mails nothing.
func TestActMailsAnswersOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		storetest.SetActStep(db.Store, 2)
		storetest.SendMails(t, db)
		s := storetest.Campaign(t, db.Store, storetest.Segments(4), storetest.PerDocument(4), storetest.Annotators(3))
		for i, u := range s.Annotators {
			storetest.Check(t, db.Accounts.SetMail(t.Context(), u.ID, []string{"a@example.org", "b@example.org", "c@example.org"}[i]))
		}
		for n := range 3 {
			storetest.ReportProblem(t, s, 0, storetest.HandOut(t, db, s, n+1, 0), "no source")
		}
		storetest.ReportProblem(t, s, 1, storetest.HandOut(t, db, s, 3, 1), "no source either")
		want := func(what string, want ...string) {
			t.Helper()
			var got []string
			for _, m := range storetest.Mailed(t, db) {
				_, about, _ := strings.Cut(m.Text, " writes to you about ")
				about, _, _ = strings.Cut(about, "\n\nYou can turn")
				got = append(got, m.To+": "+about)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s mailed %q, want %q", what, got, want)
			}
		}
		const here = "and all messages are here: https://annotate.example.org/work"
		a := storetest.Leading{T: t, Sample: s}
		ids := a.Rows([]string{"s1", "s2", "s3", "s4"})
		a.Done(db.Rounds.Withdraw(t.Context(), s.Campaign.ID, ids, "The texts are gone.", s.Lead.ID))
		want("withdrawing", "a@example.org: 3 segments:\n\nThe texts are gone.\n\nThe segments "+here, "b@example.org: a segment:\n\nThe texts are gone.\n\nThe segment "+here)
		storetest.WantCount(t, db, 2, "deliveries WHERE campaign_id = ?", s.Campaign.ID)
		a.Done(a.UndoHere("s3"))
		want("undoing")
		storetest.Check(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, storetest.AllProblems(t, s)[0].ID, "This one, too.", true, s.Lead.ID))
		want("answering a problem by withdrawing", "a@example.org: a segment:\n\nThis one, too.\n\nThe segment "+here, "b@example.org: a segment:\n\nThis one, too.\n\nThe segment "+here)
	})
}
