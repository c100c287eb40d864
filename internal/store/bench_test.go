package store_test

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// BenchmarkSaveCard has 200 annotators save as fast as they can, each after the
// answer to the one before. The bar is 3,000 saves/s with p99 <= 50 ms.
func BenchmarkSaveCard(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { saveCards(b, storetest.Open(b), 200) })
	b.Run("postgres", func(b *testing.B) { saveCards(b, storetest.Postgres(b), 200) })
}

func saveCards(b *testing.B, db *storetest.DB, annotators int) {
	const cards = 10
	s := storetest.Campaign(b, db.Store, storetest.Segments(annotators), storetest.PerDocument(1),
		storetest.Systems(cards), storetest.Annotators(annotators), storetest.Set("redundancy=1"))
	assignments := make([]string, annotators)
	for i := range assignments {
		assignments[i] = s.Next(b, i)
	}
	took := make([][]time.Duration, annotators)
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	for i := range annotators {
		page := s.Work(b, i, assignments[i]).Cards
		wg.Go(func() {
			for n := 0; left.Add(-1) >= 0; n++ {
				save := work.CardSave{AssignmentID: assignments[i], CardID: page[n%cards].ID, Revision: n / cards,
					SaveID: fmt.Sprint(n), Rating: storetest.Rating(float64(n % 5)), Seconds: float64(n)}
				start := time.Now()
				if _, err := db.SaveCard(b.Context(), s.Campaign, s.Annotators[i].ID, save); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(start))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "saves/s")
	percentiles(b, slices.Concat(took...))
}

// percentiles gives the median, p95 and p99 of what was measured.
func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, p := range []int{50, 95, 99} {
		b.ReportMetric(float64(took[(len(took)-1)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
}

// BenchmarkImportSegments imports 100,000 translations: 10,000 segments by 10
// systems, 150 bytes each. The bar is 5 s.
func BenchmarkImportSegments(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			s := storetest.Campaign(b, db.Store, storetest.Slug(fmt.Sprint("import", n)), storetest.Segments(0))
			storetest.ResetPeak(b)
			b.StartTimer()
			if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "translations/s")
		b.ReportMetric(storetest.PeakMB(b), "peak-MB")
	})
}

// BenchmarkSaveDuringImport has 20 annotators save ten times a second each while
// translations are imported into their campaign, by 10 systems. No save may take
// longer than 200 ms.
func BenchmarkSaveDuringImport(b *testing.B) {
	for _, segments := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint("translations=", 10*segments), func(b *testing.B) {
			eachBench(b, func(b *testing.B, db *storetest.DB) {
				for n := 0; b.Loop(); n++ {
					saveWhile(b, db, fmt.Sprint("import", n), func(s *storetest.Sample, lines iter.Seq2[campaign.SegmentLine, error]) {
						if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, lines, intake.ImportOptions{File: "bench.jsonl"}); err != nil {
							b.Error(err)
						}
					}, segments)
				}
			})
		})
	}
}

// BenchmarkSaveDuringActs has 20 annotators save as [BenchmarkSaveDuringImport] does,
// while a lead decides 10,000 segments, undoes that, and sets an annotator aside who has
// rated 20,000 segments, 5 translations of each. No save may take longer than 200 ms.
func BenchmarkSaveDuringActs(b *testing.B) {
	const segments, rated = 20_000, 5
	for _, act := range []struct {
		name string
		do   func(s *storetest.Sample, ids []string) error
	}{
		{"discard", func(s *storetest.Sample, ids []string) error {
			return s.Store.Discard(b.Context(), s.Campaign.ID, ids[:min(10_000, len(ids))], "bench", s.Lead.ID)
		}},
		{"undo", func(s *storetest.Sample, ids []string) error {
			return s.Store.Undo(b.Context(), s.Campaign.ID, ids[0], s.Lead.ID)
		}},
		{"set aside", func(s *storetest.Sample, _ []string) error {
			return s.Store.SetAside(b.Context(), s.Campaign.ID, "rater-ann1", "bench", s.Lead.ID)
		}},
		{"restore", func(s *storetest.Sample, _ []string) error {
			return s.Store.RestoreAnnotator(b.Context(), s.Campaign.ID, "rater-ann1", "bench", s.Lead.ID)
		}},
	} {
		b.Run(act.name, func(b *testing.B) {
			eachBench(b, func(b *testing.B, db *storetest.DB) {
				for n := 0; b.Loop(); n++ {
					b.StopTimer()
					s := savers(b, db, fmt.Sprint("acts", n))
					ids := fillRated(b, s, segments, rated)
					if act.name == "undo" || act.name == "restore" {
						before := map[string]func() error{
							"undo": func() error {
								return s.Store.Discard(b.Context(), s.Campaign.ID, ids[:min(10_000, len(ids))], "bench", s.Lead.ID)
							},
							"restore": func() error { return s.Store.SetAside(b.Context(), s.Campaign.ID, "rater-ann1", "bench", s.Lead.ID) },
						}
						storetest.Check(b, before[act.name]())
					}
					saveMeanwhile(b, db, s, func() {
						if err := act.do(s, ids); err != nil {
							b.Error(err)
						}
					})
				}
			})
		})
	}
}

