package database_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// rowsSeen counts the rows of a table as a page would read it.
func rowsSeen(t *testing.T, ctx context.Context, db *database.DB) (n int) {
	t.Helper()
	storetest.Check(t, database.Scan(db.Read(ctx).Raw("SELECT count(*) FROM application_values WHERE name LIKE 'row %'"), &n))
	return n
}

// All that is read in a view is of one state, also in a view within it. What others write meanwhile is seen outside, and by the next view
// on the same connection.
func TestView(t *testing.T) {
	st := storetest.Open(t)
	db := st.Store.DB
	put := func(name string) {
		storetest.Check(t, storetest.Write(t.Context(), st.Store, func(tx *database.Tx) error { return storetest.Put(tx, name) }))
	}
	boom := errors.New("boom")
	for n := range 40 { // more than there are connections for views
		err := db.View(t.Context(), func(ctx context.Context) error {
			if got := rowsSeen(t, ctx, db); got != n {
				t.Errorf("view %d sees %d rows", n, got)
			}
			put("row " + string(rune('A'+n)))
			if got := rowsSeen(t, ctx, db); got != n {
				t.Errorf("a write changes what view %d sees to %d rows", n, got)
			}
			return db.View(ctx, func(ctx context.Context) error {
				if got := rowsSeen(t, ctx, db); got != n {
					t.Errorf("a view within view %d sees %d rows", n, got)
				}
				return boom
			})
		})
		storetest.WantErr(t, err, boom)
		if got := rowsSeen(t, t.Context(), db); got != n+1 {
			t.Errorf("%d rows are seen after view %d", got, n)
		}
	}
}

// A view whose reader has left does not harm those that come after it.
func TestViewCancelled(t *testing.T) {
	db := storetest.Open(t).Store.DB
	for range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.View(ctx, func(ctx context.Context) error {
			cancel()
			var n int
			return database.Scan(db.Read(ctx).Raw("SELECT count(*) FROM application_values"), &n)
		})
		storetest.WantErr(t, err, context.Canceled)
		storetest.Check(t, db.View(t.Context(), func(ctx context.Context) error {
			rowsSeen(t, ctx, db)
			return nil
		}))
	}
}

// Many views at once wait for one another. Close closes their connections.
func TestViewsAtOnce(t *testing.T) {
	st := storetest.Must(store.Open(t.Context(), storetest.Open(t).Config))(t)
	view := func() error {
		return st.DB.View(t.Context(), func(ctx context.Context) error {
			var n int
			return database.Scan(st.DB.Read(ctx).Raw("SELECT count(*) FROM application_values"), &n)
		})
	}
	var wg sync.WaitGroup
	for range 60 {
		wg.Go(func() {
			if err := view(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	storetest.Check(t, st.Close())
	if view() == nil {
		t.Error("a view reads after Close")
	}
	storetest.Check(t, st.Close())
}
