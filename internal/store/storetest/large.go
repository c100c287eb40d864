package storetest

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store"
)

// The large campaign: LargeSegments by LargeSystems, rated by two of
// LargeAnnotators each, which is a million ratings and those of second looks.
const (
	LargeSegments   = 50_500
	LargeSystems    = 10
	LargeAnnotators = 20
	largeRated      = 50_000 // the others are still to be rated
)

// The campaigns of [Beside]: BesideCampaigns with besideSegments each by LargeSystems, rated by two of LargeAnnotators, which is
// 100,000 ratings each and those of second looks.
const (
	BesideCampaigns = 10
	besideSegments  = 5_000
)

// Large makes an ESA campaign of a million ratings in a SQLite file: 50,000 segments
// rated by two of 20 annotators over the last 60 days, of which 3,000 passed at the
// second look, 1,000 were discarded and 2,000 wait for it. It takes a minute; with
// ANNOTATE_BENCH_DIR set the file is made there once, and copied from then on.
func Large(b testing.TB) (*DB, *Sample) {
	b.Helper()
	db := open(b, database.Config{Driver: database.SQLite, DSN: keptFile(b, "large.db", func(b testing.TB, path string) {
		makeLarge(b, path, largeShape{slug: "large", segments: LargeSegments, rated: largeRated, seed: 2})
	})})
	db.Rows = true // a recount takes long; [desk.Store.CheckTallies] can be asked for it
	db.Clock.Set(Start.Add(time.Minute))
	return db, stored(b, db, "large", LargeSegments)
}

// Beside makes ten ESA campaigns of 100,000 ratings with error spans, over the same translations, in a SQLite file. Each segment has
// a reference, so that the program computes metrics. It keeps the file as [Large] does.
func Beside(b testing.TB) (*DB, []*Sample) {
	b.Helper()
	db := open(b, database.Config{Driver: database.SQLite, DSN: keptFile(b, "beside.db", func(b testing.TB, path string) {
		var shapes []largeShape
		for i := range BesideCampaigns {
			shapes = append(
				shapes,
				largeShape{slug: besideSlug(i), segments: besideSegments, rated: besideSegments, seed: uint64(3 + i), spans: true, references: true},
			)
		}
		makeLarge(b, path, shapes...)
	})})
	db.Rows = true
	db.Clock.Set(Start.Add(time.Minute))
	var all []*Sample
	for i := range BesideCampaigns {
		all = append(all, stored(b, db, besideSlug(i), besideSegments))
	}
	return db, all
}

func besideSlug(i int) string { return fmt.Sprintf("beside-%02d", i) }

// A largeShape describes a large campaign. Campaigns of one file have the same translations of the same quality.
type largeShape struct {
	slug              string
	segments, rated   int
	seed              uint64 // of its annotators
	spans, references bool
}

// Kept opens a SQLite file in which fill has made a campaign of so many segments with the slug sample. It keeps the file as [Large] does.
func Kept(b testing.TB, name string, segments int, fill func(db *DB)) (*DB, *Sample) {
	b.Helper()
	db := open(b, database.Config{Driver: database.SQLite, DSN: keptFile(b, name, func(b testing.TB, path string) {
		clock := &Clock{now: Start}
		st, err := store.Open(b.Context(), database.Config{Driver: database.SQLite, DSN: path, Now: clock.Now})
		check(b, err)
		fill(&DB{Store: st, Clock: clock})
		check(b, st.Close())
	})})
	db.Rows = true
	return db, stored(b, db, "sample", segments)
}

// keptFile makes a SQLite file and returns its path. If ANNOTATE_BENCH_DIR is set, the file is made there
// once and copied by later calls.
func keptFile(b testing.TB, name string, fill func(b testing.TB, path string)) (path string) {
	b.Helper()
	kept := ""
	if dir := os.Getenv("ANNOTATE_BENCH_DIR"); dir != "" {
		kept = filepath.Join(dir, name)
	}
	path = filepath.Join(b.TempDir(), "annotate.db")
	if _, err := os.Stat(kept); kept != "" && err == nil {
		check(b, copyFile(path, kept))
		return path
	}
	fill(b, path)
	if kept != "" {
		check(b, copyFile(kept, path))
	}
	return path
}

// stored returns a campaign of a database with its people.
func stored(b testing.TB, db *DB, slug string, segments int) *Sample {
	b.Helper()
	s := &Sample{Store: db.Store, Segments: segments}
	var err error
	s.Campaign, err = db.Records.Campaign(b.Context(), slug)
	check(b, err)
	users, err := db.Accounts.Users(b.Context())
	check(b, err)
	for _, u := range users {
		switch {
		case u.Login == "lead":
			s.Lead = u
		case u.Login == "researcher":
			s.Researcher = u
		case strings.HasPrefix(u.Login, "ann"):
			s.Annotators = append(s.Annotators, u)
		}
	}
	s.Systems, err = db.Records.Systems(b.Context(), s.Campaign.ID)
	check(b, err)
	return s
}