// BenchmarkSaveDuringSettings has 20 annotators save as [BenchmarkSaveDuringImport] does,
// while the segments of a campaign follow a threshold that makes a tenth of them fail, and
// then a redundancy that opens all of them again. Each of 20,000 segments has 5 translations
// that two annotators rated. No save may take longer than 200 ms.
func BenchmarkSaveDuringSettings(b *testing.B) {
	const segments, rated = 20_000, 5
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		s := savers(b, db, "settings")
		s.Change(b, "threshold=-1", "redundancy=2", "gate=on")
		fillRated(b, s, segments, rated)
		for _, pair := range []string{"threshold=0.7", "redundancy=3"} {
			b.Run(pair, func(b *testing.B) {
				for n := 0; b.Loop(); n++ {
					saveMeanwhile(b, db, s, func() { s.Change(b, pair) })
				}
			})
		}
	})
}

// BenchmarkSaveDuringDeletion has 20 annotators save as [BenchmarkSaveDuringImport] does, while
// another campaign is deleted, with 10 translations of 10,000 segments that two annotators rated.
// No save may take longer than 200 ms.
func BenchmarkSaveDuringDeletion(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		s := savers(b, db, "kept")
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			trial := savers(b, db, fmt.Sprint("trial", n))
			fillRated(b, trial, 10_000, 10)
			saveMeanwhile(b, db, s, func() {
				storetest.Check(b, db.DeleteCampaign(b.Context(), trial.Campaign.ID))
				storetest.Check(b, db.CompleteDeletions(b.Context()))
			})
		}
	})
}

// BenchmarkSaveDuringUndo has 20 annotators save as [BenchmarkSaveDuringImport] does, while
// imports into their campaign are undone: ratings of 10 translations of 10,000 segments by two
// annotators, and then these segments. No save may take longer than 200 ms.
func BenchmarkSaveDuringUndo(b *testing.B) {
	for i, what := range []string{"ratings", "segments"} {
		b.Run(what, func(b *testing.B) {
			eachBench(b, func(b *testing.B, db *storetest.DB) {
				for n := 0; b.Loop(); n++ {
					b.StopTimer()
					s := savers(b, db, fmt.Sprint("undo", n))
					for k := range s.Annotators {
						s.Next(b, k) // a segment that stays
					}
					fillRated(b, s, 10_000, 10)
					undo := func(nth int) {
						imports := storetest.Must(db.Imports(b.Context(), s.Campaign.ID))(b)
						storetest.Check(b, db.UndoImport(b.Context(), s.Campaign.ID, imports[nth].ID, intake.UndoOptions{}))
					}
					if i == 1 {
						undo(0)
					}
					saveMeanwhile(b, db, s, func() { undo(i) })
				}
			})
		})
	}
}

