package store_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
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
// systems, 150 bytes each. The bar is 5 s.
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
		if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		storetest.ResetPeak(b)
		for b.Loop() {
			n := 0
			for seg, err := range db.Records.AllSegments(b.Context(), s.Campaign) {
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
		if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(10_000, 10), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		_, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
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
		if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.ManyLines(segments, systems), intake.ImportOptions{File: "bench.jsonl"}); err != nil {
			b.Fatal(err)
		}
		_, err := db.Intake.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
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
				if p := storetest.Must(db.Rounds.PreviewChange(b.Context(), s.Campaign, []string{"threshold=0.7"}))(b); p.Segments != segments || p.SentBack == 0 {
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
					a, err := db.Work.Next(b.Context(), s.Campaign.ID, s.Annotators[i].ID)
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
	if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, lines, intake.ImportOptions{}); err != nil {
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
			{"Progress", func() error { _, err := db.Desk.Progress(b.Context(), s.Campaign); return err }},
			{"MyProgress", func() error { _, err := db.Desk.MyProgress(b.Context(), s.Campaign, ann.ID); return err }},
			{"WorkDays", func() error { _, err := db.Desk.WorkDays(b.Context(), s.Campaign); return err }},
			{"FinishedWork", func() error { _, _, err := db.Desk.FinishedWork(b.Context(), s.Campaign, ann.ID, 1000, 50); return err }},
			{"Segments", func() error {
				_, _, err := db.Desk.Segments(b.Context(), s.Campaign.ID, desk.SegmentFilter{Offset: 25_000, Limit: 50})
				return err
			}},
			{"SegmentsOfText", func() error {
				_, _, err := db.Desk.Segments(b.Context(), s.Campaign.ID, desk.SegmentFilter{Text: "44444", Limit: 50})
				return err
			}},
			{"Members", func() error { _, err := db.Accounts.Members(b.Context(), s.Campaign.ID); return err }},
			{"LoadWork", func() error { _, err := db.Work.LoadWork(b.Context(), s.Campaign, work, ann.ID); return err }},
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
