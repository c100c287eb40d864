package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

func noError(context.Context) error { return nil }

// TestReady: a server is ready for requests while its database saves and has the schema of the program.
func TestReady(t *testing.T) {
	s := newSite(t)
	ask := func(code int, words ...string) {
		t.Helper()
		wantStatus(t, "/readyz", s.stranger().get("/readyz"), code, words...)
		if head := s.stranger().do(http.MethodHead, "/readyz", "", ""); head.status != code || head.body != "" {
			t.Errorf("HEAD: %d %q", head.status, head.body)
		}
	}
	ask(http.StatusOK, `"ready":true`)
	if err := s.db.DB.Conn.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)").Error; err != nil {
		t.Fatal(err)
	}
	s.db.Clock.Advance(healthLasts)
	ask(http.StatusServiceUnavailable, `"ready":false`, "schema of another version")
	wantStatus(t, "/healthz, since everything is saved", s.stranger().get("/healthz"), http.StatusOK)
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	s.db.Clock.Advance(healthLasts)
	ask(http.StatusServiceUnavailable, "does not save")
}

func TestHealth(t *testing.T) {
	s := newSite(t)
	got := s.stranger().get("/healthz")
	var state healthState
	if err := json.Unmarshal([]byte(got.body), &state); err != nil || got.status != http.StatusOK || !state.CanSave || state.Message != "" && state.Status == "ok" {
		t.Errorf("%d %s: %v", got.status, got.body, err)
	}
	if head := s.stranger().do(http.MethodHead, "/healthz", "", ""); head.status != http.StatusOK || head.body != "" {
		t.Errorf("HEAD: %d %q", head.status, head.body)
	}
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "within the time that a check lasts", s.stranger().get("/healthz"), http.StatusOK)
	s.db.Clock.Advance(healthLasts)
	got = s.stranger().get("/healthz")
	if err := json.Unmarshal([]byte(got.body), &state); err != nil || got.status != http.StatusServiceUnavailable || state.CanSave || state.Status != "failing" || state.Message == "" || got.header.Get("Retry-After") == "" {
		t.Errorf("with a closed database: %d %s: %v", got.status, got.body, err)
	}
	if head := s.stranger().do(http.MethodHead, "/healthz", "", ""); head.status != http.StatusServiceUnavailable {
		t.Errorf("HEAD: %d", head.status)
	}
}

func TestHealthStates(t *testing.T) {
	gigabytes := func(free, used int64) func(context.Context) (database.Space, bool, error) {
		return func(context.Context) (database.Space, bool, error) {
			return database.Space{Free: free << 30, Database: used << 30}, true, nil
		}
	}
	for _, tt := range []struct {
		name    string
		space   func(context.Context) (database.Space, bool, error)
		save    error
		status  string
		message string
	}{
		{"all is well", gigabytes(3, 2), nil, "ok", ""},
		{"no room for a backup", gigabytes(2, 2), nil, "warning", "make room soon"},
		{"disk unknown", func(context.Context) (database.Space, bool, error) { return database.Space{}, false, nil }, nil, "ok", ""},
		{"disk full", gigabytes(0, 2), fmt.Errorf("%w (13)", database.ErrDiskFull), "failing", "disk of the database is full"},
		{"read-only", gigabytes(3, 2), fmt.Errorf("%w (8)", database.ErrReadOnly), "failing", "file of the database is read-only"},
		{"locked", gigabytes(3, 2), campaign.ErrBusy, "failing", "holds the database"},
		{"else", gigabytes(3, 2), errors.New("/secret/path"), "failing", "The log of the server says why"},
	} {
		h := &health{save: func(context.Context) error { return tt.save }, schema: noError, space: tt.space, now: time.Now, log: slog.New(slog.DiscardHandler), patience: time.Minute}
		s := h.state(t.Context())
		if s.Status != tt.status || !strings.Contains(s.Message, tt.message) || (s.Message == "") != (tt.message == "") || s.CanSave != (tt.save == nil) {
			t.Errorf("%s: %+v", tt.name, s)
		}
		if strings.Contains(s.Message, "/secret/path") {
			t.Errorf("%s: the message tells strangers %q", tt.name, s.Message)
		}
	}
}

