package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"annotate/internal/command"
)

// TestBackupKeeps: in a folder the newest backups stay, and files of other names.
func TestBackupKeeps(t *testing.T) {
	t.Chdir(t.TempDir())
	folder := t.TempDir()
	try := func(args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), args, nil, nil, &out, io.Discard)
		return out.String(), err
	}
	if _, err := try("user", "add", "ada"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"annotate-2026-01-02T030405Z.db", "annotate-2026-01-03T030405Z.db", "annotate-2026-02-31T030405Z.db", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := try("backup", "--keep", "2", folder)
	if err != nil || strings.Count(out, "\n") != 2 || !strings.HasPrefix(out, filepath.Join(folder, "annotate-")) || !strings.Contains(out, "deleted "+filepath.Join(folder, "annotate-2026-01-02T030405Z.db")) {
		t.Errorf("the command says %q: %v", out, err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != 4 {
		t.Errorf("left: %q, %v", left, err)
	}
	for _, args := range [][]string{{"backup", "--keep", "2", filepath.Join(folder, "new.db")}, {"backup", "--keep", "0", folder}} {
		if _, err := try(args...); command.ExitCode(err) != 2 {
			t.Errorf("%q ends with %v", args, err)
		}
	}
}
