// Package testenv has what tests of several packages share: tools and data that a machine may lack, vectors that
// statistics are compared with, a server that answers as a language model by a script, and how long tests at random
// may run.
package testenv

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Lacks skips the test for want of a tool, so that a machine without it runs the other tests. The
// reason names the tool and how to get it. With CI=true the test fails instead: there a skipped test
// is a failed one.
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

// SoakTime is how long a test may run, from the variable ANNOTATE_SOAK, such as 30m. Without the
// variable the test is skipped, because make test has no time for it. The test is called TestSoak…,
// looks at the time itself and logs what it has tried with t.Logf.
func SoakTime(t testing.TB) time.Duration {
	t.Helper()
	text := os.Getenv("ANNOTATE_SOAK")
	if text == "" {
		t.Skip("a soak test tries things at random for half an hour; make soak runs it")
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("ANNOTATE_SOAK is %q; it must be a duration above 0, such as 30m", text)
	}
	return d
}