// TestHealthOfTheLastMegabytes: a disk that has no room for new pages counts as full, although the
// check itself is saved.
func TestHealthOfTheLastMegabytes(t *testing.T) {
	for free, can := range map[int64]bool{0: false, least - 1: false, least: true} {
		h := &health{save: func(context.Context) error { return nil }, schema: noError, now: time.Now, log: slog.New(slog.DiscardHandler), patience: time.Minute,
			space: func(context.Context) (database.Space, bool, error) { return database.Space{Free: free}, true, nil }}
		if s := h.state(t.Context()); s.CanSave != can || (s.Status == "failing") == can {
			t.Errorf("%d bytes are free: %+v", free, s)
		}
	}
}

// TestHousekeepingEndsAfterTheCheck: the housekeeping ends only when the check of its beginning has, so that a
// stop closes no database during it.
func TestHousekeepingEndsAfterTheCheck(t *testing.T) {
	s := newSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	entered, release := make(chan struct{}), make(chan struct{})
	s.srv.health.save = func(context.Context) error { close(entered); <-release; return nil }
	ended := make(chan struct{})
	go func() {
		<-entered
		cancel()
		close(release)
	}()
	go func() {
		defer close(ended)
		s.srv.Housekeep(ctx)
	}()
	<-ended
	s.srv.health.mu.Lock()
	defer s.srv.health.mu.Unlock()
	if s.srv.health.running != nil {
		t.Error("the check is still under way")
	}
}

// While a save hangs, everybody is told so in time, and no second one is begun.
func TestHealthOfAHangingSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saves, end := 0, make(chan struct{})
		h := &health{
			save: func(context.Context) error { saves++; <-end; return nil }, schema: noError,
			space: func(context.Context) (database.Space, bool, error) { return database.Space{}, false, nil },
			now:   time.Now, log: slog.New(slog.DiscardHandler), patience: healthPatience,
		}
		for range 3 {
			begin := time.Now()
			if s := h.state(t.Context()); s.Status != "failing" || s.CanSave || time.Since(begin) != healthPatience {
				t.Errorf("after %v: %+v", time.Since(begin), s)
			}
		}
		close(end)
		synctest.Wait()
		if s := h.state(t.Context()); s.Status != "ok" || saves > 2 {
			t.Errorf("after %d saves: %+v", saves, s)
		}
	})
}

// A page is compressed for a browser that takes it, and is the same page.
func TestPagesAreCompressed(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Lead)
	plain := func(encoding string) answer {
		v.header.Set("Accept-Encoding", encoding) // set by hand, the client does not unpack
		return v.get("/campaigns/sample/members")
	}
	whole, packed := plain("identity"), plain("br, gzip;q=0.8")
	if got := whole.header.Get("Content-Encoding"); got != "" || !strings.Contains(whole.body, "<html") {
		t.Errorf("without gzip: %q", got)
	}
	if got := packed.header.Get("Content-Encoding"); got != "gzip" || len(packed.body) >= len(whole.body)/2 {
		t.Errorf("with gzip: %q, %d bytes of %d", got, len(packed.body), len(whole.body))
	}
	for _, a := range []answer{whole, packed} {
		says(t, "Vary", a.header.Get("Vary"), "Accept-Encoding")
	}
	if refused := plain("gzip;q=0"); refused.header.Get("Content-Encoding") != "" {
		t.Error("compressed for a client that refuses gzip")
	}
	v.header.Del("Accept-Encoding") // the client unpacks by itself
	if again := v.get("/campaigns/sample/members"); again.body != whole.body {
		t.Error("unpacked it is another page")
	}
}
