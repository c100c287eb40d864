package store_test

import (
	"fmt"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// BenchmarkAgreement reads a campaign of 300,000 ratings (10,000 segments of 10
// systems, each rated by 3 of 20 annotators) and computes how far they agree.
func BenchmarkAgreement(b *testing.B) {
	const segments, systems, annotators, each = 10_000, 10, 20, 3
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		s := storetest.Campaign(b, db.Store, storetest.Segments(0), storetest.Set("gate=report"))
		if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(segments, systems), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		ratings := func(yield func(campaign.NumberedRating, error) bool) {
			line := 0
			for i := range segments {
				for j := range each {
					for k := range systems {
						line++
						r := campaign.RatingLine{SegmentID: fmt.Sprint("s", i), System: fmt.Sprint("system", k), Rating: campaign.Rating{
							Rating:    protocol.Rating{Scores: map[string]float64{"sqm": float64((i*7 + k*k + j*i%2) % 5)}},
							Annotator: fmt.Sprintf("ann%d", (i*11+j*7)%annotators), Round: 1,
						}}
						if !yield(campaign.NumberedRating{File: "bench.jsonl", Line: line, Rating: r}, nil) {
							return
						}
					}
				}
			}
		}
		if _, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, ratings, intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		storetest.ResetPeak(b)
		b.ResetTimer()
		for range b.N {
			r, err := campaign.Agreement(s.Campaign, db.Desk.RatedSegments(b.Context(), s.Campaign), false)
			if err != nil {
				b.Fatal(err)
			}
			if len(r.Segments) != segments || r.Alpha.Ratings != segments*systems*each {
				b.Fatalf("%d segments, alpha %+v", len(r.Segments), r.Alpha)
			}
		}
		b.ReportMetric(segments*systems*each*float64(b.N)/b.Elapsed().Seconds(), "ratings/s")
		b.ReportMetric(storetest.PeakMB(b), "peak-MB")
	})
}
