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

// TestSlowLog: a statement that fails is logged, and so is a slow one; a statement that is cancelled is not.
func TestSlowLog(t *testing.T) {
	for _, c := range []struct {
		err    error
		since  time.Duration
		logged bool
	}{{nil, 0, false}, {nil, 2 * slow, true}, {errors.New("no such table"), 0, true}, {context.Canceled, 0, false}} {
		var out bytes.Buffer
		log := newSlowLog(slog.New(slog.NewTextHandler(&out, nil)))
		log.Trace(t.Context(), time.Now().Add(-c.since), func() (string, int64) { return "SELECT 1", 0 }, c.err)
		if strings.Contains(out.String(), "SELECT 1") != c.logged {
			t.Errorf("%v after %v: logged is %q", c.err, c.since, &out)
		}
	}
}
