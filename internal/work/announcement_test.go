package work_test

import (
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestAnnouncements checks that annotators see an announcement until its end or until a lead ends it,
// and that leads see which annotators have read it.
func TestAnnouncements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		ctx, id := t.Context(), s.Campaign.ID
		current := func(i int) (text string) {
			t.Helper()
			for _, a := range storetest.Must(db.Work.CurrentAnnouncements(ctx, id, s.Annotators[i].ID))(t) {
				if text += a.Text; a.New {
					text += " (new)"
				}
				text += ";"
			}
			return text
		}
		for _, text := range []string{"", " \n", "a\x00b", strings.Repeat("x", campaign.MaxMessage+1)} {
			storetest.WantInvalid(t, db.Work.Announce(ctx, id, text, time.Time{}, s.Lead.ID), "text")
		}
		storetest.WantInvalid(t, db.Work.Announce(ctx, id, "late", db.Clock.Now(), s.Lead.ID), "until")
		storetest.Check(t, db.Work.Announce(ctx, id, "today\r\nonly", db.Clock.Now().Add(time.Hour), s.Lead.ID))
		db.Clock.Advance(time.Minute)
		storetest.Check(t, db.Work.Announce(ctx, id, "always", time.Time{}, s.Lead.ID))
		if got := current(0); got != "always (new);today\nonly (new);" {
			t.Errorf("shown: %q", got)
		}
		all := storetest.Must(db.Work.Announcements(ctx, id))(t)
		for range 2 {
			storetest.Check(t, db.Work.ReadAnnouncement(ctx, id, all[0].ID, s.Annotators[0].ID))
		}
		storetest.WantErr(t, db.Work.ReadAnnouncement(ctx, id, "nothing", s.Annotators[0].ID), campaign.ErrNotFound)
		if a, b := current(0), current(1); a != "always;today\nonly (new);" || b != "always (new);today\nonly (new);" {
			t.Errorf("after reading one: %q, and another annotator %q", a, b)
		}
		all = storetest.Must(db.Work.Announcements(ctx, id))(t)
		if got := strings.Join(all[0].Read, " ") + "|" + strings.Join(all[0].Unread, " "); got != "ann1|ann2" || all[0].Login != "lead" {
			t.Errorf("the lead sees that %s have read it", got)
		}
		db.Clock.Advance(time.Hour)
		if got := current(1); got != "always (new);" {
			t.Errorf("after the end of one: %q", got)
		}
		storetest.Check(t, db.Work.EndAnnouncement(ctx, id, all[0].ID, s.Lead.ID))
		storetest.WantErr(t, db.Work.EndAnnouncement(ctx, id, all[0].ID, s.Lead.ID), campaign.ErrNotFound)
		if got := current(1); got != "" {
			t.Errorf("after a lead ended it: %q", got)
		}
		if all = storetest.Must(db.Work.Announcements(ctx, id))(t); len(all) != 2 || !all[0].Ended || !all[1].Ended {
			t.Errorf("the lead's list is %+v", all)
		}
		storetest.Check(t, db.Rounds.Archive(ctx, id, s.Lead.ID))
		storetest.WantErr(t, db.Work.Announce(ctx, id, "too late", time.Time{}, s.Lead.ID), campaign.ErrConflict)
		storetest.WantErr(t, db.Work.ReadAnnouncement(ctx, id, all[0].ID, s.Annotators[0].ID), campaign.ErrConflict)
	})
}
