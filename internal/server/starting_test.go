package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Before the application is ready, every page is a 503 that says what the server does and for how long; then the
// application answers.
func TestStarting(t *testing.T) {
	now := time.Now()
	s := NewStarting(func() time.Time { return now })
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
	s.Ready(http.NotFoundHandler())
	if w := ask("/work"); w.Code != http.StatusNotFound {
		t.Errorf("the application answers %d", w.Code)
	}
}