// fillRated imports segments that two annotators have rated, and returns their row ids.
func fillRated(b *testing.B, s *storetest.Sample, segments, systems int) []string {
	b.Helper()
	lines := systemsNamed(storetest.ManyLines(segments, len(s.Systems)), s.Systems)
	if _, err := s.Store.ImportSegments(b.Context(), s.Campaign.ID, lines, intake.ImportOptions{File: "bench.jsonl"}); err != nil {
		b.Fatal(err)
	}
	_, err := s.Store.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
		for line := range manyRatings(segments, systems, 2) {
			line.Rating.SegmentID, line.Rating.System = "new "+line.Rating.SegmentID, s.Systems[line.Line%systems]
			line.Rating.Rating.Annotator = "rater-" + line.Rating.Rating.Annotator
			if !yield(line, nil) {
				return
			}
		}
	}, intake.ImportOptions{File: "bench.jsonl"})
	storetest.Check(b, err)
	var ids []string
	storetest.Check(b, storetest.Conn(s.Store).Raw("SELECT id FROM segments WHERE campaign_id = ? AND segment_id LIKE 'new %' ORDER BY id", s.Campaign.ID).Scan(&ids).Error)
	return ids
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
				if _, err := db.SaveCard(b.Context(), s.Campaign, s.Annotators[i].ID, save); err != nil {
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

// systemsNamed gives the translations of lines the names of a campaign's systems.
func systemsNamed(lines iter.Seq2[campaign.SegmentLine, error], systems []string) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for line, err := range lines {
			line.Segment.SegmentID = "new " + line.Segment.SegmentID
			for i := range line.Segment.Translations {
				line.Segment.Translations[i].System = systems[i]
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// BenchmarkAllSegments reads the campaign of BenchmarkImportSegments.
func BenchmarkAllSegments(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		s := storetest.Campaign(b, db.Store, storetest.Segments(0))
		if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		storetest.ResetPeak(b)
		for b.Loop() {
			n := 0
			for seg, err := range db.AllSegments(b.Context(), s.Campaign) {
				if err != nil {
					b.Fatal(err)
				}
				n += len(seg.Translations)
			}
			if n != 100_000 {
				b.Fatal(n)
			}
		}
		b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "translations/s")
		b.ReportMetric(storetest.PeakMB(b), "peak-MB")
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
			if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
				b.Fatal(err)
			}
			storetest.ResetPeak(b)
			b.StartTimer()
			if _, err := db.ImportRatings(b.Context(), s.Campaign.ID, manyRatings(10_000, 10, 2), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
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
					if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
						b.Fatal(err)
					}
					storetest.ResetPeak(b)
					b.StartTimer()
					report, err := db.ImportRatings(b.Context(), s.Campaign.ID, manySpans(10_000, 10, order == "systems"), intake.ImportOptions{File: "bench.jsonl"})
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

// twoSpans marks the same characters in every text of manyLines.
var twoSpans = protocol.Rating{Spans: []protocol.ErrorSpan{
	{ID: "1", Side: protocol.Target, Start: 100, End: 108, Severity: "minor", Category: "Fluency", Subcategory: "Punctuation", Comment: "a word on what is wrong"},
	{ID: "2", Side: protocol.Source, Start: 20, End: 30, Severity: "major", Category: "Accuracy", Subcategory: "Omission"},
}}

// BenchmarkRescore changes what source errors cost in a campaign of 100,000 MQM
// ratings, each of which has one.
func BenchmarkRescore(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		s := storetest.Campaign(b, db.Store, storetest.Protocol("mqm"), storetest.Segments(0))
		if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		_, err := db.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
			for line := range manyRatings(10_000, 10, 1) {
				line.Rating.Spans = []protocol.ErrorSpan{twoSpans.Spans[0], {Side: protocol.Source, End: 1, Severity: "major", Category: "Source error"}}
				line.Rating.Scores = nil
				if !yield(line, nil) {
					return
				}
			}
		}, intake.ImportOptions{File: "bench.jsonl"})
		if err != nil {
			b.Fatal(err)
		}
		storetest.ResetPeak(b)
		b.ResetTimer()
		for n := 0; b.Loop(); n++ {
			s.Change(b, "source_error="+[]string{"severity", "zero"}[n%2])
		}
		b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "ratings/s")
		b.ReportMetric(storetest.PeakMB(b), "peak-MB")
	})
}

// BenchmarkThreshold changes the threshold of a campaign of 50,000 segments by 5
// systems, each rated by two annotators, so that by turns a tenth of them fails: as
// a preview, and for good.
func BenchmarkThreshold(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		const segments, systems = 50_000, 5
		s := storetest.Campaign(b, db.Store, storetest.Segments(0), storetest.Set("threshold=-1"))
		if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(segments, systems), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		_, err := db.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
			for line := range manyRatings(segments, systems, 2) {
				if !yield(line, nil) {
					return
				}
			}
		}, intake.ImportOptions{File: "bench.jsonl"})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("preview", func(b *testing.B) {
			for b.Loop() {
				if p := storetest.Must(db.PreviewChange(b.Context(), s.Campaign, []string{"threshold=0.7"}))(b); p.Segments != segments || p.SentBack == 0 {
					b.Fatalf("%+v", p)
				}
			}
		})
		b.Run("change", func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				s.Change(b, "threshold="+[]string{"0.7", "-1"}[n%2])
			}
		})
	})
}

// BenchmarkNext asks for work in a campaign of 50,000 segments by 10 systems, in
// documents of 10 or in a single one, of which two of five annotators each have
// done 40,000. Every answer is submitted before the next request, off the clock.
func BenchmarkNext(b *testing.B) {
	for _, perDoc := range []int{10, 50_000} {
		b.Run(fmt.Sprint(perDoc, " a document"), func(b *testing.B) {
			eachBench(b, func(b *testing.B, db *storetest.DB) {
				s := largeCampaign(b, db, 50_000, perDoc, 40_000)
				b.ResetTimer()
				var took []time.Duration
				n := 0
				for b.Loop() {
					i := n % len(s.Annotators)
					n++
					start := time.Now()
					a, err := db.Next(b.Context(), s.Campaign.ID, s.Annotators[i].ID)
					if err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
					b.StopTimer()
					db.Clock.Advance(time.Second)
					finish(b, db, a)
					b.StartTimer()
				}
				percentiles(b, took)
			})
		})
	}
}

