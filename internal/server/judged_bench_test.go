package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/report/gather"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// BenchmarkJudged renders the pages of a campaign of 100,000 judgements, and gives p50 and p95 of each
// in milliseconds. The bar is a p95 of 100. It also computes the report and the agreement, and exports
// the judgements with their traces.
func BenchmarkJudged(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		db, s := storetest.Judged(b)
		benchJudged(b, db, s)
	})
	b.Run("postgres", func(b *testing.B) {
		db, s := storetest.JudgedPostgres(b)
		benchJudged(b, db, s)
	})
}

func benchJudged(b *testing.B, db *storetest.DB, s *storetest.Sample) {
	srv, err := New(Config{}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	lead := srv.visitor(b, db.Store, s.Lead)
	prefix := "/campaigns/" + s.Campaign.Slug
	middle := prefix + "/segments/" + s.RowID(b, "d125", "s1250")
	last := fmt.Sprint("/segments?page=", storetest.JudgedSegments/50)
	for _, page := range []struct{ name, path string }{
		{"overview", prefix},
		{"segments", prefix + "/segments"},
		{"segments last", prefix + last},
		{"segments text", prefix + "/segments?text=nowhere"},
		{"segment", middle},
		{"trace", middle + "/trace?system=system3&judge=" + storetest.JudgeName(1)},
		{"judges", prefix + "/judges"},
		{"annotators", prefix + "/annotators"},
		{"agreement", prefix + "/agreement"},
		{"export", prefix + "/export"},
	} {
		b.Run(page.name, func(b *testing.B) {
			var took timing
			for b.Loop() {
				req := httptest.NewRequest("GET", page.path, nil)
				req.Header.Set("Cookie", lead)
				w := httptest.NewRecorder()
				took.of(b, func() { srv.Handler().ServeHTTP(w, req) })
				if w.Code != http.StatusOK {
					b.Fatalf("%s answered %d", page.path, w.Code)
				}
			}
			took.report(b)
		})
	}
	// The page of agreement after something has changed, as on each visit while a judge runs.
	b.Run("agreement anew", func(b *testing.B) {
		var took timing
		key := s.Campaign.ID + " false"
		for b.Loop() {
			req := httptest.NewRequest("GET", prefix+"/agreement", nil)
			req.Header.Set("Cookie", lead)
			w := httptest.NewRecorder()
			if run := srv.monitoring.Judged.Runner.Find(key); run != nil {
				<-run.Done()
			}
			kept := srv.monitoring.Judged.Kept[key]
			kept.State = "earlier"
			srv.monitoring.Judged.Kept[key] = kept
			took.of(b, func() { srv.Handler().ServeHTTP(w, req) })
			if w.Code != http.StatusOK {
				b.Fatal(w.Code)
			}
		}
		took.report(b)
	})
	b.Run("compute report", func(b *testing.B) {
		for b.Loop() {
			j := srv.results.Reports.Start(s.Campaign, nil, gather.Choices{})
			<-j.Done()
			if _, err := j.Result(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compute agreement", func(b *testing.B) {
		for b.Loop() {
			if _, err := campaign.Agreement(s.Campaign, db.Desk.RatedSegments(b.Context(), s.Campaign), false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("export judgements", func(b *testing.B) {
		storetest.ResetPeak(b)
		for b.Loop() {
			var n countedBytes
			if _, err := transfer.Export(b.Context(), db.Store, s.Campaign, "judgements", &n); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(n)/1e6, "MB")
		}
		b.ReportMetric(storetest.PeakMB(b), "peak-MB")
	})
}

// countedBytes counts what is written to it.
type countedBytes int64

func (n *countedBytes) Write(p []byte) (int, error) {
	*n += countedBytes(len(p))
	return len(p), nil
}
