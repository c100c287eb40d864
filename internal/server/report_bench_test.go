package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
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

// BenchmarkBesideReport computes the report of ten campaigns of 100,000 ratings over the same translations, and gives the
// processor time in seconds and the most memory in megabytes. It then gives p95 in milliseconds of its page. The bars are 30 s, 300 MB
// and 1,000 ms.
func BenchmarkBesideReport(b *testing.B) {
	db, all := storetest.Beside(b)
	srv, err := New(Config{}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	first := all[0]
	var choices evaluation.Choices
	var beside []campaign.Campaign
	for _, s := range all[1:] {
		choices.Beside = append(choices.Beside, s.Campaign.Slug)
		beside = append(beside, s.Campaign)
	}
	b.Run("compute", func(b *testing.B) {
		for b.Loop() {
			storetest.ResetPeak(b)
			before := cpu(b)
			j := srv.results.Reports.Start(first.Campaign, beside, choices.For(first.Campaign))
			<-j.Done()
			if _, err := j.Result(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric((cpu(b) - before).Seconds(), "cpu-s")
			b.ReportMetric(storetest.PeakMB(b), "peak-MB")
		}
	})
	lead := srv.visitor(b, db.Store, first.Lead)
	query := url.Values{"beside": choices.Beside}.Encode()
	b.Run("page", func(b *testing.B) {
		var took timing
		for b.Loop() {
			req := httptest.NewRequest("GET", "/campaigns/"+first.Campaign.Slug+"/report?"+query, nil)
			req.Header.Set("Cookie", lead)
			w := httptest.NewRecorder()
			took.of(b, func() { srv.Handler().ServeHTTP(w, req) })
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "beside-ranks") {
				b.Fatalf("%d without the comparison", w.Code)
			}
			b.ReportMetric(float64(w.Body.Len())/1000, "kB")
		}
		took.report(b)
	})
}
