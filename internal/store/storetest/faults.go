package storetest

import (
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"annotate/internal/database"
	"annotate/internal/store"
)

// SetPlaceAtOnce sets the largest number of ratings that an import makes visible in one transaction.
func SetPlaceAtOnce(s *store.Store, n int) { s.DB.PlaceAtOnce = n }

// SetImportStep sets the largest number of segments that an import writes in one transaction.
func SetImportStep(s *store.Store, n int) { s.DB.ImportStep = n }

// OnPlaced sets the function that is called after each transaction in which an import places metric scores or makes ratings
// visible.
func OnPlaced(s *store.Store, fn func()) { s.DB.OnPlaced = fn }

// SetDiskFree makes disks seem to have a number of free bytes, until the returned function is called.
func SetDiskFree(bytes int64) (restore func()) {
	before := database.DiskFree
	database.DiskFree = func(string) (int64, bool) { return bytes, true }
	return func() { database.DiskFree = before }
}

// WaitForVisits waits until all noted visits are stored.
func WaitForVisits(s *store.Store) { s.Accounts.Wait() }

// SetBusyTimeout sets how long stores that are opened later wait for another program, until the
// returned function is called.
func SetBusyTimeout(d time.Duration) (restore func()) {
	before := database.BusyTimeout
	database.BusyTimeout = d
	return func() { database.BusyTimeout = before }
}

// SetActStep sets the largest number of segments on which an act is done in one transaction.
func SetActStep(s *store.Store, n int) { s.DB.ActStep = n }

// FailStatement makes the nth statement that contains a text fail, until the returned function is
// called.
func FailStatement(s *store.Store, text string, nth int) (works func()) {
	return BeforeStatement(s, text, nth, func(db *gorm.DB) { _ = db.AddError(errors.New("the statement fails")) })
}

// BeforeStatement calls fn before the nth statement that contains a text, until the returned function
// is called.
func BeforeStatement(s *store.Store, text string, nth int, fn func(db *gorm.DB)) (end func()) {
	found := 0
	note := func(db *gorm.DB) {
		if strings.Contains(db.Statement.SQL.String(), text) {
			if found++; found == nth {
				fn(db)
			}
		}
	}
	raw, row := s.DB.Conn.Callback().Raw(), s.DB.Conn.Callback().Row()
	if err := errors.Join(raw.Before("*").Register(database.WatchCallback, note), row.Before("*").Register(database.WatchCallback, note)); err != nil {
		panic(err)
	}
	return func() {
		if err := errors.Join(raw.Remove(database.WatchCallback), row.Remove(database.WatchCallback)); err != nil {
			panic(err)
		}
	}
}

// CountQueries counts the statements that a store runs while fn does, without those that begin and end
// transactions.
func CountQueries(s *store.Store, fn func()) (n int64) {
	var count atomic.Int64
	note := func(*gorm.DB) { count.Add(1) }
	callbacks := s.DB.Conn.Callback()
	for _, register := range []func(string, func(*gorm.DB)) error{
		callbacks.Query().Before("*").Register, callbacks.Row().Before("*").Register, callbacks.Raw().Before("*").Register, callbacks.Create().Before("*").Register,
	} {
		if err := register(database.WatchCallback, note); err != nil {
			panic(err)
		}
	}
	fn()
	for _, remove := range []func(string) error{callbacks.Query().Remove, callbacks.Row().Remove, callbacks.Raw().Remove, callbacks.Create().Remove} {
		if err := remove(database.WatchCallback); err != nil {
			panic(err)
		}
	}
	return count.Load()
}
