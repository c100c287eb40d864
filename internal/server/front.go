package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// A Front answers requests from the moment at which the server listens. Until the application is ready, which can take
// minutes after an upgrade, every answer is a 503 that says what is being done and for how long. Once the server is told to
// stop, /readyz answers 503, and the application goes on answering all other requests.
type Front struct {
	now func() time.Time

	mu       sync.RWMutex
	app      http.Handler // nil until it is ready
	doing    string
	since    time.Time
	stopping bool
}

// NewFront returns a handler for an application that is not ready yet.
func NewFront(now func() time.Time) *Front {
	return &Front{now: now, doing: "opening the database", since: now()}
}

// Doing notes what is being done, such as "copying the database".
func (f *Front) Doing(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doing, f.since = what, f.now()
}

// Ready has the application answer from now on.
func (f *Front) Ready(app http.Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.app = app
}

// Stopping has /readyz say from now on that the server stops.
func (f *Front) Stopping() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopping = true
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.RLock()
	app, doing, since, stopping := f.app, f.doing, f.since, f.stopping
	f.mu.RUnlock()
	if stopping && r.URL.Path == "/readyz" {
		refuse(w, readyState{Message: "The server is stopping."})
		return
	}
	if app != nil {
		app.ServeHTTP(w, r)
		return
	}
	sentence := fmt.Sprintf("The server is starting: it has been %s for %s.", doing, f.now().Sub(since).Round(time.Second))
	switch r.URL.Path {
	case "/healthz":
		refuse(w, healthState{Status: "failing", Message: sentence, CheckedAt: rfc3339(f.now())})
	case "/readyz":
		refuse(w, readyState{Message: sentence})
	default:
		unavailable(w.Header())
		http.Error(w, sentence, http.StatusServiceUnavailable)
	}
}

// refuse answers a monitor or a proxy with 503 and a state as JSON.
func refuse(w http.ResponseWriter, state any) {
	unavailable(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(state) // the visitor may be gone
}

// unavailable sets the headers of an answer that is given without the application.
func unavailable(h http.Header) {
	h.Set("Retry-After", "5")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}
