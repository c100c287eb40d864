package store_test

import (
	"fmt"
	"iter"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

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

// manyRatings rates every translation of manyLines by annotators who agree
// about nine segments of ten.
func manyRatings(segments, systems, annotators int) iter.Seq2[campaign.NumberedRating, error] {
	return func(yield func(campaign.NumberedRating, error) bool) {
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
					if !yield(campaign.NumberedRating{Line: line, Rating: r}, nil) {
						return
					}
				}
			}
		}
	}
}

// BenchmarkImportSpans imports 100,000 MQM ratings with two spans each, one in the
// source, of the campaign of BenchmarkImportSegments: segment by segment, and
// system by system as mt-metrics-eval lists them.
func BenchmarkImportSpans(b *testing.B) {
	for _, order := range []string{"segments", "systems"} {
		b.Run(order, func(b *testing.B) {
			eachBench(b, func(b *testing.B, db *storetest.DB) {
				for n := 0; b.Loop(); n++ {
					b.StopTimer()
					s := storetest.Campaign(b, db.Store, storetest.Protocol("mqm"), storetest.Slug(fmt.Sprint("import", n)), storetest.Segments(0))
					if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
						b.Fatal(err)
					}
					storetest.ResetPeak(b)
					b.StartTimer()
					report, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, manySpans(10_000, 10, order == "systems"), intake.ImportOptions{File: "bench.jsonl"})
					if err != nil || report.Ratings != 100_000 {
						b.Fatal(report, err)
					}
				}
				b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "ratings/s")
				b.ReportMetric(storetest.PeakMB(b), "peak-MB")
			})
		})
	}
}

// manySpans marks every translation of manyLines; each segment has one annotator.
func manySpans(segments, systems int, bySystem bool) iter.Seq2[campaign.NumberedRating, error] {
	return func(yield func(campaign.NumberedRating, error) bool) {
		for n := range segments * systems {
			i, k := n/systems, n%systems
			if bySystem {
				i, k = n%segments, n/segments
			}
			r := campaign.RatingLine{DocID: fmt.Sprint("d", i/10), SegmentID: fmt.Sprint("s", i), System: fmt.Sprint("system", k),
				Rating: campaign.Rating{Rating: twoSpans, Annotator: "ann1", Round: 1, Seconds: 12.5, SubmittedAt: storetest.Start}}
			if !yield(campaign.NumberedRating{Line: n + 1, Rating: r}, nil) {
				return
			}
		}
	}
}
