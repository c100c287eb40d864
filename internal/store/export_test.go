package store

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"

	"gorm.io/gorm"
)

// Conn is the database under a store, for tests that look at rows.
func Conn(s *Store) *gorm.DB { return s.Conn }

// Write runs a change as the methods of a store do.
func Write(ctx context.Context, s *Store, fn func(tx *database.Tx) error) error {
	return s.Write(ctx, fn)
}

// FollowAll follows every segment of a campaign from its facts, and tells what that
// changed: nothing, wherever each change did so itself.
func FollowAll(ctx context.Context, s *Store, campaignID string) (rounds.SettingsPreview, error) {
	var effect rounds.SettingsPreview
	err := s.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		f, err := s.NewFollowing(tx, c)
		if err != nil {
			return err
		}
		err = f.All()
		effect = f.Effect
		return err
	})
	return effect, err
}

// Follow changes rows that the state of segments follows from, and follows these
// segments, which are touched.
func Follow(ctx context.Context, s *Store, campaignID string, segmentRowIDs []string, change func(tx *database.Tx) error) error {
	return s.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		if err := records.LockSegments(tx, segmentRowIDs...); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		tx.TouchSegments(segmentRowIDs...)
		return s.Follow(tx, c, segmentRowIDs...)
	})
}

// SetPlaceAtOnce sets up to how many ratings an import makes visible in one transaction.
func SetPlaceAtOnce(s *Store, n int) { s.PlaceAtOnce = n }

// OnPlaced sets what is called after each step that makes staged ratings ratings.
func OnPlaced(s *Store, fn func()) { s.OnPlaced = fn }

// SetDiskFree pretends that a disk has so many bytes left, until the function that
// it returns is called.
func SetDiskFree(bytes int64) (restore func()) {
	before := database.DiskFree
	database.DiskFree = func(string) (int64, bool) { return bytes, true }
	return func() { database.DiskFree = before }
}

// WaitForVisits waits until the visits noted so far are stored.
func WaitForVisits(s *Store) { s.Wait() }

// SetBusyTimeout sets how long stores that are opened from now on wait for another
// program, until the function that it returns is called.
func SetBusyTimeout(d time.Duration) (restore func()) {
	before := database.BusyTimeout
	database.BusyTimeout = d
	return func() { database.BusyTimeout = before }
}

// SetActStep sets on how many segments an act is done in one transaction.
func SetActStep(s *Store, n int) { s.ActStep = n }

// FailStatement has the nth statement fail that contains a text, until the function that
// it returns is called.
func FailStatement(s *Store, text string, nth int) (works func()) {
	found := 0
	raw := s.Conn.Callback().Raw()
	err := raw.Before("*").Register("test:fail", func(db *gorm.DB) {
		if strings.Contains(db.Statement.SQL.String(), text) {
			if found++; found == nth {
				_ = db.AddError(errors.New("the statement fails"))
			}
		}
	})
	if err != nil {
		panic(err)
	}
	return func() {
		if err := raw.Remove("test:fail"); err != nil {
			panic(err)
		}
	}
}

// CountQueries counts the queries that a store runs while fn does.
func CountQueries(s *Store, fn func()) (n int64) {
	var count atomic.Int64
	note := func(*gorm.DB) { count.Add(1) }
	callbacks := s.Conn.Callback()
	for _, register := range []func(string, func(*gorm.DB)) error{
		callbacks.Query().Before("*").Register, callbacks.Row().Before("*").Register, callbacks.Raw().Before("*").Register,
	} {
		if err := register("test:count", note); err != nil {
			panic(err)
		}
	}
	fn()
	for _, remove := range []func(string) error{callbacks.Query().Remove, callbacks.Row().Remove, callbacks.Raw().Remove} {
		if err := remove("test:count"); err != nil {
			panic(err)
		}
	}
	return count.Load()
}
