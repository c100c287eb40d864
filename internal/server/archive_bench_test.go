package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"annotate/internal/report/gather"
	"annotate/internal/store/storetest"
)

// BenchmarkLargeArchive prepares the archive of a campaign of a million ratings over
// HTTP. It gives how long that takes, p95 in milliseconds of pages meanwhile, whose bar
// is 100, the most that the process holds in memory, and how long the first byte of the
// finished archive takes, whose bar is a second.
func BenchmarkLargeArchive(b *testing.B) {
	db, s := storetest.Large(b)
	srv, err := New(Config{WorkDir: b.TempDir()}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	defer web.Close()
	lead, annotator := srv.visitor(b, db.Store, s.Lead), srv.visitor(b, db.Store, s.Annotators[3])
	prefix := "/campaigns/" + s.Campaign.Slug
	get := func(path, cookie string) (first time.Duration, size int64) {
		b.Helper()
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, web.URL+path, nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Cookie", cookie)
		began := time.Now()
		res, err := web.Client().Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		var one [1]byte
		if _, err := io.ReadFull(res.Body, one[:]); err != nil || res.StatusCode != http.StatusOK {
			b.Fatalf("%s: %d %v", path, res.StatusCode, err)
		}
		first = time.Since(began)
		size, err = io.Copy(io.Discard, res.Body)
		if err != nil {
			b.Fatal(err)
		}
		return first, size + 1
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

	report := srv.results.Reports.Start(s.Campaign, nil, gather.Choices{})
	<-report.Done()
	if _, err := report.Result(); err != nil {
		b.Fatal(err)
	}
	pages := []struct{ name, path, cookie string }{
		{"overview", prefix, lead},
		{"segments", prefix + "/segments", lead},
		{"annotate", prefix + "/assignments/" + s.Next(b, 3), annotator},
	}
	for _, p := range pages {
		get(p.path, p.cookie)
	}
	file := prefix + "/files/" + "archive"
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			forgetPeak(b)
			began := time.Now()
			first, _ := get(file, lead)
			j := srv.results.Files.Runner.Find(s.Campaign.ID + "/" + "archive" + "?&false")
			if j == nil {
				b.Fatal("the page does not prepare the archive")
			}
			took := make([][]time.Duration, len(pages))
			for done := false; !done; {
				select {
				case <-j.Done():
					done = true
				case <-time.After(20 * time.Millisecond):
					for i, p := range pages {
						d, _ := get(p.path, p.cookie)
						took[i] = append(took[i], d)
					}
				}
			}
			b.ReportMetric(time.Since(began).Seconds(), "prepare-s")
			if _, err := j.Result(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ms(first), "page-of-file-ms")
			for i, p := range pages {
				slices.Sort(took[i])
				b.ReportMetric(ms(took[i][(len(took[i])-1)*95/100]), "p95-"+p.name+"-ms")
			}
			b.ReportMetric(memoryMB(b, "VmHWM"), "peak-MB")
			b.ReportMetric(0, "ns/op")
		}
	})
	b.Run("download", func(b *testing.B) {
		for b.Loop() {
			first, size := get(file+"/download", lead)
			b.ReportMetric(ms(first), "first-byte-ms")
			b.ReportMetric(float64(size)/1e6, "MB")
			b.ReportMetric(0, "ns/op")
		}
	})
}

// forgetPeak makes the most that the process has held what it holds now.
func forgetPeak(b *testing.B) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Log(err)
	}
}
