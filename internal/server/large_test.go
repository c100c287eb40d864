package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// BenchmarkLargePages renders every page of a campaign of a million ratings, and
// gives p50 and p95 of each in milliseconds. The bar is a p95 of 100. What the
// process holds in memory at the end is told by the last one; the bar is 150 MB.
func BenchmarkLargePages(b *testing.B) {
	db, s := storetest.Large(b)
	srv, err := New(Config{}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	annotator, lead := srv.visitor(b, db.Store, s.Annotators[3]), srv.visitor(b, db.Store, s.Lead)
	prefix := "/campaigns/" + s.Campaign.Slug
	last := fmt.Sprint("?page=", (storetest.LargeSegments+49)/50)
	admin, err := db.Accounts.AddUser(b.Context(), "chief", "Chief", accounts.Admin)
	if err != nil {
		b.Fatal(err)
	}
	chief := srv.visitor(b, db.Store, admin)
	middle := s.RowID(b, "doc-02500", "seg-025003")
	pages := []struct{ name, path, cookie string }{
		{"sign in", "/sign-in", ""},
		{"my work", "/work", annotator},
		{"annotate", prefix + "/assignments/" + s.Next(b, 3), annotator},
		{"finished", prefix + "/finished", annotator},
		{"finished last", prefix + "/finished?page=105", annotator},
		{"own segments", prefix + "/finished?show=all", annotator},
		{"own segments last", prefix + "/finished?show=all&page=105", annotator},
		{"own segments begun", prefix + "/finished?show=begun", annotator},
		{"own segments of documents", prefix + "/finished?show=done&text=doc-02", annotator},
		{"account", "/account", annotator},
		{"guide", prefix + "/guide", annotator},
		{"campaigns", "/campaigns", lead},
		{"overview", prefix, lead},
		{"segments", prefix + "/segments", lead},
		{"segments last", prefix + "/segments" + last, lead},
		{"segments agreed", prefix + "/segments?status=agreed", lead},
		{"segments agreed last", prefix + "/segments?status=agreed&page=900", lead},
		{"segments domain", prefix + "/segments?domain=domain2&status=discarded", lead},
		{"segments text", prefix + "/segments?text=44444", lead},
		{"segments text all", prefix + "/segments?text=Fuchs&page=1000", lead},
		{"segments text none", prefix + "/segments?text=nowhere", lead},
		{"segments by lowest", prefix + "/segments?sort=lowest", lead},
		{"segments by change", prefix + "/segments?sort=changed&page=1000", lead},
		{"segments by id", prefix + "/segments?sort=id&page=1000", lead},
		{"segments annotator", prefix + "/segments?annotator=ann1&page=100", lead},
		{"segment", prefix + "/segments/" + middle, lead},
		{"annotators", prefix + "/annotators", lead},
		{"plan", prefix + "/plan", lead},
		{"annotator", prefix + "/annotators/ann4", lead},
		{"agreement", prefix + "/agreement", lead},
		{"agreement gold", prefix + "/agreement?gold=yes", lead},
		{"agreement cell", prefix + "/agreement/pairs/ann1/ann2", lead},
		{"queue", prefix + "/queue", lead},
		{"queue last", prefix + "/queue?page=40", lead},
		{"queue by lowest", prefix + "/queue?sort=lowest", lead},
		{"queue discarded", prefix + "/queue?show=failed&page=40", lead},
		{"segment of the queue", prefix + "/segments/" + middle + "?in=queue&show=failed&at=1000", lead},
		{"hours", prefix + "/hours.csv", lead},
		{"export", prefix + "/export", lead},
		{"import", prefix + "/import", lead},
		{"messages", prefix + "/messages", lead},
		{"members", prefix + "/members", lead},
		{"settings", prefix + "/settings", lead},
		{"audit", prefix + "/audit", lead},
		{"audit found", prefix + "/audit?text=nowhere", lead},
		{"users", "/users", chief},
	}
	for _, page := range pages {
		b.Run(page.name, func(b *testing.B) {
			var took timing
			for b.Loop() {
				req := httptest.NewRequest("GET", page.path, nil)
				if page.cookie != "" {
					req.Header.Set("Cookie", page.cookie)
				}
				w := httptest.NewRecorder()
				took.of(b, func() { srv.Handler().ServeHTTP(w, req) })
				if w.Code == http.StatusNotFound && !routed(srv, page.path) {
					b.Skip("there is no such page yet")
				}
				if w.Code != http.StatusOK {
					b.Fatalf("%s answered %d", page.path, w.Code)
				}
			}
			took.report(b)
		})
	}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(memoryMB(b, "VmRSS"), "resident-MB")
		debug.FreeOSMemory()
		b.ReportMetric(memoryMB(b, "VmRSS"), "after-collection-MB")
	})
}

// visitor is the cookie of a user who is signed in.
func (s *Server) visitor(b *testing.B, st *store.Store, u accounts.User) string {
	b.Helper()
	token, err := st.Accounts.StartSession(b.Context(), u, "bench")
	if err != nil {
		b.Fatal(err)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	cookie := s.Cookie(r)
	cookie.Values["token"] = token
	if err := cookie.Save(r, w); err != nil {
		b.Fatal(err)
	}
	return strings.Split(w.Header().Get("Set-Cookie"), ";")[0]
}

// A timing collects how long requests take.
type timing struct {
	took []time.Duration
	cpu  time.Duration // of all requests
}

// of times one request.
func (t *timing) of(b *testing.B, request func()) {
	before, began := cpu(b), time.Now()
	request()
	t.took = append(t.took, time.Since(began))
	t.cpu += cpu(b) - before
}

// report gives p50, p95 and the mean processor time of the requests in milliseconds.
func (t *timing) report(b *testing.B) {
	slices.Sort(t.took)
	for _, p := range []int{50, 95} {
		b.ReportMetric(milliseconds(t.took[(len(t.took)-1)*p/100]), fmt.Sprintf("p%d-ms", p))
	}
	b.ReportMetric(milliseconds(t.cpu)/float64(len(t.took)), "cpu-ms")
	b.ReportMetric(0, "ns/op")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// cpu is the time that the processors have spent on this process, which says what a
// page costs also where the machine is busy with something else.
func cpu(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// routed reports whether a path has a handler at all.
func routed(srv *Server, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	for _, r := range srv.echo.Router().Routes() {
		parts := strings.Split(r.Path, "/")
		if r.Method != "GET" || len(parts) != len(segments) {
			continue
		}
		fits := true
		for i, p := range parts {
			fits = fits && (strings.HasPrefix(p, ":") || p == segments[i])
		}
		if fits {
			return true
		}
	}
	return false
}

// memoryMB is what a line of the system's account of the process says: VmRSS is what it
// holds now, VmHWM the most that it has held.
func memoryMB(b *testing.B, line string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Log(err)
		return 0
	}
	_, rest, _ := strings.Cut(string(status), line+":")
	var kb float64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		b.Log(err)
	}
	return kb / 1024
}