// copyFile copies without holding the file in memory, which is measured.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// makeLarge fills a new file with campaigns.
func makeLarge(b testing.TB, path string, shapes ...largeShape) {
	b.Helper()
	clock := &Clock{now: Start.AddDate(0, 0, -60)}
	st, err := store.Open(b.Context(), database.Config{Driver: database.SQLite, DSN: path, Now: clock.Now})
	check(b, err)
	var all []*Sample
	for _, shape := range shapes {
		s := Campaign(b, st, Slug(shape.slug), Protocol("esa"), Segments(0), Annotators(LargeAnnotators), Set("gate=on", "redundancy=2"))
		_, err = st.Intake.ImportSegments(b.Context(), s.Campaign.ID, shape.lines(), intake.ImportOptions{File: "large.jsonl"})
		check(b, err)
		all = append(all, s)
	}
	check(b, st.Close())

	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(OFF)&_pragma=cache_size(-200000)")
	check(b, err)
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(b.Context(), nil)
	check(b, err)
	for i, shape := range shapes {
		fillLarge(b, tx, all[i], shape)
	}
	check(b, tx.Commit())
	check(b, db.Close())

	st, err = store.Open(b.Context(), database.Config{Driver: database.SQLite, DSN: path})
	check(b, err)
	for _, s := range all {
		began := time.Now()
		check(b, st.Desk.Recount(b.Context(), s.Campaign.ID))
		b.Logf("counted the campaign %s from scratch in %.1f s", s.Campaign.Slug, time.Since(began).Seconds())
	}
	check(b, st.Close())
}

