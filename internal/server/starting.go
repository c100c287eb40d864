package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Starting answers requests from the moment at which the server listens. Until the application is ready, which can take
// minutes after an upgrade, every answer is a 503 that says what is being done and for how long.
type Starting struct {
	now func() time.Time

	mu    sync.RWMutex
	app   http.Handler // nil until it is ready
	doing string
	since time.Time
}

// NewStarting returns a handler for an application that is not ready yet.
func NewStarting(now func() time.Time) *Starting {
	return &Starting{now: now, doing: "opening the database", since: now()}
}

// Doing notes what is being done, such as "copying the database".
func (s *Starting) Doing(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing, s.since = what, s.now()
}

// Ready has the application answer from now on.
func (s *Starting) Ready(app http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app = app
}

// ServeHTTP implements [http.Handler].
func (s *Starting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	app, doing, since := s.app, s.doing, s.since
	s.mu.RUnlock()
	if app != nil {
		app.ServeHTTP(w, r)
		return
	}
	sentence := fmt.Sprintf("The server is starting: it has been %s for %s.", doing, s.now().Sub(since).Round(time.Second))
	h := w.Header()
	h.Set("Retry-After", "5")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path == "/healthz" {
		h.Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(healthState{Status: "failing", Message: sentence, CheckedAt: rfc3339(s.now())}) // the visitor may be gone
		return
	}
	http.Error(w, sentence, http.StatusServiceUnavailable)
}
