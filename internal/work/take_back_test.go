package work_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// A submission is taken back with all that followed from it, and its drafts stay.
func TestTakeBack(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	takeBack := func(i int, id string) error {
		return db.Work.TakeBack(t.Context(), s.Campaign, s.Annotators[i].ID, id)
	}
	a, b := s.Next(t, 0), s.Next(t, 1)
	s.Rate(t, 0, a, 0, 2, 4)
	db.Clock.Advance(time.Minute)
	storetest.WantErr(t, takeBack(0, a), campaign.ErrDecided)
	s.Rate(t, 1, b, 4, 2, 0) // which completes the round, and fails it
	storetest.WantStates(t, db, "s1", "ann1/1 submitted", "ann2/1 submitted", "ann1/2 open", "ann2/2 open")
	look := s.Next(t, 0)
	db.Clock.Advance(9 * time.Second)
	storetest.WantErr(t, takeBack(0, b), campaign.ErrNotFound)
	storetest.Check(t, takeBack(1, b))
	if seg := s.All(t)[0]; seg.Status != campaign.Pending || len(seg.Translations[0].Ratings) != 1 {
		t.Errorf("s1 is %s with %d ratings", seg.Status, len(seg.Translations[0].Ratings))
	}
	if w := s.Work(t, 1, b); w.Assignment.State != campaign.InWork || w.Cards[0].Rating.Scores == nil || w.Over != "" {
		t.Errorf("the page of the submission is %+v", w)
	}
	if w := s.Work(t, 0, look); w.Over == "" {
		t.Error("the second look of the other is still asked for")
	}
	storetest.Check(t, takeBack(1, b)) // once more, since the answer was lost
	if again := s.Next(t, 1); again != b {
		t.Error("ann2 is given something else than what was taken back")
	}
	s.Rate(t, 1, b, 0, 2, 4)
	if seg := s.All(t)[0]; seg.Status != campaign.Agreed {
		t.Errorf("s1 is %s after the change of mind", seg.Status)
	}
}

// A submission that replaces an earlier one, and one of a segment that a lead has decided,
// are not taken back.
func TestTakeBackRefused(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(1))
	a := s.RateNext(t, 0, 0, 2, 4)
	db.Clock.Advance(time.Hour)
	s.Rate(t, 0, a, 1, 2, 4)
	storetest.WantErr(t, db.Work.TakeBack(t.Context(), s.Campaign, s.Annotators[0].ID, a), campaign.ErrDecided)
	b := s.RateNext(t, 0, 0, 2, 4)
	storetest.Check(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d1", "s2")}, "both are garbled", s.Lead.ID))
	storetest.WantErr(t, db.Work.TakeBack(t.Context(), s.Campaign, s.Annotators[0].ID, b), campaign.ErrDecided)
	s.SetState(t, campaign.Paused)
	storetest.WantErr(t, db.Work.TakeBack(t.Context(), s.Campaign, s.Annotators[0].ID, b), campaign.ErrNotOpen)
}

// The setting undo_seconds says how long a submission can be taken back.
func TestTakeBackSeconds(t *testing.T) {
	db := storetest.Open(t)
	for seconds, want := range map[string]error{"0": campaign.ErrDecided, "60": nil} {
		s := storetest.Campaign(t, db.Store, storetest.Slug("seconds-"+seconds), storetest.Segments(1), storetest.Annotators(1), storetest.Set("undo_seconds="+seconds))
		id := s.RateNext(t, 0, 0, 2, 4)
		if want == nil {
			db.Clock.Advance(time.Minute)
		}
		err := db.Work.TakeBack(t.Context(), s.Campaign, s.Annotators[0].ID, id)
		if !errors.Is(err, want) {
			t.Errorf("undo_seconds=%s: the error is %v", seconds, err)
		}
	}
}

// TestTakeBackTooLate: who takes a submission back too late reads how it can be changed: by opening it, or by asking the lead once its round is
// complete, which it is at once where one annotator is enough.
func TestTakeBackTooLate(t *testing.T) {
	db := storetest.Open(t)
	for redundancy, want := range map[string]string{"1": "ask the lead for another look", "2": "open it under My segments to change it"} {
		for _, seconds := range []string{"0", "10"} {
			s := storetest.Campaign(t, db.Store, storetest.Slug("late-"+redundancy+seconds), storetest.Segments(1), storetest.Annotators(1), storetest.Set("undo_seconds="+seconds, "redundancy="+redundancy))
			id := s.RateNext(t, 0, 0, 2, 4)
			db.Clock.Advance(time.Hour)
			if err := db.Work.TakeBack(t.Context(), s.Campaign, s.Annotators[0].ID, id); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("redundancy %s, %s seconds: %v, want %q", redundancy, seconds, err, want)
			}
		}
	}
}
