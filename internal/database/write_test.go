package database_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// When many writes run at once, exactly the acknowledged ones are stored, whether or not they
// share a batch.
func TestWritesTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		boom := errors.New("boom")
		const writers, each = 20, 15
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for n := range each {
					name := fmt.Sprintf("%d/%d", w, n)
					err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
						if err := storetest.Put(tx, name); err != nil {
							return err
						}
						switch n % 5 {
						case 1: // gives up
							return boom
						case 2: // breaks a rule of the schema
							return storetest.Put(tx, name)
						case 3: // breaks down
							panic("boom")
						}
						return nil
					})
					switch n % 5 {
					case 0, 4:
						if err != nil {
							t.Errorf("%s: %v", name, err)
						}
					case 1:
						storetest.WantErr(t, err, boom)
					case 3:
						if err == nil || !strings.Contains(err.Error(), "panic in a write: boom") {
							t.Errorf("%s: got %v, want the panic", name, err)
						}
					default:
						if err == nil {
							t.Errorf("%s was done", name)
						}
					}
				}
			})
		}
		wg.Wait()
		names := map[string]bool{}
		for _, name := range storetest.Query[string](t, db, "SELECT name FROM application_values") {
			names[name] = true
		}
		for w := range writers {
			for n := range each {
				if name, want := fmt.Sprintf("%d/%d", w, n), n%5 == 0 || n%5 == 4; names[name] != want {
					t.Errorf("%s kept: %v, want %v", name, names[name], want)
				}
			}
		}
	})
}

// On SQLite a write that fails after it changed something makes the writes that share its transaction run again. One that is refused
// before that does not, and long work shares no transaction.
func TestWriteFailsAmongOthers(t *testing.T) {
	all := storetest.Open(t)
	db := all.Store.DB
	for _, tc := range []struct {
		fails   string
		changed bool           // something before that
		want    map[string]int // how often each write runs
	}{
		{"second", true, map[string]int{"first": 2, "second": 2, "long": 1, "last": 1}},
		{"second", false, map[string]int{"first": 1, "second": 1, "long": 1, "last": 1}},
		{"long", true, map[string]int{"first": 1, "second": 1, "long": 1, "last": 1}},
	} {
		t.Run(fmt.Sprint(tc.fails, tc.changed), func(t *testing.T) {
			boom, ran := errors.New("boom"), map[string]int{}
			begun, goOn := make(chan bool), make(chan bool)
			var wg sync.WaitGroup
			send := func(do func(context.Context, func(*database.Tx) error) error, name string) {
				waiting := db.Load().Writes
				wg.Go(func() {
					err := do(t.Context(), func(tx *database.Tx) error {
						ran[name]++
						if name != tc.fails {
							return storetest.Put(tx, t.Name()+name)
						}
						if tc.changed {
							storetest.Check(t, storetest.Put(tx, t.Name()+name))
						}
						return boom
					})
					if name != tc.fails {
						storetest.Check(t, err)
					} else if storetest.WantErr(t, err, boom); storetest.Count(t, all, "application_values WHERE name = ?", t.Name()+name) != 0 {
						t.Error("what a write that failed had done is stored")
					}
				})
				for db.Load().Writes == waiting {
					runtime.Gosched()
				}
			}
			wg.Go(func() {
				storetest.Check(t, db.WriteLong(t.Context(), func(*database.Tx) error {
					close(begun)
					<-goOn
					return nil
				}))
			})
			<-begun
			send(db.Write, "first")
			send(db.Write, "second")
			send(db.WriteLong, "long")
			send(db.Write, "last")
			close(goOn)
			wg.Wait()
			if !maps.Equal(ran, tc.want) {
				t.Errorf("the writes ran %v times, want %v", ran, tc.want)
			}
		})
	}
	if n := storetest.Count(t, all, "application_values"); n != 9 {
		t.Errorf("%d writes are stored, want 9", n)
	}
}

// Readers do not see a write before it is acknowledged, even while other writes wait to be
// committed with it.
func TestWriteIsAcknowledgedAfterCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		var wg sync.WaitGroup
		for w := range 10 {
			wg.Go(func() {
				for n := range 20 {
					name := fmt.Sprintf("%d/%d", w, n)
					if err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error { return storetest.Put(tx, name) }); err != nil {
						t.Error(err)
						return
					}
					if storetest.Count(t, db, "application_values WHERE name = ?", name) != 1 {
						t.Errorf("%s was acknowledged, but is not there for others", name)
					}
				}
			})
		}
		wg.Wait()
	})
}

