package database_test

import (
	"os"
	"path/filepath"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/store"
)

// A new database file and the files beside it are the owner's alone.
func TestNewFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	st, err := store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.Accounts.AddUser(t.Context(), "mia", "", accounts.Member); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 3 {
		t.Fatalf("files %q, want the database, its log and its index", files)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f, info.Mode())
		}
	}
}
