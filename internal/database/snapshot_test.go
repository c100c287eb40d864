package database_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// Pages find a connection even while many exports wait for their readers.
func TestManySnapshots(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		const n = 50
		begun, end, done := make(chan struct{}, n), make(chan struct{}), make(chan error, n)
		for range n {
			go func() {
				next, stop := iter.Pull2(db.Records.AllSegments(ctx, s.Campaign))
				defer stop()
				_, err, _ := next()
				begun <- struct{}{}
				<-end
				done <- err
			}()
		}
		<-begun
		for range 20 {
			if _, err := db.Accounts.UserByLogin(ctx, "lead"); err != nil {
				t.Fatal(err)
			}
			s.Next(t, 0)
		}
		close(end)
		for range n {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range db.Records.AllSegments(ended, s.Campaign) {
			storetest.WantErr(t, err, context.Canceled)
		}
	})
}

// All batches are of one state, whichever reader has read them, wherever the write of another comes between their statements.
func TestBatchesAreOfOneState(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2))
		for at := int64(1); at <= 8; at++ {
			var statements atomic.Int64
			rename := func(*gorm.DB) {
				if statements.Add(1) == at {
					storetest.Check(t, storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
						return tx.Exec("UPDATE users SET name = ? WHERE id = ?", fmt.Sprint(at), s.Lead.ID).Error
					}))
				}
			}
			row, raw := db.DB.Conn.Callback().Row(), db.DB.Conn.Callback().Raw()
			storetest.Check(t, errors.Join(row.Before("*").Register(database.WatchCallback, rename), raw.Before("*").Register(database.WatchCallback, rename)))
			readers, seen := map[*gorm.DB]bool{}, map[string]bool{}
			batches := database.Batches(t.Context(), db.DB, func(*gorm.DB) (func(*gorm.DB) (func() ([]string, error), error), error) {
				return func(db *gorm.DB) (func() ([]string, error), error) {
					if len(readers) == 2 {
						return nil, nil
					}
					readers[db] = true
					return func() ([]string, error) {
						var name string
						err := database.Scan(db.Raw("SELECT name FROM users WHERE id = ?", s.Lead.ID), &name)
						return []string{name}, err
					}, nil
				}, nil
			})
			for name, err := range batches {
				storetest.Check(t, err)
				seen[name] = true
			}
			storetest.Check(t, errors.Join(row.Remove(database.WatchCallback), raw.Remove(database.WatchCallback)))
			if len(seen) != 1 {
				t.Errorf("with a write before statement %d, the lead is called %v, want one name", at, seen)
			}
		}
	})
}

// While a long change holds the campaign, other requests soon fail with an error. They succeed
// when they are repeated afterwards. An import waits.
func TestBusy(t *testing.T) {
	db := storetest.Postgres(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(2))
	locked, end, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
			err := tx.Exec("UPDATE campaigns SET title = title").Error
			close(locked)
			<-end
			return err
		})
	}()
	<-locked
	start := time.Now()
	storetest.WantNext(t, s, 0, campaign.ErrBusy)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v to give up", took)
	}
	imported := make(chan error)
	go func() {
		_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, func(func(campaign.SegmentLine, error) bool) {}, intake.ImportOptions{})
		imported <- err
	}()
	select {
	case err := <-imported:
		t.Fatalf("the import did not wait: %v", err)
	case <-time.After(4 * time.Second):
	}
	close(end)
	storetest.Check(t, errors.Join(<-done, <-imported))
	s.Next(t, 0)
}

// If two transactions wait for each other, the database ends one of them, which is then run
// again.
func TestDeadlockIsTriedAgain(t *testing.T) {
	db := storetest.Postgres(t)
	s := storetest.Campaign(t, db.Store)
	ids := []string{s.Lead.ID, s.Researcher.ID}
	runs := make(chan int, 2)
	errs := make(chan error, 2)
	var both sync.WaitGroup // have their first row locked
	both.Add(2)
	for i := range 2 {
		go func() {
			n := 0
			errs <- storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
				n++
				if err := tx.Exec("UPDATE users SET name = name WHERE id = ?", ids[i]).Error; err != nil {
					return err
				}
				if n == 1 {
					both.Done()
					both.Wait()
				}
				return tx.Exec("UPDATE users SET name = name WHERE id = ?", ids[1-i]).Error
			})
			runs <- n
		}()
	}
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Error(err)
	}
	if n := <-runs + <-runs; n < 3 {
		t.Errorf("two transactions ran %d times, want one of them again", n)
	}
	n := 0
	err := storetest.Write(t.Context(), db.Store, func(*database.Tx) error { n++; return &pgconn.PgError{Code: "40001"} })
	if err == nil || n != 3 {
		t.Errorf("%v after %d times, want a failure after three", err, n)
	}
}
