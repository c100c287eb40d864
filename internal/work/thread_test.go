package work_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// said writes each message as "who kind: text".
func said(messages []readmodel.Message) (out []string) {
	for _, m := range messages {
		who := "annotator"
		if m.ByLead {
			who = "lead"
		}
		text := who + " " + string(m.Kind) + ": " + m.Text
		if m.New {
			text += " (new)"
		}
		out = append(out, text)
	}
	return out
}

// TestThread checks that the questions of an annotator about a segment, the replies of leads, and a
// problem with its answer are in one thread, and that another annotator of the segment does not see
// the thread.
func TestThread(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2))
		a, other := s.Next(t, 0), s.Next(t, 1)
		segment := s.RowID(t, "d1", "s1")
		ask := func(i int, assignment, token, text string) error {
			db.Clock.Advance(time.Second)
			return db.Work.Ask(t.Context(), s.Campaign, s.Annotators[i].ID, assignment, token, text)
		}
		thread := func(i int, assignment string) []string {
			t.Helper()
			return said(storetest.Must(db.Work.Thread(t.Context(), s.Campaign, s.Annotators[i].ID, assignment))(t))
		}
		storetest.Check(t, ask(0, a, "1", " is it \r\na name? "+storetest.HardTexts[8]+"\n"))
		storetest.Check(t, ask(0, a, "1", "is it a name?")) // sent again, as after a lost answer
		storetest.Check(t, ask(0, a, "2", "or a place?"))
		if w := s.Work(t, 0, a); w.Held || w.Assignment.State != campaign.InWork {
			t.Errorf("asking changed the work: %+v", w.Assignment)
		}
		s.Save(t, 0, a, 0, 3) // the annotator can go on rating
		if n := storetest.Must(db.Desk.CountToAnswer(t.Context(), s.Campaign.ID))(t); n != 1 {
			t.Errorf("%d threads wait for an answer, want 1", n)
		}
		threads := storetest.Must(db.Desk.SegmentThreads(t.Context(), segment))(t)
		first := threads[0].Messages[0].At
		reply := work.Reply{SegmentID: segment, Login: "ann1", Text: "a river", Seen: first}
		db.Clock.Advance(time.Second)
		storetest.Check(t, db.Work.Reply(t.Context(), s.Campaign.ID, reply, s.Lead.ID))
		storetest.Check(t, db.Work.Reply(t.Context(), s.Campaign.ID, reply, s.Lead.ID)) // the form was sent twice
		if n := storetest.Must(db.Desk.CountToAnswer(t.Context(), s.Campaign.ID))(t); n != 1 {
			t.Error("a message that the lead had not seen waits no more")
		}
		reply.Seen, reply.Text = db.Clock.Now(), "no place"
		db.Clock.Advance(time.Second)
		storetest.Check(t, db.Work.Reply(t.Context(), s.Campaign.ID, reply, s.Lead.ID))
		if n := storetest.Must(db.Desk.CountToAnswer(t.Context(), s.Campaign.ID))(t); n != 0 {
			t.Errorf("%d threads wait after the answer", n)
		}
		want := []string{"annotator message: is it \na name? " + strings.TrimSpace(storetest.HardTexts[8]), "annotator message: or a place?", "lead message: a river (new)", "lead message: no place (new)"}
		if got := thread(0, a); !slices.Equal(got, want) {
			t.Errorf("the annotator reads %q, want %q", got, want)
		}
		if got := thread(1, other); len(got) != 0 {
			t.Errorf("another annotator reads %q", got)
		}
		if w := s.Work(t, 1, other); len(w.Thread) != 0 {
			t.Errorf("another annotator's page has %v", w.Thread)
		}
		for _, m := range s.Work(t, 0, a).Thread {
			if m.ByLead && m.Login != "" {
				t.Error("the annotator's page names a lead")
			}
		}

		// The thread is listed as unread until the annotator reads it.
		unread := storetest.Must(db.Work.UnreadThreads(t.Context(), s.Campaign.ID, s.Annotators[0].ID))(t)
		if len(unread) != 1 || unread[0].AssignmentID != a || unread[0].Answer != "a river" {
			t.Errorf("unread %v", unread)
		}
		storetest.Check(t, db.Work.ReadThread(t.Context(), s.Campaign, s.Annotators[0].ID, a, db.Clock.Now()))
		if unread := storetest.Must(db.Work.UnreadThreads(t.Context(), s.Campaign.ID, s.Annotators[0].ID))(t); len(unread) != 0 {
			t.Errorf("after reading, unread %v", unread)
		}
		storetest.WantErr(t, db.Work.ReadThread(t.Context(), s.Campaign, s.Annotators[1].ID, a, db.Clock.Now()), campaign.ErrNotFound)

		// A problem and its answer join the thread.
		db.Clock.Advance(time.Second)
		storetest.ReportProblem(t, s, 0, a, "no sentence")
		if n := storetest.Must(db.Desk.CountToAnswer(t.Context(), s.Campaign.ID))(t); n != 1 {
			t.Errorf("%d wait with a problem reported", n)
		}
		db.Clock.Advance(time.Second)
		storetest.Check(t, db.Work.Reply(t.Context(), s.Campaign.ID, work.Reply{SegmentID: segment, Login: "ann1", Text: "why?", Seen: db.Clock.Now()}, s.Lead.ID))
		storetest.Check(t, ask(0, a, "3", "no verb")) // also while the segment has an open problem
		db.Clock.Advance(time.Second)
		resolve(t, s, "ann1", "it is fine", false)
		if n := storetest.Must(db.Desk.CountToAnswer(t.Context(), s.Campaign.ID))(t); n != 0 {
			t.Errorf("%d wait after the problem was answered", n)
		}
		want = []string{"annotator problem: no sentence", "lead message: why? (new)", "annotator message: no verb", "lead answer: it is fine (new)"}
		if got := thread(0, a)[4:]; !slices.Equal(got, want) {
			t.Errorf("the annotator reads %q, want %q", got, want)
		}
		if unread := storetest.Must(db.Work.UnreadThreads(t.Context(), s.Campaign.ID, s.Annotators[0].ID))(t); len(unread) != 1 || unread[0].Answer != "why?" {
			t.Errorf("after the problem was answered, unread %v", unread)
		}
		if got := storetest.AuditLines(t, db, s); !slices.Contains(got, "lead write to annotator s1 (ann1)") {
			t.Errorf("the audit log has %q", got)
		}
	})
}

