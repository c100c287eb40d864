package soak

import (
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	t.Setenv("ANNOTATE_SOAK", "90s")
	if got := Time(t); got != 90*time.Second {
		t.Errorf("90s is read as %v", got)
	}
	t.Setenv("ANNOTATE_SOAK", "")
	skipped := false
	t.Run("not set", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Time(t)
	})
	if !skipped {
		t.Error("without the variable the test is not skipped")
	}
}
