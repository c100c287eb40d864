package server

import (
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// TestSkippedPage: a segment that is opened after a skip says so with the reason, until the annotator submits it or a lead puts it back. What the
// dialog for questions says of the segment is true of it.
func TestSkippedPage(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Set("redundancy=1"))
	id := s.Next(t, 0)
	said := func() (band, ask string) {
		page := s.signedIn(s.Annotators[0]).get("/campaigns/" + s.Campaign.Slug + "/assignments/" + id).page(t)
		return squeezed(page.Find(".band").Text()), squeezed(page.Find("#ask-help").Text())
	}
	want := func(what, wantBand, wantAsk string) {
		t.Helper()
		if band, ask := said(); !strings.Contains(band, wantBand) || strings.Contains(band, "skipped") != strings.Contains(wantBand, "skipped") || !strings.HasPrefix(ask, wantAsk) {
			t.Errorf("%s: the page says %q, and of questions %q", what, band, ask)
		}
	}
	want("new", "", "You keep the segment and can go on.")
	storetest.Check(t, s.db.Work.Skip(t.Context(), s.Campaign, s.Annotators[0].ID, id, "I know the author."))
	want("skipped", "You skipped this segment: I know the author. Others can get it.", "You have skipped the segment, and others can get it.")
	s.Fill(t, 0, id, 0, 2, 4)
	s.Submit(t, 0, id)
	want("submitted", "what you submitted stands. If it must change, press Ask", "What you submitted stands, unless the lead asks you for another look.")
	s.Change(t, "redundancy=2")
	want("while its round is open", "It can be revised while its round is open.", "What you submitted stays, and you can revise it while its round is open.")
}
