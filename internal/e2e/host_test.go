package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A host is a server whose address stays the same from test to test, with one application at a time. What a window has
// loaded and compiled from an address serves the windows of later tests at the same seat, too: that is half of what
// the first page of a test takes.
type host struct {
	url         string
	mu          sync.RWMutex // held by each request, so that an application is left when it has answered
	application http.Handler
}

// hosts are those without an application.
var hosts struct {
	sync.Mutex
	free    []*host
	servers []*httptest.Server
}

// serve serves an application at the address that it returns. The returned function ends that when all requests are answered.
func serve(application http.Handler) (address string, end func()) {
	hosts.Lock()
	defer hosts.Unlock()
	var s *host
	if n := len(hosts.free); n > 0 {
		s, hosts.free = hosts.free[n-1], hosts.free[:n-1]
	} else {
		s = &host{}
		ts := httptest.NewServer(s)
		s.url = ts.URL
		hosts.servers = append(hosts.servers, ts)
	}
	s.set(application)
	return s.url, func() {
		s.set(http.NotFoundHandler())
		hosts.Lock()
		defer hosts.Unlock()
		hosts.free = append(hosts.free, s)
	}
}

// served is [serve] until the test ends.
func served(t testing.TB, application http.Handler) (address string) {
	address, end := serve(application)
	t.Cleanup(end)
	return address
}

func (s *host) set(application http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.application = application
}

// ServeHTTP implements [http.Handler].
func (s *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == axePath {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeFile(w, r, axeFile())
		return
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.application.ServeHTTP(w, r)
}

// axePath is where each host serves axe-core.
const axePath = "/axe.min.js"

// axeFile is the file of axe-core, which scripts/setup fetches.
func axeFile() string {
	if path := os.Getenv("ANNOTATE_TEST_AXE"); path != "" {
		return path
	}
	return filepath.Join("..", "..", ".cache", "npm", "node_modules", "axe-core", "axe.min.js")
}
