package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// moveTarget opens an empty database with its schema, to move data to.
func moveTarget(t *testing.T, cfg database.Config) *store.Store {
	t.Helper()
	st := storetest.Must(store.OpenUnmigrated(cfg))(t)
	t.Cleanup(func() { storetest.Check(t, st.Close()) })
	storetest.Check(t, st.DB.MigrateUp(t.Context()))
	storetest.Check(t, st.DB.Use(t.Context()))
	return st
}

// TestMove moves data from SQLite to PostgreSQL, interrupted in the middle of a table, and back to SQLite. Every table has
// the rows that it had. Until a move is over, the new database is not to be used.
func TestMove(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(150), storetest.PerDocument(150), storetest.Systems(4), storetest.Annotators(2))
	s.Rate(t, 0, storetest.HandOut(t, db, s, 1, 0), 0, 2, 4, 1)
	s.Rate(t, 1, storetest.HandOut(t, db, s, 1, 1), 0, 2, 3, 1)
	want := storetest.RowCounts(t, db)
	want["application_values"]-- // the version of access is the database's own
	dsn := storetest.EmptyPostgres(t)
	postgres := moveTarget(t, database.Config{Driver: database.Postgres, DSN: dsn})
	ctx, stop := context.WithCancel(t.Context())
	_, err := db.DB.MoveTo(ctx, postgres.DB, func(table string, rows int) {
		if table == "translations" && rows == 500 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "translations") {
		t.Fatalf("the move ended with %v", err)
	}
	if _, err := store.Open(t.Context(), database.Config{Driver: database.Postgres, DSN: dsn}); !errors.Is(err, database.ErrUnfinishedMove) {
		t.Fatalf("a database with a part of the data is opened: %v", err)
	}
	again := map[string]int{}
	moved := storetest.Must(db.DB.MoveTo(t.Context(), postgres.DB, func(table string, rows int) { again[table] = rows }))(t)
	if again["users"] != 0 || again["translations"] != 100 {
		t.Errorf("going on moved %d rows of users and %d of translations, want 0 and 100", again["users"], again["translations"])
	}
	lite := moveTarget(t, database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "back.db")})
	back := storetest.Must(postgres.DB.MoveTo(t.Context(), lite.DB, nil))(t)
	if !reflect.DeepEqual(moved, back) {
		t.Errorf("moved there %v, and back %v", moved, back)
	}
	for _, m := range back {
		if n, counted := want[m.Table]; counted && n != m.Rows {
			t.Errorf("%s has %d rows, and %d were moved", m.Table, n, m.Rows)
		}
	}
	for _, st := range []*store.Store{postgres, lite} {
		storetest.Check(t, st.Doctor(t.Context(), false, func(f store.Finding) {
			if len(f.Problems) > 0 {
				t.Errorf("after the move: %v", f)
			}
		}))
	}
	if _, err := db.DB.MoveTo(t.Context(), postgres.DB, nil); err == nil || !strings.Contains(err.Error(), "name an empty one") {
		t.Errorf("a move into a database with data: %v", err)
	}
	if _, err := db.DB.MoveTo(t.Context(), lite.DB, nil); err == nil || !strings.Contains(err.Error(), "both databases are sqlite") {
		t.Errorf("a move between two of a kind: %v", err)
	}
}

// TestMoveOfWhatChanges: a row that is saved while the data moves is noticed at the end.
func TestMoveOfWhatChanges(t *testing.T) {
	db := storetest.Open(t)
	storetest.Campaign(t, db.Store, storetest.Segments(1))
	postgres := moveTarget(t, database.Config{Driver: database.Postgres, DSN: storetest.EmptyPostgres(t)})
	_, err := db.DB.MoveTo(t.Context(), postgres.DB, func(table string, _ int) {
		if table == "translations" {
			storetest.Check(t, db.DB.Write(t.Context(), func(tx *database.Tx) error { return tx.Exec("UPDATE users SET name = 'Zoe'").Error }))
		}
	})
	if err == nil || !strings.Contains(err.Error(), "the table users has") {
		t.Errorf("the move ended with %v", err)
	}
}
