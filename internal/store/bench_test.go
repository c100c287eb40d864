package store_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// percentiles gives the median, p95 and p99 of what was measured.
func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, p := range []int{50, 95, 99} {
		b.ReportMetric(float64(took[(len(took)-1)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
}

// BenchmarkImportSegments imports 100,000 translations: 10,000 segments by 10
// systems, 150 bytes each. The bar is 2 s.
func BenchmarkImportSegments(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			s := storetest.Campaign(b, db.Store, storetest.Slug(fmt.Sprint("import", n)), storetest.Segments(0))
			storetest.ResetPeak(b)
			b.StartTimer()
			if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "translations/s")
		b.ReportMetric(storetest.PeakMB(b), "peak-MB")
	})
}

// systemsNamed gives the translations of lines the names of a campaign's systems.
func systemsNamed(lines iter.Seq2[campaign.SegmentLine, error], systems []string) iter.Seq2[campaign.SegmentLine, error] {
	return storetest.Changed(lines, func(line *campaign.SegmentLine) {
		line.Segment.SegmentID = "new " + line.Segment.SegmentID
		for i := range line.Segment.Translations {
			line.Segment.Translations[i].System = systems[i]
		}
	})
}

func eachBench(b *testing.B, fn func(b *testing.B, db *storetest.DB)) {
	b.Run("sqlite", func(b *testing.B) { fn(b, storetest.Open(b)) })
	b.Run("postgres", func(b *testing.B) { fn(b, storetest.Postgres(b)) })
}

// BenchmarkImportRatings imports 200,000 ratings: two annotators of the campaign
// of BenchmarkImportSegments.
func BenchmarkImportRatings(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			s := storetest.Campaign(b, db.Store, storetest.Slug(fmt.Sprint("import", n)), storetest.Segments(0))
			if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
				b.Fatal(err)
			}
			storetest.ResetPeak(b)
			b.StartTimer()
			if _, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, manyRatings(10_000, 10, 2), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(200_000*float64(b.N)/b.Elapsed().Seconds(), "ratings/s")
		b.ReportMetric(storetest.PeakMB(b), "peak-MB")
	})
}

// manyRatings rates every translation of storetest.ManyLines by annotators who agree
// about nine segments of ten.
func manyRatings(segments, systems, annotators int) iter.Seq2[campaign.RatingLine, error] {
	return func(yield func(campaign.RatingLine, error) bool) {
		line := 0
		for i := range segments {
			for a := range annotators {
				for k := range systems {
					line++
					score := float64((i + k) % 5)
					if a > 0 && i%10 == 0 {
						score = 4 - score
					}
					r := campaign.RatingLine{DocID: fmt.Sprint("d", i/10), SegmentID: fmt.Sprint("s", i), System: fmt.Sprint("system", k), Rating: campaign.Rating{
						Annotator: fmt.Sprint("ann", a+1), Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": score}}, Seconds: 12.5, SubmittedAt: storetest.Start,
					}}
					if !yield(r, nil) {
						return
					}
				}
			}
		}
	}
}
