package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"annotate/internal/database"
	"annotate/internal/store/storetest"
)

// A command that reads does not wait for another program that writes: SQLite lets one
// program write at a time, and a server with much to save hardly ever lets go.
func TestReadingCommandsDoNotWaitForWriters(t *testing.T) {
	defer storetest.SetBusyTimeout(10 * time.Millisecond)()
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(3))
	for range 3 {
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 0, 2, 4)
	}
	environ := []string{"ANNOTATE_DATABASE_DSN=" + db.Config.DSN}
	out := func(name string) string { return filepath.Join(t.TempDir(), name) }
	commands := [][]string{
		{"export", "sample", "--format", "jsonl", "--out", out("a.jsonl")}, {"report", "sample", "--out", out("a.html")}, {"agreement", "sample"},
		{"campaign", "list"}, {"campaign", "show", "sample"}, {"member", "list", "sample"}, {"user", "list"}, {"migrate", "status"}, {"doctor"}, {"backup", out("a.db")},
	}
	err := db.DB.Write(t.Context(), func(tx *database.Tx) error {
		if err := storetest.Put(tx, "begun"); err != nil {
			return err
		}
		for _, args := range commands {
			if err := run(t.Context(), args, environ, nil, io.Discard, io.Discard); err != nil {
				t.Errorf("annotate %s: %v", strings.Join(args, " "), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
