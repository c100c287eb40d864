package store_test

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// BenchmarkSaveDuringImport has 20 annotators save ten times a second each while
// translations are imported into their campaign, by 10 systems. No save may take
// longer than 200 ms.
func BenchmarkSaveDuringImport(b *testing.B) {
	for _, segments := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint("translations=", 10*segments), func(b *testing.B) {
			eachBench(b, func(b *testing.B, db *storetest.DB) {
				for n := 0; b.Loop(); n++ {
					saveWhile(b, db, fmt.Sprint("import", n), func(s *storetest.Sample, lines iter.Seq2[campaign.SegmentLine, error]) {
						if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, lines, intake.ImportOptions{File: "bench.jsonl"}); err != nil {
							b.Error(err)
						}
					}, segments)
				}
			})
		})
	}
}

// saveWhile has 20 annotators save while act imports segments.
func saveWhile(b *testing.B, db *storetest.DB, slug string, act func(*storetest.Sample, iter.Seq2[campaign.SegmentLine, error]), segments int) {
	b.StopTimer()
	s := savers(b, db, slug)
	saveMeanwhile(b, db, s, func() { act(s, systemsNamed(storetest.ManyLines(segments, len(s.Systems)), s.Systems)) })
}

// savers makes a campaign of 20 segments by 10 systems and as many annotators.
func savers(b *testing.B, db *storetest.DB, slug string) *storetest.Sample {
	b.Helper()
	return storetest.Campaign(b, db.Store, storetest.Slug(slug), storetest.Segments(20), storetest.PerDocument(1),
		storetest.Systems(10), storetest.Annotators(20), storetest.Set("redundancy=1"))
}

// saveMeanwhile has the annotators of a campaign save, each their own segment, while act
// is done, and gives how long saves took.
func saveMeanwhile(b *testing.B, db *storetest.DB, s *storetest.Sample, act func()) {
	annotators, cards := len(s.Annotators), len(s.Systems)
	var wg sync.WaitGroup
	took := make([][]time.Duration, annotators)
	stop := make(chan struct{})
	for i := range annotators {
		assignment := s.Next(b, i)
		page := s.Work(b, i, assignment).Cards
		wg.Go(func() {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				save := work.CardSave{AssignmentID: assignment, CardID: page[n%cards].ID, Revision: page[n%cards].Revision + n/cards, SaveID: fmt.Sprint(n), Rating: storetest.Rating(float64(n % 5))}
				start := time.Now()
				if _, err := db.Work.SaveCard(b.Context(), s.Campaign, s.Annotators[i].ID, save); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(start))
			}
		})
	}
	b.StartTimer()
	act()
	b.StopTimer()
	close(stop)
	wg.Wait()
	all := slices.Concat(took...)
	percentiles(b, all)
	b.ReportMetric(float64(slices.Max(all).Microseconds())/1000, "max-ms")
	b.ReportMetric(float64(len(all)), "saves")
	b.StartTimer()
}
