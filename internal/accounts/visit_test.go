package accounts_test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store/storetest"
)

// Reading a page does not wait while another transaction keeps visits from being stored. The
// visits are stored afterwards, many of them in one write.
func TestVisitDoesNotWaitForWrites(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		u := storetest.AddUser(t, db, "mia")
		session := storetest.Must(db.Accounts.StartSession(t.Context(), u, ""))(t)
		db.Clock.Advance(time.Hour)
		locked, end, done := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			done <- storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
				err := tx.Exec("UPDATE sessions SET agent = agent").Error
				close(locked)
				<-end
				return err
			})
		}()
		<-locked
		var mu sync.Mutex
		extended := 0
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				_, again, err := db.Accounts.Visit(t.Context(), session)
				if err != nil {
					t.Error(err)
				}
				if mu.Lock(); again {
					extended++
				}
				mu.Unlock()
			})
		}
		wg.Wait() // for ever, if a visit waits
		close(end)
		storetest.Check(t, <-done)
		if extended != 1 {
			t.Errorf("%d of the visits are to be stored, want 1", extended)
		}
		storetest.WaitForVisits(db.Store)
		if seen := storetest.Must(db.Accounts.LastSeen(t.Context()))(t)[u.ID]; !seen.Equal(db.Clock.Now()) {
			t.Errorf("last seen %v, want %v", seen, db.Clock.Now())
		}
	})
}

// While another program writes, a change is refused as busy, and a visit succeeds.
func TestBusyWithAnotherProgram(t *testing.T) {
	defer storetest.SetBusyTimeout(20 * time.Millisecond)()
	db := storetest.Open(t)
	u := storetest.AddUser(t, db, "mia")
	session := storetest.Must(db.Accounts.StartSession(t.Context(), u, ""))(t)
	db.Clock.Advance(time.Hour)
	other := storetest.Must(sql.Open("sqlite", "file:"+db.Config.DSN+"?_txlock=immediate"))(t)
	defer other.Close()
	tx := storetest.Must(other.Begin())(t)
	_, err := db.Accounts.AddUser(t.Context(), "noa", "", accounts.Member)
	storetest.WantErr(t, err, campaign.ErrBusy)
	if _, err := db.SessionUser(t.Context(), session); err != nil {
		t.Errorf("a visit: %v", err)
	}
	storetest.WaitForVisits(db.Store) // the visit cannot be stored
	storetest.Check(t, tx.Rollback())
	storetest.Must(db.Accounts.AddUser(t.Context(), "noa", "", accounts.Member))(t)
	if _, extended, err := db.Accounts.Visit(t.Context(), session); err != nil || !extended {
		t.Errorf("the next visit: %v, to be stored %v", err, extended)
	}
	storetest.WaitForVisits(db.Store)
	if seen := storetest.Must(db.Accounts.LastSeen(t.Context()))(t)[u.ID]; !seen.Equal(db.Clock.Now()) {
		t.Errorf("last seen %v, want %v", seen, db.Clock.Now())
	}
}

// A write that fails because the disk is full has an error of its own, and succeeds once there
// is room.
func TestDiskFull(t *testing.T) {
	db := storetest.Open(t)
	pages := func(limit int) {
		t.Helper()
		err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
			return tx.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", limit)).Error
		})
		storetest.Check(t, err)
	}
	pages(1) // SQLite takes the current size for a limit below it
	save := func() error {
		return storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error { return storetest.Put(tx, strings.Repeat("long", 100_000)) })
	}
	storetest.WantErr(t, save(), database.ErrDiskFull)
	pages(1 << 30)
	storetest.Check(t, save())
	storetest.Check(t, db.DB.CheckSave(t.Context()))
}