// largeCampaign is a campaign in which the first done segments are agreed upon
// by two of five annotators each, in turn. What Next, lists and counts read is
// there; the ratings themselves are not.
func largeCampaign(b *testing.B, db *storetest.DB, segments, perDoc, done int) *storetest.Sample {
	b.Helper()
	s := storetest.Campaign(b, db.Store, storetest.Segments(0), storetest.Annotators(5))
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		for line := range storetest.ManyLines(segments, 10) {
			line.Segment.DocID = fmt.Sprint("d", (line.Line-1)/perDoc)
			if !yield(line, nil) {
				return
			}
		}
	}
	if _, err := db.ImportSegments(b.Context(), s.Campaign.ID, lines, intake.ImportOptions{}); err != nil {
		b.Fatal(err)
	}
	for i, u := range s.Annotators {
		at := db.Clock.Now().UnixMicro()
		storetest.Exec(b, db, `INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at, submitted_at, ratings, seconds)
			SELECT s.id || '/' || u.login, s.campaign_id, s.id, u.id, 1, 'submitted', 1, m.at, m.at, m.at, 10, 60
			FROM segments s JOIN (SELECT id, CAST(? AS BIGINT) + position * CAST(60000000 AS BIGINT) AS at FROM segments) m ON m.id = s.id, users u
			WHERE s.campaign_id = ? AND s.position <= ? AND u.id = ? AND (s.position % 5 = ? OR (s.position + 1 + s.position / 5 % 4) % 5 = ?)`,
			at, s.Campaign.ID, done, u.ID, i, i)
	}
	storetest.Exec(b, db, "UPDATE all_segments SET status = 'agreed', taken = 2 WHERE campaign_id = ? AND position <= ?", s.Campaign.ID, done)
	storetest.Exec(b, db, `INSERT INTO decisions (id, segment_id, round, passed, status, gate, threshold, tolerance, pairs, decided_at)
		SELECT id, id, 1, TRUE, 'agreed', 'on', 0.7, 0.5, '[]', 0 FROM segments WHERE campaign_id = ? AND position <= ?`, s.Campaign.ID, done)
	if db.Driver() == database.Postgres {
		storetest.Exec(b, db, "ANALYZE") // as the server does within minutes
	}
	db.Clock.Advance(time.Duration(done+1) * time.Minute) // one a minute, all around the clock
	return s
}

// finish submits an assignment without ratings.
func finish(b *testing.B, db *storetest.DB, assignment string) {
	b.Helper()
	at := db.Clock.Now().UnixMicro()
	storetest.Exec(b, db, "UPDATE assignments SET state = 'submitted', submitted_at = ?, ratings = 10 WHERE id = ?", at, assignment)
	storetest.Exec(b, db, `UPDATE all_segments SET status = 'agreed' WHERE id = (SELECT segment_id FROM assignments WHERE id = ?)
		AND 2 = (SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND a.state = 'submitted')`, assignment)
}

// BenchmarkPages reads what the pages of a large campaign show.
func BenchmarkPages(b *testing.B) {
	eachBench(b, func(b *testing.B, db *storetest.DB) {
		s := largeCampaign(b, db, 50_000, 10, 40_000)
		ann := s.Annotators[0]
		work := s.Next(b, 0)
		for _, page := range []struct {
			name string
			read func() error
		}{
			{"Progress", func() error { _, err := db.Progress(b.Context(), s.Campaign); return err }},
			{"MyProgress", func() error { _, err := db.MyProgress(b.Context(), s.Campaign, ann.ID); return err }},
			{"WorkDays", func() error { _, err := db.WorkDays(b.Context(), s.Campaign); return err }},
			{"FinishedWork", func() error { _, _, err := db.FinishedWork(b.Context(), s.Campaign.ID, ann.ID, 1000, 50); return err }},
			{"Segments", func() error {
				_, _, err := db.Segments(b.Context(), s.Campaign.ID, desk.SegmentFilter{Offset: 25_000, Limit: 50})
				return err
			}},
			{"SegmentsOfText", func() error {
				_, _, err := db.Segments(b.Context(), s.Campaign.ID, desk.SegmentFilter{Text: "44444", Limit: 50})
				return err
			}},
			{"Members", func() error { _, err := db.Members(b.Context(), s.Campaign.ID); return err }},
			{"LoadWork", func() error { _, err := db.LoadWork(b.Context(), s.Campaign, work, ann.ID); return err }},
		} {
			b.Run(page.name, func(b *testing.B) {
				for b.Loop() {
					if err := page.read(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}
