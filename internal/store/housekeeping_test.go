package store_test

import (
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestHousekeep: a segment with enough ratings does not wait for somebody who
// left it, even if nobody asks for work any more.
func TestHousekeep(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=3"))
		left := s.Next(t, 2)
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 0, 2, 4)
		s.Change(t, "redundancy=2")
		if got := s.All(t)[0].Status; got != campaign.Pending {
			t.Fatalf("with somebody at it the segment is %s", got)
		}
		db.Clock.Advance(25 * time.Hour)
		if err := db.Housekeep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.All(t)[0].Status; got != campaign.Agreed {
			t.Errorf("after a day the segment is %s, want agreed", got)
		}
		s.Rate(t, 2, left, 0, 2, 4) // late, but never refused
		if n := len(s.All(t)[0].Translations[0].Ratings); n != 3 {
			t.Errorf("the translation has %d ratings, want the late one too", n)
		}
	})
}

func TestHousekeepForgetsExpiredSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		old, err := db.StartSession(t.Context(), s.Lead, "old")
		if err != nil {
			t.Fatal(err)
		}
		db.Clock.Advance(31 * 24 * time.Hour)
		fresh, err := db.StartSession(t.Context(), s.Lead, "fresh")
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
