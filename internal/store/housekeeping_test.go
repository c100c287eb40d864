package store_test

import (
	"strings"
	"testing"
	"time"

	"annotate/internal/store/storetest"
)

// TestHousekeep: an assignment that is left idle frees its place, even if nobody asks
// for work any more, and is accepted late.
func TestHousekeep(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=3"))
		left := s.Next(t, 2)
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 0, 2, 4)
		s.Change(t, "redundancy=2")
		storetest.WantPlaces(t, db, "s1", 3)
		db.Clock.Advance(25 * time.Hour)
		storetest.Check(t, db.Housekeep(t.Context()))
		storetest.WantPlaces(t, db, "s1", 2)
		s.Rate(t, 2, left, 0, 2, 4) // late, but never refused
		if n := len(s.All(t)[0].Translations[0].Ratings); n != 3 {
			t.Errorf("the translation has %d ratings, want the late one too", n)
		}
	})
}

// A step of housekeeping that fails keeps no other from being done.
func TestHousekeepGoesOnAfterAFailure(t *testing.T) {
	db := storetest.Open(t)
	storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Annotators(1)).Next(t, 0)
	db.Clock.Advance(25 * time.Hour)
	works := storetest.FailStatement(db.Store, "DELETE FROM sessions", 1)
	defer works()
	if err := db.Housekeep(t.Context()); err == nil || !strings.Contains(err.Error(), "delete expired sessions: ") {
		t.Errorf("the error is %v, want that of the step that failed", err)
	}
	storetest.WantStates(t, db, "s1", "ann1/1 released")
}

func TestHousekeepForgetsExpiredSessions(t *testing.T) {
	db, s := storetest.New(t)
	old := storetest.Must(db.Accounts.StartSession(t.Context(), s.Lead, "old"))(t)
	db.Clock.Advance(31 * 24 * time.Hour)
	fresh := storetest.Must(db.Accounts.StartSession(t.Context(), s.Lead, "fresh"))(t)
	storetest.Check(t, db.Housekeep(t.Context()))
	if _, err := db.SessionUser(t.Context(), old); err == nil {
		t.Error("the expired session is good")
	}
	if _, err := db.SessionUser(t.Context(), fresh); err != nil {
		t.Errorf("the fresh session: %v", err)
	}
}
