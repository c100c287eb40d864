package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// The campaign of [BenchmarkManyChecks].
const (
	checkedSegments   = 100_000 // each a document, rated by two annotators
	checkedSystems    = 4
	checkedAnnotators = 40
	checkedPages      = 1250 // pages of checks for each annotator; every translation of a page is a check
)

// BenchmarkManyChecks gives p50 and p95 of pages, in milliseconds, in a campaign of 100,000 segments in which
// 40 annotators have taken 200,000 checks. The bar is a p95 of 100. For the pages called "changed" something
// has changed before each request.
func BenchmarkManyChecks(b *testing.B) {
	db, s := manyChecks(b)
	srv, err := New(Config{Now: db.Clock.Now}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	lead, annotator, prefix := srv.visitor(b, db.Store, s.Lead), srv.visitor(b, db.Store, s.Annotators[3]), "/campaigns/"+s.Campaign.Slug
	for _, page := range []struct {
		name, path, cookie string
		changed            bool
	}{
		{"overview", prefix, lead, false},
		{"overview changed", prefix, lead, true},
		{"annotators", prefix + "/annotators", lead, false},
		{"annotators changed", prefix + "/annotators", lead, true},
		{"checks", prefix + "/checks", lead, false},
		{"annotate", prefix + "/assignments/" + s.Next(b, 3), annotator, false},
		{"work", "/work", annotator, false},
		{"finished", prefix + "/finished", annotator, false},
	} {
		b.Run(page.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				if page.changed {
					b.StopTimer()
					if err := storetest.Conn(db.Store).Exec("UPDATE campaign_tallies SET version = version + 1 WHERE campaign_id = ?", s.Campaign.ID).Error; err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				req := httptest.NewRequest("GET", page.path, nil)
				req.Header.Set("Cookie", page.cookie)
				w := httptest.NewRecorder()
				began := time.Now()
				srv.Handler().ServeHTTP(w, req)
				took = append(took, time.Since(began))
				if w.Code != http.StatusOK {
					b.Fatalf("%d: %s", w.Code, w.Body)
				}
			}
			slices.Sort(took)
			for _, p := range []int{50, 95} {
				b.ReportMetric(float64(took[len(took)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
			}
		})
	}
}

// manyChecks makes the campaign.
func manyChecks(b *testing.B) (*storetest.DB, *storetest.Sample) {
	b.Helper()
	db := storetest.Open(b)
	db.Rows = true // the rows are written below
	s := storetest.Campaign(b, db.Store, storetest.Protocol("esa"), storetest.Segments(0), storetest.Systems(checkedSystems), storetest.Annotators(checkedAnnotators),
		storetest.Set("gate=off", "redundancy=3", "check_rate=0.05"))
	if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, storetest.Lines(checkedSegments, 1, s.Systems), intake.ImportOptions{}); err != nil {
		b.Fatal(err)
	}
	side := s.MakeSide(b, campaign.Checks, 0)
	exec := func(sql string, args ...any) {
		b.Helper()
		if err := storetest.Conn(db.Store).Exec(sql, args...).Error; err != nil {
			b.Fatal(err)
		}
	}
	const given = "CAST(abs(random()) % 101 AS INTEGER)"
	const rate = `INSERT INTO ratings (id, assignment_id, translation_id, scores, gate_score, seconds, submitted_at)
		SELECT a.id || t.id, a.id, t.id, '{"score":' || x.v || '}', x.v, 10, a.submitted_at FROM assignments a JOIN translations t ON t.segment_id = a.segment_id
		JOIN (SELECT id, ` + given + ` AS v FROM translations) x ON x.id = t.id WHERE a.campaign_id = ?`
	const handOut = `INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at, submitted_at, ratings, seconds)
		SELECT ? || s.id, ?, s.id, ?, 1, 'submitted', 1, ?, ?, ?, 4, 40 FROM all_segments s WHERE s.campaign_id = ? AND s.position > ? AND s.position <= ?`
	work, checks := s.Campaign.ID, side.Campaign.ID
	exec("INSERT INTO all_systems (id, campaign_id, name) SELECT 'c' || id, ?, name FROM all_systems WHERE campaign_id = ?", checks, work)
	const each = 2 * checkedSegments / checkedAnnotators
	for i, u := range s.Annotators {
		from := i % (checkedAnnotators / 2) * each
		at := db.Clock.Now().Add(time.Duration(i-100) * time.Hour).UnixMicro()
		exec(handOut, fmt.Sprint("w", i), work, u.ID, at, at, at, work, from, from+each)
		// The checks are copies of the first segments that the annotator rated.
		n := i * checkedPages
		copied := fmt.Sprint("FROM all_segments s WHERE s.campaign_id = '", work, "' AND s.position > ", from, " AND s.position <= ", from+checkedPages)
		id := fmt.Sprint("'k", i, "-' || ")
		exec("INSERT INTO documents (id, campaign_id, doc_id) SELECT "+id+"s.id, ?, "+id+"s.id "+copied, checks)
		exec("INSERT INTO all_segments (id, campaign_id, document_id, segment_id, position, domain, source) SELECT "+id+"s.id, ?, "+id+"s.id, s.segment_id, ? + s.position, '', s.source "+copied, checks, n-from)
		exec("INSERT INTO translations (id, segment_id, system_id, text) SELECT " + id + "t.id, " + id + "s.id, 'c' || t.system_id, t.text FROM translations t JOIN all_segments s ON s.id = t.segment_id WHERE s.campaign_id = '" + work + "' AND s.position > " + fmt.Sprint(from, " AND s.position <= ", from+checkedPages))
		exec("INSERT INTO check_pages (segment_id, user_id, of_segment, of_document, doc_id) SELECT "+id+"s.id, ?, s.id, s.document_id, s.segment_id "+copied, u.ID)
		exec("INSERT INTO checks (translation_id, of_translation, kind) SELECT " + id + "t.id, t.id, CASE abs(random()) % 2 WHEN 0 THEN 'degraded' ELSE 'repeat' END FROM translations t JOIN all_segments s ON s.id = t.segment_id WHERE s.campaign_id = '" + work + "' AND s.position > " + fmt.Sprint(from, " AND s.position <= ", from+checkedPages))
		exec(handOut, fmt.Sprint("k", i), checks, u.ID, at, at, at, checks, n, n+checkedPages)
	}
	exec(rate, work)
	exec(rate, checks)
	exec("ANALYZE")
	for _, id := range []string{work, checks} {
		if err := db.Desk.Recount(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
	return db, s
}
