package server

import (
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"annotate/internal/evaluation"
	"annotate/internal/store/storetest"
)

// BenchmarkLargeReport computes the report of a campaign of a million ratings, and
// gives p95 in milliseconds of its page when it is kept, and of the overview while it
// is being computed. The bar of both is 100.
func BenchmarkLargeReport(b *testing.B) {
	db, s := storetest.Large(b)
	srv, err := New(Config{}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	lead := srv.visitor(b, db.Store, s.Lead)
	prefix := "/campaigns/" + s.Campaign.Slug
	get := func(path string) time.Duration {
		req := httptest.NewRequest("GET", path, nil)
		req.Header.Set("Cookie", lead)
		rec := httptest.NewRecorder()
		began := time.Now()
		srv.Handler().ServeHTTP(rec, req)
		if rec.Code != 200 {
			b.Fatalf("%s: %d", path, rec.Code)
		}
		return time.Since(began)
	}
	p95 := func(took []time.Duration) float64 {
		slices.Sort(took)
		return float64(took[len(took)*95/100].Microseconds()) / 1000
	}
	b.Run("compute", func(b *testing.B) {
		for b.Loop() {
			j := srv.results.Reports.Start(s.Campaign, nil, evaluation.Choices{})
			var took []time.Duration
			for done := false; !done; {
				select {
				case <-j.Done():
					done = true
				case <-time.After(50 * time.Millisecond):
					took = append(took, get(prefix))
				}
			}
			if _, err := j.Result(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(p95(took), "p95-overview-ms")
		}
	})
	b.Run("page", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			took = append(took, get(prefix+"/report"))
		}
		b.ReportMetric(p95(took), "p95-ms")
	})
}
