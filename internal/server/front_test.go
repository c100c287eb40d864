package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Before the application is ready, every page is a 503 that says what the server does and for how long. Then the
// application answers, also after the server was told to stop; /readyz then says so.
func TestFront(t *testing.T) {
	now := time.Now()
	s := NewFront(func() time.Time { return now })
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	s.Doing("copying the database")
	now = now.Add(95 * time.Second)
	var state healthState
	w := ask("/healthz")
	if err := json.Unmarshal(w.Body.Bytes(), &state); err != nil || w.Code != http.StatusServiceUnavailable || state.Status != "failing" || state.CanSave ||
		state.Message != "The server is starting: it has been copying the database for 1m35s." || w.Header().Get("Retry-After") == "" {
		t.Errorf("/healthz answers %d %s: %v", w.Code, w.Body, err)
	}
	if w := ask("/work"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "The server is starting") {
		t.Errorf("a page answers %d %s", w.Code, w.Body)
	}
	ready := func(code int, message string) {
		t.Helper()
		var state readyState
		w := ask("/readyz")
		if err := json.Unmarshal(w.Body.Bytes(), &state); err != nil || w.Code != code || state.Ready || !strings.Contains(state.Message, message) {
			t.Errorf("/readyz answers %d %s: %v", w.Code, w.Body, err)
		}
	}
	ready(http.StatusServiceUnavailable, "copying the database for 1m35s")
	s.Ready(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "{}", http.StatusNotFound) }))
	for _, path := range []string{"/work", "/readyz"} {
		if w := ask(path); w.Code != http.StatusNotFound {
			t.Errorf("the application answers %s with %d", path, w.Code)
		}
	}
	s.Stopping()
	ready(http.StatusServiceUnavailable, "The server is stopping.")
	if w := ask("/work"); w.Code != http.StatusNotFound {
		t.Errorf("while it stops, the application answers %d", w.Code)
	}
}
