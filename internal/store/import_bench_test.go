package store_test

import (
	"fmt"
	"iter"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// BenchmarkSaveDuringImportOf has 20 annotators save ten times a second each while
// something else is imported into their campaign: ratings, adjudications,
// references, metric scores or judgements with their traces of 10,000 segments by 10 systems. No
// save may take longer than 200 ms.
func BenchmarkSaveDuringImportOf(b *testing.B) {
	const segments, systems = 10_000, 10
	id := func(i int) string { return fmt.Sprint("new s", i) }
	for _, kind := range []struct {
		name    string
		imports func(db *storetest.DB, s *storetest.Sample) error
	}{
		{"ratings", func(db *storetest.DB, s *storetest.Sample) error {
			_, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, ofSample(manyRatings(segments, systems, 2), s), intake.ImportOptions{File: "bench"})
			return err
		}},
		{"adjudications", func(db *storetest.DB, s *storetest.Sample) error {
			_, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
				for line, err := range ofSample(manyRatings(segments, systems, 1), s) {
					line.Rating.Annotator, line.Rating.Adjudicated = "judge", true
					if !yield(line, err) {
						return
					}
				}
			}, intake.ImportOptions{File: "bench"})
			return err
		}},
		{"references", func(db *storetest.DB, s *storetest.Sample) error {
			_, err := db.Intake.ImportReferences(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedReference, error) bool) {
				for i := range segments * systems {
					r := campaign.ReferenceText{DocID: fmt.Sprint("d", i/systems/10), SegmentID: id(i / systems), Reference: campaign.Reference{Name: fmt.Sprint("ref", i%systems), Text: storetest.LongText(i)}}
					if !yield(campaign.NumberedReference{File: "bench", Line: i + 1, Text: r}, nil) {
						return
					}
				}
			}, intake.ImportOptions{File: "bench"})
			return err
		}},
		{"scores", func(db *storetest.DB, s *storetest.Sample) error {
			_, err := db.Intake.ImportScores(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedScore, error) bool) {
				for i := range segments * systems {
					score := campaign.MetricScore{Metric: "m", System: s.Systems[i%systems], DocID: fmt.Sprint("d", i/systems/10), SegmentID: id(i / systems), Score: float64(i)}
					if !yield(campaign.NumberedScore{File: "bench", Line: i + 1, Score: score}, nil) {
						return
					}
				}
			}, intake.ImportOptions{File: "bench"})
			return err
		}},
		{"judgements", func(db *storetest.DB, s *storetest.Sample) error {
			_, err := db.Intake.ImportJudgements(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedJudgement, error) bool) {
				for line, err := range storetest.ManyJudgements("new ", segments, systems, 1) {
					line.Judgement.System = ofSystem(s, line.Judgement.System)
					if !yield(line, err) {
						return
					}
				}
			}, intake.ImportOptions{File: "bench"})
			return err
		}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			eachBench(b, func(b *testing.B, db *storetest.DB) {
				for n := 0; b.Loop(); n++ {
					b.StopTimer()
					s := savers(b, db, fmt.Sprint("import", n))
					if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, systemsNamed(storetest.ManyLines(segments, systems), s.Systems), intake.ImportOptions{}); err != nil {
						b.Fatal(err)
					}
					saveMeanwhile(b, db, s, func() {
						if err := kind.imports(db, s); err != nil {
							b.Error(err)
						}
					})
				}
			})
		})
	}
}

// ofSample gives the ratings of lines the segments and systems of systemsNamed.
func ofSample(lines iter.Seq2[campaign.NumberedRating, error], s *storetest.Sample) iter.Seq2[campaign.NumberedRating, error] {
	return func(yield func(campaign.NumberedRating, error) bool) {
		for line, err := range lines {
			line.Rating.SegmentID, line.Rating.System = "new "+line.Rating.SegmentID, ofSystem(s, line.Rating.System)
			if !yield(line, err) {
				return
			}
		}
	}
}

// ofSystem is the system of a sample for one of ManyLines.
func ofSystem(s *storetest.Sample, name string) string {
	var n int
	if _, err := fmt.Sscanf(name, "system%d", &n); err != nil {
		panic(err)
	}
	return s.Systems[n]
}
