package server

import (
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// The campaign of [BenchmarkLargeChecks]: each annotator has taken 2,500 degraded texts in 500 documents, 2,000 repeats in 100 and 500
// known texts in 50.
const (
	checkedDocuments  = 2_000 // of ten segments by two systems, rated by two annotators
	checkedAnnotators = 40
)

// BenchmarkLargeChecks renders the overview of a campaign of 200,000 checks of 40 annotators, after a submission each. It gives p50 and p95 in
// milliseconds, of which the bar is 100, the
// processor time of the first view and of one without a change, and the memory that is held after the first.
func BenchmarkLargeChecks(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		db, s := storetest.Kept(b, "checks.db", 10*checkedDocuments, func(db *storetest.DB) { makeChecked(b, db) })
		largeChecks(b, db, s)
	})
	b.Run("postgres", func(b *testing.B) {
		db := storetest.Postgres(b)
		db.Rows = true
		largeChecks(b, db, makeChecked(b, db))
	})
}

// makeChecked makes the campaign.
func makeChecked(b testing.TB, db *storetest.DB) *storetest.Sample {
	s := storetest.Campaign(b, db.Store, storetest.Segments(0), storetest.Systems(2), storetest.Annotators(checkedAnnotators), storetest.Set("gate=off", "check_rate=0.05"))
	storetest.Must(db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.Lines(10*checkedDocuments, 10, s.Systems), intake.ImportOptions{}))(b)
	storetest.Must(db.Intake.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.RatingLine, error) bool) {
		for i := range 10 * checkedDocuments {
			d := i / 10
			if d%20 == 19 && i%10 >= 5 {
				continue // it is left to be rated
			}
			for _, a := range []int{d % checkedAnnotators, (d + 1 + d/checkedAnnotators%(checkedAnnotators-1)) % checkedAnnotators} {
				for k, system := range s.Systems {
					line := campaign.RatingLine{DocID: fmt.Sprint("d", d+1), SegmentID: fmt.Sprint("s", i+1), System: system, Rating: campaign.Rating{
						Annotator: s.Annotators[a].Login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": float64(1 + (i+a+k)%4)}},
						SubmittedAt: storetest.Start.Add(time.Duration(i-10*checkedDocuments) * time.Minute),
					}}
					if !yield(line, nil) {
						return
					}
				}
			}
		}
	}, intake.ImportOptions{}))(b)
	fillChecks(b, db, s)
	return s
}

func largeChecks(b *testing.B, db *storetest.DB, s *storetest.Sample) {
	srv, err := New(Config{}, db.Store)
	storetest.Check(b, err)
	lead := srv.visitor(b, db.Store, s.Lead)
	view := func() {
		req := httptest.NewRequest("GET", "/campaigns/"+s.Campaign.Slug, nil)
		req.Header.Set("Cookie", lead)
		w := httptest.NewRecorder()
		if srv.Handler().ServeHTTP(w, req); w.Code != 200 {
			b.Fatalf("the overview answered %d", w.Code)
		}
	}
	held := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	var first, took timing
	before := held()
	first.of(b, view)
	kept := held() - before
	for n := 0; b.Loop(); n++ {
		for i := range s.Annotators { // until one has work
			if _, _, ok := s.RatePage(b, (n+i)%len(s.Annotators), storetest.Reading); ok {
				break
			}
		}
		db.Clock.Advance(time.Second)
		took.of(b, view)
	}
	var unchanged timing
	for range 10 {
		unchanged.of(b, view)
	}
	took.report(b)
	b.ReportMetric(milliseconds(unchanged.cpu)/10, "unchanged-cpu-ms")
	b.ReportMetric(milliseconds(first.cpu), "first-cpu-ms")
	b.ReportMetric(kept, "kept-MB")
}

