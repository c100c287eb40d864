package work_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/plan"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestReminders: an annotator is mailed once from two days before a due date, in the morning of the campaign's time zone, and once when work
// is overdue; who has finished, has no address or wants no mail is not. Answers of leads are mailed, too.
func TestReminders(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(4), storetest.PerDocument(1), storetest.Annotators(3), storetest.Set("redundancy=3", "timezone=Asia/Tokyo"))
		storetest.SendMails(t, db)
		for i, u := range s.Annotators[:2] {
			storetest.Check(t, db.Accounts.SetMail(t.Context(), u.ID, []string{"a@example.org", "b@example.org"}[i]))
		}
		change(t, db, s, plan.Edit{Kind: plan.EditAssign, Logins: []string{"ann1", "ann2", "ann3"}})
		change(t, db, s, plan.Edit{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "late", Due: storetest.Start.AddDate(0, 0, 4).Format("2006-01-02")}, Documents: []string{"d1", "d2", "d3", "d4"}})
		var got []string
		remind := func() {
			t.Helper()
			storetest.Check(t, db.Plan.Remind(t.Context(), s.Campaign))
			for _, m := range storetest.Mailed(t, db) {
				got = append(got, db.Clock.Now().Sub(storetest.Start).Truncate(time.Hour).String()+" "+m.To+" "+m.Subject)
			}
		}
		rateHanded(t, s, 1, 4)
		db.Clock.Set(storetest.Start.Truncate(24 * time.Hour))
		for range 9 * 24 {
			remind()
			db.Clock.Advance(time.Hour)
		}
		title := s.Campaign.Title
		start := storetest.Start.Truncate(24 * time.Hour).Sub(storetest.Start)
		at := func(days int) string { return (start + time.Duration(days)*24*time.Hour - time.Hour).String() }
		if want := []string{at(2) + " a@example.org Due soon in " + title, at(5) + " a@example.org Overdue in " + title}; !slices.Equal(got, want) {
			t.Errorf("mailed:\n%q\nwant\n%q", got, want)
		}

		storetest.Check(t, db.Work.Reply(t.Context(), s.Campaign.ID, work.Reply{SegmentID: s.RowID(t, "d1", "s1"), Login: s.Annotators[1].Login, Text: "Grüße"}, s.Lead.ID))
		mails := storetest.Mailed(t, db)
		if len(mails) != 1 || mails[0].To != "b@example.org" || mails[0].Subject != "Answer in "+title || !strings.Contains(mails[0].Text, "Grüße") {
			t.Errorf("the answer is mailed as %+v", mails)
		}
		storetest.Check(t, db.Accounts.SetMailOff(t.Context(), s.Annotators[1].ID, true))
		storetest.Check(t, db.Work.Reply(t.Context(), s.Campaign.ID, work.Reply{SegmentID: s.RowID(t, "d1", "s1"), Login: s.Annotators[1].Login, Text: "Noch eines"}, s.Lead.ID))
		if mails := storetest.Mailed(t, db); len(mails) != 0 {
			t.Errorf("mailed although it is turned off: %+v", mails)
		}
	})
}
