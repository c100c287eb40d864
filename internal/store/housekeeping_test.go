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
		if n := storetest.Places(t, db, "s1"); n != 3 {
			t.Fatalf("%d places are taken, want 3", n)
		}
		db.Clock.Advance(25 * time.Hour)
		if err := db.Housekeep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := storetest.Places(t, db, "s1"); n != 2 {
			t.Errorf("%d places are taken after a day, want 2", n)
		}
		s.Rate(t, 2, left, 0, 2, 4) // late, but never refused
		if n := len(s.All(t)[0].Translations[0].Ratings); n != 3 {
			t.Errorf("the translation has %d ratings, want the late one too", n)
		}
	})
}

// A step of housekeeping that fails keeps no other from being done.
func TestHousekeepGoesOnAfterAFailure(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Annotators(1)).Next(t, 0)
		db.Clock.Advance(25 * time.Hour)
		works := storetest.FailStatement(db.Store, "DELETE FROM sessions", 1)
		defer works()
		if err := db.Housekeep(t.Context()); err == nil || !strings.Contains(err.Error(), "delete expired sessions: ") {
			t.Errorf("the error is %v, want that of the step that failed", err)
		}
		storetest.WantStates(t, db, "s1", "ann1/1 released")
	})
}

func TestHousekeepForgetsExpiredSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		old, err := db.Accounts.StartSession(t.Context(), s.Lead, "old")
		if err != nil {
			t.Fatal(err)
		}
		db.Clock.Advance(31 * 24 * time.Hour)
		fresh, err := db.Accounts.StartSession(t.Context(), s.Lead, "fresh")
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Housekeep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := db.SessionUser(t.Context(), old); err == nil {
			t.Error("the expired session is good")
		}
		if _, err := db.SessionUser(t.Context(), fresh); err != nil {
			t.Errorf("the fresh session: %v", err)
		}
	})
}