// Writes in turn run one after another, also after one that breaks down.
func TestWritesInTurn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		var running atomic.Int32
		var wg sync.WaitGroup
		for n := range 20 {
			wg.Go(func() {
				err := db.Store.DB.WriteInTurn(t.Context(), "campaign", func(tx *database.Tx) error {
					defer running.Add(-1)
					if running.Add(1) > 1 {
						t.Error("two writes run at the same time")
					}
					if n == 0 {
						panic("boom")
					}
					return storetest.Put(tx, fmt.Sprint(n))
				})
				if (err != nil) != (n == 0) {
					t.Errorf("write %d: %v", n, err)
				}
			})
		}
		wg.Wait()
		if n := storetest.Count(t, db, "application_values"); n != 19 {
			t.Errorf("%d writes are stored, want 19", n)
		}
	})
}

// Of the writes that wait on SQLite, those in turn go first, then those that somebody waits for, then the others. With every eighth write
// at the latest goes the one that has waited longest.
func TestOrderOfWrites(t *testing.T) {
	db := storetest.Open(t).Store.DB
	var order []string
	write := func(do func(context.Context, func(*database.Tx) error) error, name string, first func()) {
		err := do(t.Context(), func(tx *database.Tx) error {
			first()
			order = append(order, name)
			return storetest.Put(tx, name)
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	begun, goOn := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		write(db.Write, "under way", func() {
			close(begun)
			<-goOn
		})
	})
	<-begun
	send := func(do func(context.Context, func(*database.Tx) error) error, name string) {
		waiting := db.Load().Writes
		wg.Go(func() { write(do, name, func() {}) })
		for db.Load().Writes == waiting {
			runtime.Gosched()
		}
	}
	send(db.Write, "save 1")
	send(db.Write, "save 2")
	var want []string
	for n := range 12 {
		name := fmt.Sprintf("submission %d", n)
		send(db.WriteWaitedFor, name)
		want = append(want, name)
	}
	send(func(ctx context.Context, fn func(*database.Tx) error) error {
		return db.WriteInTurn(ctx, "campaign", fn)
	}, "hand-out")
	want = append([]string{"under way", "hand-out"}, want...)
	close(goOn)
	wg.Wait()
	one, two := slices.Index(order, "save 1"), slices.Index(order, "save 2")
	if one > 8 || two != min(one+8, len(order)-1) {
		t.Errorf("the writes that nobody waits for are at places %d and %d of %q", one, two, order)
	}
	if others := slices.DeleteFunc(order, func(name string) bool { return strings.HasPrefix(name, "save") }); !slices.Equal(others, want) {
		t.Errorf("order %q, want %q", others, want)
	}
}

func TestWriteCancelled(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := storetest.Write(ctx, db.Store, func(tx *database.Tx) error { return storetest.Put(tx, "late") })
		storetest.WantErr(t, err, context.Canceled)
		if storetest.Count(t, db, "application_values") != 0 {
			t.Error("a write of a request that had ended was stored")
		}
	})
}

// A write whose request ends while it waits is not done. The writes that it waited for are
// stored.
func TestWriteCancelledWhileWaiting(t *testing.T) {
	db := storetest.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	begun, goOn := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
			close(begun)
			<-goOn
			return storetest.Put(tx, "first")
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-begun
	waiting := make(chan bool, 1)
	wg.Go(func() {
		waiting <- true
		storetest.WantErr(t, storetest.Write(ctx, db.Store, func(tx *database.Tx) error { return storetest.Put(tx, "second") }), context.Canceled)
	})
	<-waiting
	cancel()
	close(goOn)
	wg.Wait()
	if names := storetest.Query[string](t, db, "SELECT name FROM application_values"); len(names) != 1 || names[0] != "first" {
		t.Errorf("stored %v, want only the first", names)
	}
}

// A commit that fails is an error of each write in the transaction, and nothing of it is stored.
func TestCommitFails(t *testing.T) {
	db := storetest.Open(t)
	err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
		for _, sql := range []string{"PRAGMA defer_foreign_keys = ON", "INSERT INTO session_holders (token_hash, holder_id) VALUES ('no session', 'nobody')"} {
			if err := tx.Exec(sql).Error; err != nil {
				t.Errorf("it fails before the commit: %v", err)
			}
		}
		return storetest.Put(tx, "lost")
	})
	if err == nil {
		t.Error("a commit that breaks a rule of the schema is answered as a success")
	}
	if err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error { return storetest.Put(tx, "kept") }); err != nil {
		t.Errorf("the next write: %v", err)
	}
	if names := storetest.Query[string](t, db, "SELECT name FROM application_values"); len(names) != 1 || names[0] != "kept" {
		t.Errorf("stored %v", names)
	}
}

