package database

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestSlowLog: a statement that fails is logged, and so is a slow one; a statement that is cancelled does not fail.
func TestSlowLog(t *testing.T) {
	for _, c := range []struct {
		err   error
		since time.Duration
		level string // empty: not logged
	}{{nil, 0, ""}, {nil, 2 * slow, "WARN"}, {errors.New("no such table"), 0, "ERROR"}, {context.Canceled, 0, ""}, {context.Canceled, 2 * slow, "WARN"}} {
		var out bytes.Buffer
		log := newSlowLog(slog.New(slog.NewTextHandler(&out, nil)))
		log.Trace(t.Context(), time.Now().Add(-c.since), func() (string, int64) { return "SELECT 1", 0 }, c.err)
		if got := out.String(); strings.Contains(got, "SELECT 1") != (c.level != "") || !strings.Contains(got, c.level) {
			t.Errorf("%v after %v: logged is %q", c.err, c.since, &out)
		}
	}
}
