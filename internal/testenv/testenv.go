// Package testenv finds what tests need and a machine may lack. A test that lacks
// something is skipped with the reason, which scripts/test prints.
package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// Lacks skips the test for want of a tool. The reason names the tool and how to get
// it. With CI=true the test fails instead: there a skipped test is a failed one.
func Lacks(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s; CI may not skip its tests", reason)
	}
	t.Skip(reason)
}

// Data is the absolute path of a file or folder of the published data, which is not
// part of the repository. The environment variable ANNOTATE_TESTDATA names the folder
// of the data. Without the file the test is skipped, in CI too: the data is no tool.
func Data(t testing.TB, name ...string) string {
	t.Helper()
	dir := os.Getenv("ANNOTATE_TESTDATA")
	if dir == "" {
		dir = filepath.Join(module(t), "..", "shared", "data")
	}
	path, err := filepath.Abs(filepath.Join(append([]string{dir}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s; ANNOTATE_TESTDATA names the folder of the published data", path)
	}
	return path
}

// module is the folder with the go.mod of the package under test.
func module(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			t.Fatal("no go.mod above the folder of the test")
		}
		dir = above
	}
}