// What waits for the commit is done once, after a commit only.
func TestAfterCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		boom := errors.New("boom")
		for _, want := range []error{nil, boom} {
			done := 0
			err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
				tx.AfterCommit(func(context.Context) { done++ })
				return want
			})
			if !errors.Is(err, want) || done != map[error]int{nil: 1, boom: 0}[want] {
				t.Errorf("a write that returns %v: %v, and done %d times", want, err, done)
			}
		}
	})
}

// Cancelling a request in the middle of its write must not roll back those that
// share the transaction.
func TestWriteCancelledInTheMiddle(t *testing.T) {
	db := storetest.Open(t)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		var kept atomic.Int64
		before := storetest.Count(t, db, "application_values")
		for w := range 8 {
			wg.Go(func() {
				err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error { return storetest.Put(tx, fmt.Sprintf("%d-%d", before, w)) })
				if err != nil {
					t.Error(err)
				} else {
					kept.Add(1)
				}
			})
		}
		wg.Go(func() {
			err := storetest.Write(ctx, db.Store, func(tx *database.Tx) error {
				cancel()
				return storetest.Put(tx, fmt.Sprintf("%d-cancelled", before))
			})
			if err == nil {
				kept.Add(1)
			}
		})
		wg.Wait()
		if got := storetest.Count(t, db, "application_values") - before; got != int(kept.Load()) {
			t.Fatalf("%d rows, %d acknowledged", got, kept.Load())
		}
	}
}

// Close waits for the writes that are under way. Later writes are refused.
func TestCloseWaits(t *testing.T) {
	cfg := storetest.Open(t).Config
	st := storetest.Must(store.Open(t.Context(), cfg))(t)
	const writers = 50
	var wg, ready sync.WaitGroup
	var acknowledged atomic.Int64
	for w := range writers {
		ready.Add(1)
		wg.Go(func() {
			for n := 0; ; n++ {
				err := storetest.Write(t.Context(), st, func(tx *database.Tx) error { return storetest.Put(tx, fmt.Sprintf("%d/%d", w, n)) })
				if n == 0 {
					ready.Done()
				}
				if err != nil {
					return
				}
				acknowledged.Add(1)
			}
		})
	}
	ready.Wait()
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if err := storetest.Write(t.Context(), st, func(tx *database.Tx) error { return storetest.Put(tx, "late") }); err == nil {
		t.Error("wrote after Close")
	}
	if err := st.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	again := storetest.Must(store.Open(t.Context(), cfg))(t)
	defer again.Close()
	if got := storetest.Count(t, &storetest.DB{Store: again}, "application_values"); got != int(acknowledged.Load()) {
		t.Errorf("%d rows, %d acknowledged", got, acknowledged.Load())
	}
}

// Two stores on one file act like two programs: commands work while a server runs.
func TestTwoStoresOnOneFile(t *testing.T) {
	db := storetest.Open(t)
	other := storetest.Must(store.Open(t.Context(), db.Config))(t)
	defer other.Close()
	var wg sync.WaitGroup
	for w, st := range []*store.Store{db.Store, other} {
		for k := range 4 {
			wg.Go(func() {
				for n := range 30 {
					err := storetest.Write(t.Context(), st, func(tx *database.Tx) error {
						var rows int // a read first: this is what gets refused without an immediate lock
						if err := tx.Raw("SELECT count(*) FROM application_values").Scan(&rows).Error; err != nil {
							return err
						}
						return storetest.Put(tx, fmt.Sprintf("%d/%d/%d", w, k, n))
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if got := storetest.Count(t, db, "application_values"); got != 240 {
		t.Errorf("%d rows, want 240", got)
	}
}

// TestReadOnlyFile: a file that can't be written is told as such, with what to do.
func TestReadOnlyFile(t *testing.T) {
	db := storetest.Open(t)
	err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
		if err := tx.Exec("PRAGMA query_only = 1").Error; err != nil {
			return err
		}
		return errors.Join(storetest.Put(tx, "x"), tx.Exec("PRAGMA query_only = 0").Error)
	})
	if storetest.WantErr(t, err, database.ErrReadOnly); !strings.Contains(fmt.Sprint(err), "make it writable") {
		t.Errorf("the error is %v", err)
	}
}
