package database_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"
)

// SQLite is opened by the driver in Go. The one in C, which GORM's SQLite package imports, registers
// itself as sqlite3 when it is linked in; internal/nocsqlite replaces it, since it takes a minute to compile.
func TestSQLiteNeedsNoC(t *testing.T) {
	if slices.Contains(sql.Drivers(), "sqlite3") {
		t.Error("the SQLite driver in C is linked in; does go.mod still replace github.com/mattn/go-sqlite3?")
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := fmt.Sprintf("%T", db.Driver()); got != "*sqlite.Driver" {
		t.Errorf("SQLite is opened by %s", got)
	}
	var version string
	if err := db.QueryRow("SELECT sqlite_version()").Scan(&version); err != nil || version == "" {
		t.Errorf("version %q, error %v", version, err)
	}
}