// fillChecks writes the rows of checks that were taken.
func fillChecks(b testing.TB, db *storetest.DB, s *storetest.Sample) {
	side := s.MakeSide(b, campaign.Checks, 0).Campaign.ID
	documents := storetest.Query[string](b, db, "SELECT document_id FROM all_segments WHERE campaign_id = ? AND position % 10 = 1 ORDER BY position", s.Campaign.ID)
	storetest.Check(b, storetest.Write(b.Context(), db.Store, func(tx *database.Tx) error {
		if err := tx.Exec("CREATE TEMPORARY TABLE copies (id TEXT PRIMARY KEY, n INTEGER, user_id TEXT, of_document TEXT, kind TEXT)").Error; err != nil {
			return err
		}
		copies, n := database.NewRows("copies", "id", "n", "user_id", "of_document", "kind"), 0
		add := func(user, document int, kind campaign.CheckKind) {
			n++
			copies.Add(fmt.Sprintf("copy-%08d", n), n, s.Annotators[user].ID, documents[document%checkedDocuments], string(kind))
		}
		for a := range checkedAnnotators {
			for i := range 500 {
				add(a, 50*a+3*i, campaign.DegradedCheck)
			}
			for d := range checkedDocuments {
				if d%checkedAnnotators == a || (d+1+d/checkedAnnotators%(checkedAnnotators-1))%checkedAnnotators == a {
					add(a, d, campaign.RepeatCheck)
				}
			}
			for i := range 50 {
				add(a, 40*i, campaign.KnownCheck)
			}
		}
		if err := copies.Insert(tx); err != nil {
			return err
		}
		const from = " FROM copies c JOIN all_segments g ON g.document_id = c.of_document"
		const score = "(CASE WHEN c.kind = 'degraded' AND (c.n + g.position) % 3 > 0 THEN 0 ELSE 1 + (c.n + g.position) % 4 END)"
		ids := strings.NewReplacer("@side", "'"+side+"'", "@campaign", "'"+s.Campaign.ID+"'")
		for _, query := range []string{
			"INSERT INTO documents (id, campaign_id, doc_id) SELECT id, @side, id FROM copies",
			"INSERT INTO all_segments (id, campaign_id, document_id, segment_id, position, source, status, taken, rated) SELECT c.id || g.segment_id, @side, c.id, g.segment_id, 10 * c.n + g.position % 10, g.source, 'ungated', 1, 1" + from,
			"INSERT INTO check_pages (segment_id, user_id, of_segment, of_document, doc_id) SELECT c.id || g.segment_id, c.user_id, g.id, c.of_document, c.of_document" + from,
			"INSERT INTO translations (id, segment_id, system_id, text) SELECT c.id || t.id, c.id || g.segment_id, t.system_id, t.text" + from + " JOIN translations t ON t.segment_id = g.id",
			`INSERT INTO checks (translation_id, of_translation, kind) SELECT c.id || t.id, t.id, c.kind` + from + ` JOIN translations t ON t.segment_id = g.id JOIN all_systems y ON y.id = t.system_id
				WHERE c.kind = 'repeat' OR y.name = 'sys-001' AND (c.kind = 'known' OR g.position % 2 = 0)`,
			"INSERT INTO known_answers (translation_id, campaign_id, score, given_at) SELECT DISTINCT k.of_translation, @campaign, 3, 0 FROM checks k WHERE k.kind = 'known'",
			`INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, counts, seed, started_at, touched_at, submitted_at, ratings)
				SELECT c.id || g.segment_id, @side, c.id || g.segment_id, c.user_id, 1, 'submitted', TRUE, 1, 1, 1, 10 * c.n + g.position % 10, 2` + from,
			"INSERT INTO ratings (id, assignment_id, translation_id, scores, gate_score, submitted_at) SELECT c.id || t.id, c.id || g.segment_id, c.id || t.id, '{\"sqm\":' || " + score + " || '}', " + score + ", 1" + from + " JOIN translations t ON t.segment_id = g.id",
		} {
			if err := tx.Exec(ids.Replace(query)).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	storetest.Check(b, db.Desk.Recount(b.Context(), side))
	if n := storetest.Count(b, db, "checks"); n != 200_000 {
		b.Fatalf("%d checks", n)
	}
}
