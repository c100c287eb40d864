package testenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A recorder takes the place of a test that is skipped or fails.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Skip(args ...any)               { r.skipped = args[0].(string); panic(r) }
func (r *recorder) Skipf(format string, _ ...any)  { r.skipped = format; panic(r) }
func (r *recorder) Fatalf(format string, _ ...any) { r.failed = format; panic(r) }

func record(t *testing.T, do func(testing.TB)) (r *recorder) {
	r = &recorder{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
	}()
	do(r)
	return r
}

func TestLacks(t *testing.T) {
	for ci, fails := range map[string]bool{"": false, "true": true} {
		t.Setenv("CI", ci)
		r := record(t, func(t testing.TB) { Lacks(t, "no hammer") })
		if (r.failed != "") != fails || (r.skipped == "no hammer") == fails {
			t.Errorf("with CI=%q: skipped %q, failed %q", ci, r.skipped, r.failed)
		}
	}
}

func TestData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ANNOTATE_TESTDATA", dir)
	t.Setenv("CI", "true")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Data(t, "a.txt"); got != filepath.Join(dir, "a.txt") {
		t.Errorf("the file is %s", got)
	}
	if r := record(t, func(t testing.TB) { Data(t, "b", "c.txt") }); !strings.Contains(r.skipped, "ANNOTATE_TESTDATA") {
		t.Errorf("without the file: skipped %q, failed %q", r.skipped, r.failed)
	}
}

func TestTimeOfSoak(t *testing.T) {
	t.Setenv("ANNOTATE_SOAK", "90s")
	if got := SoakTime(t); got != 90*time.Second {
		t.Errorf("90s is read as %v", got)
	}
	t.Setenv("ANNOTATE_SOAK", "")
	if r := record(t, func(t testing.TB) { SoakTime(t) }); r.skipped == "" {
		t.Error("without the variable the test is not skipped")
	}
}
