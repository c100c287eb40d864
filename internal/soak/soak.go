// Package soak bounds the tests that run for long: they try at random what the
// ordinary tests try a little of, and are run by make soak alone.
package soak

import (
	"os"
	"testing"
	"time"
)

// Time is how long a test may run, from the variable ANNOTATE_SOAK, such as 30m. The
// test is skipped where the variable is not set. The test is called TestSoak…, looks
// at the time itself and logs what it has tried with t.Logf.
func Time(t testing.TB) time.Duration {
	t.Helper()
	text := os.Getenv("ANNOTATE_SOAK")
	if text == "" {
		t.Skip("it runs for long; make soak runs it")
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("ANNOTATE_SOAK is %q; it must be a duration above 0, such as 30m", text)
	}
	return d
}
