package storetest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"annotate/internal/database"
	"annotate/internal/store"
)

// ExamineFile runs the doctor on a file as it is, and returns what is wrong.
func ExamineFile(t *testing.T, path string, repair bool) (problems []string) {
	t.Helper()
	st := Must(store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: path}))(t)
	defer st.Close()
	err := st.Doctor(t.Context(), repair, func(f store.Finding) {
		if !f.Repaired {
			problems = append(problems, f.Problems...)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// CopyOf copies a file with another process: reading it in this one would drop the
// locks that SQLite holds on it here.
func CopyOf(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	if out, err := exec.Command("cp", path, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return to
}