// TestWithdrawAnswersInThread checks that the reason of a lead who withdraws the segment is in the
// thread, and that undoing the act removes it.
func TestWithdrawAnswersInThread(t *testing.T) {
	db, s := storetest.New(t)
	a := s.Next(t, 0)
	storetest.ReportProblem(t, s, 0, a, "an advertisement")
	segment := storetest.AllProblems(t, s)[0].SegmentRowID
	db.Clock.Advance(time.Second)
	resolve(t, s, "ann1", "out with it", true)
	read := func() []string {
		return said(storetest.Must(db.Work.Thread(t.Context(), s.Campaign, s.Annotators[0].ID, a))(t))
	}
	if got, want := read(), []string{"annotator problem: an advertisement", "lead answer: out with it (new)"}; !slices.Equal(got, want) {
		t.Errorf("the thread is %q, want %q", got, want)
	}
	storetest.Check(t, storetest.Undo(t.Context(), s, segment, true))
	if got, want := read(), []string{"annotator problem: an advertisement"}; !slices.Equal(got, want) {
		t.Errorf("after undo the thread is %q, want %q", got, want)
	}
	if n := storetest.Must(db.Desk.CountToAnswer(t.Context(), s.Campaign.ID))(t); n != 1 {
		t.Errorf("%d wait, want the problem", n)
	}
}

func TestThreadRefuses(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2))
	a, ctx := s.Next(t, 0), t.Context()
	ask := func(i int, token, text string) error {
		return db.Work.Ask(ctx, s.Campaign, s.Annotators[i].ID, a, token, text)
	}
	for _, text := range []string{"", " \n", "a\x00b", "a\xffb", strings.Repeat("文", campaign.MaxMessage+1)} {
		storetest.WantInvalid(t, ask(0, "1", text), "text")
		storetest.WantInvalid(t, db.Work.Reply(ctx, s.Campaign.ID, work.Reply{SegmentID: s.RowID(t, "d1", "s1"), Login: "ann1", Text: text}, s.Lead.ID), "answer")
	}
	storetest.WantInvalid(t, ask(0, "", "words"), "token")
	storetest.WantInvalid(t, ask(0, strings.Repeat("x", 65), "words"), "token")
	storetest.WantErr(t, ask(1, "1", "not mine"), campaign.ErrNotFound)
	storetest.WantErr(t, db.Work.Reply(ctx, s.Campaign.ID, work.Reply{SegmentID: s.RowID(t, "d1", "s2"), Login: "ann1", Text: "words"}, s.Lead.ID), campaign.ErrNotFound)
	storetest.WantErr(t, db.Work.Reply(ctx, s.Campaign.ID, work.Reply{SegmentID: "nothing", Login: "ann1", Text: "words"}, s.Lead.ID), campaign.ErrNotFound)
	storetest.WantCount(t, db, 0, "threads")
	storetest.Check(t, ask(0, "1", strings.Repeat("文", campaign.MaxMessage)))
	storetest.Check(t, db.Work.SettleThread(ctx, s.Campaign.ID, work.Reply{SegmentID: s.RowID(t, "d1", "s1"), Login: "ann1", Seen: db.Clock.Now()}, s.Lead.ID))
	if n := storetest.Must(db.Desk.CountToAnswer(ctx, s.Campaign.ID))(t); n != 0 {
		t.Errorf("%d wait after the thread was settled", n)
	}
	storetest.Check(t, db.Rounds.Archive(ctx, s.Campaign.ID, s.Lead.ID))
	storetest.WantErr(t, ask(0, "2", "too late"), campaign.ErrConflict)
	storetest.WantErr(t, db.Work.Reply(ctx, s.Campaign.ID, work.Reply{SegmentID: s.RowID(t, "d1", "s1"), Login: "ann1", Text: "words"}, s.Lead.ID), campaign.ErrConflict)
	if got := storetest.Must(db.Work.Thread(ctx, s.Campaign, s.Annotators[0].ID, a))(t); len(got) != 1 {
		t.Errorf("in the archived campaign the annotator reads %d messages, want 1", len(got))
	}
}
