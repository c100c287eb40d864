package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"annotate/internal/command"
	"annotate/internal/store/storetest"
)

// TestPostgres does on PostgreSQL what the scripts do on SQLite, with the one
// difference that nothing works before migrate up. Exports must be the same.
func TestPostgres(t *testing.T) {
	sample, err := filepath.Abs("../../internal/sample/data")
	if err != nil {
		t.Fatal(err)
	}
	postgres := []string{"ANNOTATE_DATABASE_DRIVER=postgres", "ANNOTATE_DATABASE_DSN=" + storetest.EmptyPostgres(t)}
	t.Chdir(t.TempDir())
	annotate := func(env []string, args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), args, env, nil, &out, io.Discard)
		return out.String(), err
	}
	_, err = annotate(postgres, "user", "list")
	if command.ExitCode(err) != 1 || !strings.Contains(command.Message(err), "run: annotate migrate up") {
		t.Fatalf("before migrate up: got %v (status %d)", err, command.ExitCode(err))
	}
	for _, step := range []struct{ command, want string }{
		{"migrate status", "pending"},
		{"migrate up", "applied 00201_accounts.sql"},
		{"migrate up", "nothing to do, the schema is up to date"},
		{"user list", "LOGIN"},
	} {
		out, err := annotate(postgres, strings.Fields(step.command)...)
		if err != nil || !strings.Contains(out, step.want) {
			t.Fatalf("%s: got %v and\n%swant %s", step.command, err, out, step.want)
		}
	}
	var exports [2][]string
	for i, env := range [][]string{nil, postgres} {
		for _, args := range [][]string{
			{"campaign", "create", "demo"},
			{"import", "demo", "--format", "jsonl", filepath.Join(sample, "zh-en.jsonl")},
			{"import", "demo", "--format", "ratings", filepath.Join(sample, "zh-en.ratings.jsonl")},
			{"member", "list", "demo"},
			{"export", "demo", "--format", "jsonl"},
			{"export", "demo", "--format", "ratings"},
			{"export", "demo", "--format", "ment"},
			{"export", "demo", "--format", "csv"},
		} {
			out, err := annotate(env, args...)
			if err != nil {
				t.Fatalf("annotate %v with %v: %v", args, env, err)
			}
			exports[i] = append(exports[i], out)
		}
		if _, err := annotate(env, "import", "demo", "--format", "jsonl", filepath.Join(sample, "zh-en.jsonl")); command.ExitCode(err) != 2 {
			t.Errorf("the same segments again with %v: got %v", env, err)
		}
	}
	out, err := annotate(nil, "migrate-data", "--to", postgres[1][len("ANNOTATE_DATABASE_DSN="):])
	if command.ExitCode(err) != 1 || !strings.Contains(command.Message(err), "name an empty one") {
		t.Errorf("moving into a database with data: got %v and %s", err, out)
	}
	out, err = annotate(nil, "migrate-data", "--to", storetest.EmptyPostgres(t))
	if err != nil || !strings.Contains(out, "all checksums agree") {
		t.Errorf("moving the data: got %v and %s", err, out)
	}
	for i, got := range exports[1] {
		if got != exports[0][i] {
			t.Errorf("output %d: got\n%s\nwant, as with SQLite,\n%s", i, got, exports[0][i])
		}
	}
}
