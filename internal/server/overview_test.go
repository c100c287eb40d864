package server

import (
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// TestDeskNamesSegmentsLeftToNobody: the desk does not say that a segment can't be completed, because its
// annotator may be let back in.
func TestDeskNamesSegmentsLeftToNobody(t *testing.T) {
	s := newSite(t, storetest.Segments(1))
	s.RateNext(t, 0, 0, 2, 4)
	s.Next(t, 1)
	if err := s.db.Accounts.SetDisabled(t.Context(), s.Annotators[1].ID, true); err != nil {
		t.Fatal(err)
	}
	desk := strings.Join(strings.Fields(s.signedIn(s.Lead).get("/campaigns/"+s.Campaign.Slug).page(t).Find("main").Text()), " ")
	if !strings.Contains(desk, "1 segment has nobody left to rate it now: every annotator who can work has had it") {
		t.Errorf("the desk says\n%s", desk)
	}
}

// TestDeskNamesStrandedSecondLooks: a second look of somebody who was removed is
// named on the desk, the colleague's alone does not settle the segment, and it
// goes on when the person is let back in.
func TestDeskNamesStrandedSecondLooks(t *testing.T) {
	s := newSite(t, storetest.Segments(1))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	left := s.Next(t, 1)
	if err := s.db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, s.Annotators[1].Login, s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	s.RateNext(t, 0, 0, 2, 4)
	lead := s.signedIn(s.Lead)
	desk := lead.get("/campaigns/" + s.Campaign.Slug).page(t).Find("main").Text()
	if !strings.Contains(desk, "can’t be completed by annotators who can work") {
		t.Errorf("the desk says nothing of the stranded second look:\n%s", desk)
	}
	if got := s.All(t)[0]; got.Status != "reannotate" || got.Translations[0].Gold != nil {
		t.Errorf("the segment is %s with gold %v, want it to wait", got.Status, got.Translations[0].Gold)
	}
	if err := s.db.Accounts.AddMember(t.Context(), s.Campaign.ID, s.Annotators[1].Login, "annotator", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	if got := s.Next(t, 1); got != left {
		t.Errorf("back again the annotator is given %s, want the second look %s", got, left)
	}
	s.Rate(t, 1, left, 0, 2, 4)
	if got := s.All(t)[0].Status; got != "agreed" {
		t.Errorf("after both second looks the segment is %s", got)
	}
	if desk := lead.get("/campaigns/" + s.Campaign.Slug).page(t).Find("main").Text(); strings.Contains(desk, "can’t be completed by annotators who can work") {
		t.Error("the desk still names a stranded second look")
	}
}