func (shape largeShape) lines() iter.Seq2[campaign.SegmentLine, error] {
	text := strings.Repeat("Der schnelle Fuchs springt über den Hund. ", 4)
	return func(yield func(campaign.SegmentLine, error) bool) {
		for i := range shape.segments {
			seg := campaign.Segment{
				DocID:     fmt.Sprintf("doc-%05d", i/10),
				SegmentID: fmt.Sprintf("seg-%06d", i),
				Domain:    fmt.Sprint("domain", i/10%4),
				Source:    fmt.Sprint(i, " ", text),
			}
			if shape.references {
				seg.References = []campaign.Reference{{Name: "ref", Text: fmt.Sprint("10 ", i, " ", text)}}
			}
			for k := range LargeSystems {
				seg.Translations = append(seg.Translations, campaign.Translation{System: fmt.Sprintf("system-%02d", k), Text: fmt.Sprint(k, " ", i, " ", text)})
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
}

// A largeFill writes rows of a large campaign.
type largeFill struct {
	b                                    testing.TB
	s                                    *Sample
	shape                                largeShape
	quality, r                           *rand.Rand // of translations; of annotators
	assignments, ratings, decisions, seg *sql.Stmt
	n                                    int // ids given
}

func (f *largeFill) id() string {
	f.n++
	return fmt.Sprintf("%s-%020d", f.shape.slug, f.n)
}

func fillLarge(b testing.TB, tx *sql.Tx, s *Sample, shape largeShape) {
	prepare := func(query string) *sql.Stmt {
		stmt, err := tx.PrepareContext(b.Context(), query)
		check(b, err)
		return stmt
	}
	f := &largeFill{
		b: b, s: s, shape: shape, quality: rand.New(rand.NewPCG(1, 2)), r: rand.New(rand.NewPCG(1, shape.seed)),
		assignments: prepare(
			`INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at, submitted_at, ratings, seconds, awaited)
			VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`,
		),
		ratings: prepare(
			"INSERT INTO ratings (id, assignment_id, translation_id, scores, spans, gate_score, seconds, submitted_at) VALUES (?, ?, ?, ?, ?, ?, 30, ?)",
		),
		decisions: prepare(
			"INSERT INTO decisions (id, segment_id, round, passed, status, gate, threshold, tolerance, pairs, decided_at) VALUES (?, ?, ?, ?, ?, 'on', 0.7, 10, ?, ?)",
		),
		seg: prepare("UPDATE all_segments SET status = ?, round = ?, taken = ? WHERE id = ?"),
	}
	rows, err := tx.QueryContext(
		b.Context(),
		"SELECT s.id, t.id FROM segments s JOIN translations t ON t.segment_id = s.id JOIN systems y ON y.id = t.system_id WHERE s.campaign_id = ? ORDER BY s.position, y.name",
		s.Campaign.ID,
	)
	check(b, err)
	var ids []string
	translations := map[string][]string{}
	for rows.Next() {
		var segment, translation string
		check(b, rows.Scan(&segment, &translation))
		if len(ids) == 0 || ids[len(ids)-1] != segment {
			ids = append(ids, segment)
		}
		translations[segment] = append(translations[segment], translation)
	}
	check(b, rows.Err())
	check(b, rows.Close())
	for i, id := range ids[:shape.rated] {
		f.segment(i, id, translations[id])
	}
}

// segment rates one segment, by its number.
func (f *largeFill) segment(i int, id string, translations []string) {
	at := Start.Add(-60*24*time.Hour + time.Duration(i)*60*24*time.Hour/time.Duration(f.shape.rated))
	a := i * 7 % LargeAnnotators
	pair := []int{a, (a + 1 + i/LargeAnnotators%(LargeAnnotators-1)) % LargeAnnotators}
	quality := make([]float64, len(translations))
	for k := range quality {
		quality[k] = f.quality.Float64() * 100
	}
	// Of every 50 segments 6 fail at first: 3 pass then, 1 is discarded, 2 wait.
	kind := i % 50
	if kind > 5 {
		f.round(at, id, translations, pair, 1, quality, true, "agreed")
		f.set(id, "agreed", 1)
		return
	}
	f.round(at, id, translations, pair, 1, quality, false, "reannotate")
	at = at.Add(time.Hour)
	switch {
	case kind < 3:
		f.round(at, id, translations, pair, 2, quality, true, "agreed")
		f.set(id, "agreed", 2)
	case kind < 4:
		f.round(at, id, translations, pair, 2, quality, false, "discarded")
		f.set(id, "discarded", 2)
	default:
		for _, p := range pair {
			f.exec(f.assignments, f.id(), f.s.Campaign.ID, id, f.s.Annotators[p].ID, 2, "open", at.UnixMicro(), at.UnixMicro(), 0, 0, 0, true)
		}
		f.set(id, "reannotate", 2)
	}
}

func (f *largeFill) set(id, status string, round int) { f.exec(f.seg, status, round, 2, id) }

func (f *largeFill) exec(stmt *sql.Stmt, args ...any) {
	_, err := stmt.ExecContext(f.b.Context(), args...)
	check(f.b, err)
}

// round has two annotators rate the segment: near the quality, or one of them the
// other way round.
func (f *largeFill) round(at time.Time, id string, translations []string, pair []int, round int, quality []float64, agree bool, status string) {
	var scores [2][]float64
	for j, p := range pair {
		assignment, moment := f.id(), at.Add(time.Duration(j)*10*time.Minute).UnixMicro()
		f.exec(
			f.assignments, assignment, f.s.Campaign.ID, id, f.s.Annotators[p].ID, round, "submitted", moment, moment, moment, len(translations),
			30*len(translations), false,
		)
		for k, translation := range translations {
			x := quality[k]
			if j == 1 && !agree {
				x = 100 - x
			}
			score := math.Round(max(0, min(100, x+f.r.NormFloat64()*5+float64(p%5-2))))
			scores[j] = append(scores[j], score)
			f.exec(f.ratings, f.id(), assignment, translation, fmt.Sprintf(`{"score":%g}`, score), f.spans(score), score, moment)
		}
	}
	v := agreement.Rule{Threshold: 0.7, Tolerance: 10}.Judge(scores[0], scores[1])
	one := campaign.Pair{A: f.s.Annotators[pair[0]].Login, B: f.s.Annotators[pair[1]].Login, Shared: v.Shared, Reason: v.Reason, Passed: v.Passed}
	one.A, one.B = min(one.A, one.B), max(one.A, one.B)
	if !math.IsNaN(v.R) {
		one.R = &v.R
	}
	pairs, err := json.Marshal([]campaign.Pair{one})
	check(f.b, err)
	f.exec(f.decisions, f.id(), id, round, agree, status, string(pairs), at.Add(10*time.Minute).UnixMicro())
}

// spans are up to three errors as they are stored, fewer with a higher score.
func (f *largeFill) spans(score float64) string {
	spans := []protocol.ErrorSpan{}
	if f.shape.spans {
		for n := range f.r.IntN(4 - int(score/34)) {
			start := f.r.IntN(140)
			spans = append(
				spans,
				protocol.ErrorSpan{
					ID:       fmt.Sprint(n + 1),
					Side:     protocol.Target,
					Start:    start,
					End:      start + 1 + f.r.IntN(20),
					Severity: []string{"minor", "major"}[f.r.IntN(2)],
				},
			)
		}
	}
	text, err := json.Marshal(spans)
	check(f.b, err)
	return string(text)
}
