package work_test

import (
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// What an annotator skips goes to another one, with the reason for the lead, and never
// comes back by itself.
func TestSkip(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(3), storetest.Set("redundancy=2"))
	skip := func(i int, id, reason string) error {
		return db.Work.Skip(t.Context(), s.Campaign, s.Annotators[i].ID, id, reason)
	}
	a := s.Next(t, 0)
	s.Save(t, 0, a, 0, 3)
	storetest.WantInvalid(t, skip(0, a, "  "), "reason")
	storetest.WantInvalid(t, skip(0, a, strings.Repeat("x", 1001)), "reason")
	storetest.WantErr(t, skip(1, a, "not mine"), campaign.ErrNotFound)
	for range 2 { // the second time since the answer was lost
		storetest.Check(t, skip(0, a, "law is not my field"))
	}
	storetest.WantStates(t, db, "s1", "ann1/1 released")
	storetest.WantTurn(t, s, 0, s.Next(t, 0), "s2")
	s.RateNext(t, 0, 0, 2, 4)
	storetest.WantNext(t, s, 0, campaign.ErrNoWork)
	turns := s.Detail(t, "s1").Turns
	if len(turns) != 1 || turns[0].Skipped != "law is not my field" {
		t.Errorf("turns %+v", turns)
	}
	b := s.RateNext(t, 1, 0, 2, 4)
	storetest.WantErr(t, skip(1, b, "too late"), campaign.ErrConflict)
	c := s.Next(t, 2)
	s.Rate(t, 2, c, 4, 2, 0) // s1 is complete with the other two, and fails
	look := s.Next(t, 1)
	db.Clock.Advance(time.Hour)
	storetest.WantErr(t, skip(1, look, "again?"), campaign.ErrConflict)
	s.Save(t, 0, a, 1, 3) // on a page that was left open: the place is gone, the draft is kept
	if w := s.Work(t, 0, a); w.Cards[1].Revision != 1 {
		t.Error("the draft is lost")
	}
}

// What is saved or submitted in a second window after the annotator skipped the segment is kept, but
// the skip and its reason stand, and the place stays free.
func TestSkipOutlastsASecondWindow(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=2"))
	a := s.Next(t, 0)
	s.Skip(t, 0, a, "law is not my field")
	db.Clock.Advance(time.Hour)
	s.Save(t, 0, a, 0, 3)
	skipped := func(what string) {
		t.Helper()
		storetest.WantStates(t, db, "s1", "ann1/1 released")
		if turn := s.Detail(t, "s1").Turns[0]; turn.Skipped != "law is not my field" || storetest.Places(t, db, "s1") != 0 {
			t.Errorf("%s: the turn is %+v with %d places taken", what, turn, storetest.Places(t, db, "s1"))
		}
	}
	skipped("saved")
	if w := s.Work(t, 0, a); w.Cards[0].Revision != 1 {
		t.Error("the draft is lost")
	}
	s.Rate(t, 0, a, 0, 2, 4)
	storetest.WantStates(t, db, "s1", "ann1/1 submitted")
	storetest.Check(t, db.Work.TakeBack(t.Context(), s.Campaign, s.Annotators[0].ID, a))
	skipped("submitted and taken back")
	s.Next(t, 1)
	s.Next(t, 2)
	storetest.WantPlaces(t, db, "s1", 2)
}
