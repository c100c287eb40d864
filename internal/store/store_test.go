package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

func TestMigrations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		all := storetest.Must(db.DB.Migrations(t.Context()))(t)
		if len(all) < 4 {
			t.Fatalf("got %d migrations", len(all))
		}
		for i, m := range all {
			if i > 0 && m.Version <= all[i-1].Version || m.AppliedAt.IsZero() || !strings.HasPrefix(m.Name, fmt.Sprintf("%05d_", m.Version)) {
				t.Errorf("migration %d is %+v, want it applied", i+1, m)
			}
		}
		storetest.Older(t, db)
		var did []string
		db.DB.Doing = func(what string) { did = append(did, what) }
		for range 2 { // up, and up with nothing to do
			storetest.Check(t, db.DB.MigrateUp(t.Context()))
		}
		if said := strings.Join(did, "\n"); !strings.HasSuffix(said, "step 1 of 1,") || db.DB.Dialect == database.SQLite && !strings.HasPrefix(said, "copying the database") {
			t.Errorf("migrating says that it does:\n%s", said)
		}
		s := storetest.Campaign(t, db.Store)
		s.RateNext(t, 0, 1, 2, 3)
	})
}

// TestMigrationOfSettledAnswers: the answers that annotators settled under an older program are counted when the database is opened.
func TestMigrationOfSettledAnswers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Set("redundancy=1"))
		storetest.ImportSegments(t, s, campaign.Segment{DocID: "d", SegmentID: "s1", Source: "One", Translations: campaign.ItselfOnly()})
		storetest.ImportRatings(t, s, campaign.RatingLine{DocID: "d", SegmentID: "s1", Rating: campaign.Rating{Annotator: "ines", Round: 1, Rating: protocol.Rating{
			Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "cleaned": {Text: "One"}}, Scores: map[string]float64{"difficulty": 4}}}})
		storetest.OlderThan(t, db, 270)
		storetest.Check(t, db.DB.MigrateUp(t.Context()))
		storetest.Check(t, db.Desk.CountUncounted(t.Context()))
		least := 4.0
		found, total, err := db.Desk.Segments(t.Context(), s.Campaign.ID, desk.SegmentFilter{Number: &desk.RatedNumber{Campaign: s.Campaign, Question: "difficulty"}, Least: &least, Limit: 9})
		if err != nil || total != 1 || found[0].Score != 4 {
			t.Errorf("%d are found: %+v, %v", total, found, err)
		}
	})
}

// TestMigrationOfPlaces: assignments have the document and the position of their segment, those of an older program and new ones.
func TestMigrationOfPlaces(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(4), storetest.PerDocument(2))
		s.RateNext(t, 0, 1, 2, 3)
		storetest.OlderThan(t, db, 278)
		storetest.Check(t, db.DB.MigrateUp(t.Context()))
		s.RateNext(t, 0, 1, 2, 3)
		s.RateNext(t, 1, 1, 2, 3)
		if n := storetest.Count(t, db, "assignments a JOIN segments g ON g.id = a.segment_id AND g.document_id = a.in_document AND g.position = a.at_position"); n != 3 {
			t.Errorf("%d of 3 assignments have their place", n)
		}
		own := storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Limit: 9}))(t).Segments
		if len(own) != 2 || own[0].SegmentID != "s1" || own[1].SegmentID != "s2" {
			t.Errorf("the list has %+v", own)
		}
	})
}

// TestMigrationOfMetricScores: the scores that older programs kept in a row each are those of the campaign.
func TestMigrationOfMetricScores(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.Systems(2))
		storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines([]campaign.MetricScore{
			{Metric: "m", System: s.Systems[0], Score: 7}, {Metric: "n", System: s.Systems[0], Score: 8},
		}), intake.ImportOptions{}))(t)
		storetest.OlderThan(t, db, 215)
		for _, x := range []struct {
			metric, system, segment string
			score                   float64
		}{{"m", s.Systems[0], "s1", 0.30000000000000004}, {"m", s.Systems[1], "s1", -1e-7}, {"m", s.Systems[1], "s3", 3.3333333333333335e299}, {"n", s.Systems[1], "s2", 100}} {
			storetest.Exec(t, db, `INSERT INTO metric_scores (metric_id, translation_id, score) SELECT m.id, t.id, CAST(? AS DOUBLE PRECISION) FROM metrics m, translations t
				JOIN systems y ON y.id = t.system_id JOIN segments g ON g.id = t.segment_id WHERE m.name = ? AND y.name = ? AND g.segment_id = ?`, x.score, x.metric, x.system, x.segment)
		}
		storetest.Check(t, db.DB.MigrateUp(t.Context()))
		var got []string
		for seg, err := range db.Records.AllSegments(t.Context(), s.Campaign) {
			storetest.Check(t, err)
			for _, tr := range seg.Translations {
				got = append(got, fmt.Sprint(seg.SegmentID, " ", tr.System, " ", tr.Metrics))
			}
		}
		want := []string{
			"s1 sys-001 [{m 0.30000000000000004}]", "s1 sys-002 [{m -1e-07}]", "s2 sys-001 []", "s2 sys-002 [{n 100}]",
			"s3 sys-001 []", "s3 sys-002 [{m 3.3333333333333335e+299}]",
		}
		if !slices.Equal(got, want) {
			t.Errorf("the campaign has the scores\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		means := storetest.Query[float64](t, db, "SELECT x.mean FROM metric_segment_scores x JOIN metrics m ON m.id = x.metric_id ORDER BY m.name, x.mean")
		if want := []float64{(0.30000000000000004 - 1e-7) / 2, 3.3333333333333335e299, 100}; !slices.Equal(means, want) {
			t.Errorf("the means are %v, want %v", means, want)
		}
	})
}

func TestOpenPostgresNeedsMigrations(t *testing.T) {
	cfg := database.Config{Driver: database.Postgres, DSN: storetest.EmptyPostgres(t)}
	_, err := store.Open(t.Context(), cfg)
	storetest.WantErr(t, err, database.ErrOldSchema)

	st := storetest.Must(store.OpenUnmigrated(cfg))(t)
	defer st.Close()
	storetest.Check(t, st.DB.MigrateUp(t.Context()))
	storetest.Check(t, storetest.Must(store.Open(t.Context(), cfg))(t).Close())
	storetest.Older(t, &storetest.DB{Store: st})
	_, err = store.Open(t.Context(), cfg)
	storetest.WantErr(t, err, database.ErrOldSchema)
}

// TestMigrateAtTheSameTime: several programs may migrate one new PostgreSQL database at the same moment.
func TestMigrateAtTheSameTime(t *testing.T) {
	cfg := database.Config{Driver: database.Postgres, DSN: storetest.EmptyPostgres(t)}
	var wg sync.WaitGroup
	for range 4 {
		st := storetest.Must(store.OpenUnmigrated(cfg))(t)
		defer st.Close()
		wg.Go(func() {
			if err := st.DB.MigrateUp(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	st := storetest.Must(store.Open(t.Context(), cfg))(t)
	defer st.Close()
	applied := map[int64]int{}
	for _, version := range storetest.Query[int64](t, &storetest.DB{Store: st}, "SELECT version_id FROM goose_db_version WHERE is_applied") {
		if applied[version]++; applied[version] > 1 {
			t.Errorf("migration %d was applied twice", version)
		}
	}
}

// A server and a command may be the first to open a new file at the same moment.
func TestOpenSQLiteAtTheSameTime(t *testing.T) {
	times := 2
	if testenv.Race {
		times = 1 // what it watches happens at each
	}
	for range times {
		cfg := database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "annotate.db")}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				st, err := store.Open(t.Context(), cfg)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				defer st.Close()
				if _, err := st.Accounts.AddUser(t.Context(), "user"+string(rune('a'+i)), "", accounts.Member); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// A new file that another program is just making is waited for. SQLite itself does
// not: it refuses the switch to WAL at once.
func TestOpenSQLiteBeingMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "annotate.db")
	other := storetest.Must(sql.Open("sqlite", "file:"+path+"?_txlock=immediate"))(t)
	defer other.Close()
	tx := storetest.Must(other.Begin())(t)
	waits := 0
	st, err := store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path, Logger: slog.New(onDebug(func() {
		if waits++; waits == 3 {
			if err := tx.Rollback(); err != nil {
				t.Error(err)
			}
		}
	}))})
	if err != nil {
		t.Fatalf("after %d waits: %v", waits, err)
	}
	if err := st.Close(); err != nil || waits < 3 {
		t.Errorf("%d waits, close: %v", waits, err)
	}
}

// onDebug is a log handler that is told of debug messages.
type onDebug func()

func (onDebug) Enabled(context.Context, slog.Level) bool { return true }

func (f onDebug) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelDebug {
		f()
	}
	return nil
}

func (f onDebug) WithAttrs([]slog.Attr) slog.Handler { return f }

func (f onDebug) WithGroup(string) slog.Handler { return f }

// Opening a file that is up to date waits for no writer.
func TestOpenSQLiteDuringAWrite(t *testing.T) {
	db := storetest.Open(t)
	tx := storetest.Must(storetest.Must(storetest.Conn(db.Store).DB())(t).BeginTx(t.Context(), nil))(t) // holds the write lock
	defer tx.Rollback()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	st := storetest.Must(store.Open(ctx, db.Config))(t)
	storetest.Check(t, st.Close())
}

func TestSQLitePaths(t *testing.T) {
	for _, name := range []string{"plain.db", "with space.db", "a?b=c&d.db", "hash#1.db", "100%25.db", "zażółć 🙂.db"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			st := storetest.Must(store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path}))(t)
			defer st.Close()
			storetest.Must(os.Stat(path))(t)
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  database.Config
		want string
	}{
		{"driver", database.Config{Driver: "mysql", DSN: "x"}, `unknown driver "mysql"`},
		{"no path", database.Config{Driver: database.SQLite}, "must be the path of a file"},
		{"memory", database.Config{Driver: database.SQLite, DSN: ":memory:"}, "must be the path of a file"},
		{"folder", database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "no", "x.db")}, "folder of"},
		{"no server", database.Config{Driver: database.Postgres, DSN: "host=/nowhere user=u password=pineapple dbname=d"}, "open database"},
		{"no dsn", database.Config{Driver: database.Postgres, DSN: "postgres://u:pineapple@[::1"}, "open database"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st, err := store.Open(t.Context(), tt.cfg)
			if err == nil {
				st.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "pineapple") {
				t.Errorf("got %q, want %q and no password", err, tt.want)
			}
		})
	}
}

func TestPragmas(t *testing.T) {
	db := storetest.Open(t)
	pool := storetest.Must(storetest.Conn(db.Store).DB())(t)
	var conns []*sql.Conn
	for range 6 { // held at the same time, so that each is another one
		conns = append(conns, storetest.Must(pool.Conn(t.Context()))(t))
	}
	for i, conn := range conns {
		for pragma, want := range map[string]string{
			"foreign_keys": "1", "journal_mode": "wal", "synchronous": "2", "busy_timeout": "10000",
		} {
			var got string
			if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("connection %d has %s = %q (%v), want %s", i, pragma, got, err, want)
			}
		}
		storetest.Check(t, conn.Close())
	}
}

func TestForeignKeys(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		s.RateNext(t, 0, 1, 2, 3)
		for _, sql := range []string{
			"DELETE FROM users WHERE login = 'ann1'",
			"DELETE FROM assignments",
			"DELETE FROM translations",
			"DELETE FROM all_systems",
			"UPDATE memberships SET user_id = 'nobody' WHERE role = 'lead'",
			"UPDATE all_segments SET document_id = 'nothing'",
			"UPDATE all_segments SET status = 'finished'", // a check, and no key
			"UPDATE memberships SET role = 'owner'",
		} {
			if err := storetest.Conn(db.Store).Exec(sql).Error; err == nil {
				t.Errorf("%s was done", sql)
			}
		}
	})
}

// A read of one row, of many and of a stream says so when the request has ended, and makes nothing up.
func TestReadCancelled(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		a := s.RateNext(t, 0, 1, 2, 3)
		row := s.RowID(t, "d1", "s1")
		token := storetest.Must(db.Accounts.StartSession(t.Context(), s.Lead, ""))(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		reads := map[string]func() error{
			"SessionUser": func() error { _, err := db.SessionUser(ctx, token); return err },
			"Campaigns":   func() error { _, err := db.Records.Campaigns(ctx); return err },
			"Members":     func() error { _, err := db.Accounts.Members(ctx, s.Campaign.ID); return err },
			"Segment":     func() error { _, err := db.Desk.Segment(ctx, s.Campaign, row); return err },
			"Progress":    func() error { _, err := db.Desk.Progress(ctx, s.Campaign); return err },
			"LoadWork":    func() error { _, err := db.Work.LoadWork(ctx, s.Campaign, a, s.Annotators[0].ID); return err },
			"AllSegments": func() (err error) {
				for _, e := range db.Records.AllSegments(ctx, s.Campaign) {
					err = errors.Join(err, e)
				}
				return err
			},
		}
		for name, read := range reads {
			if err := read(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v, want that the context was cancelled", name, err)
			}
		}
		if w := s.Work(t, 0, a); len(w.Cards) != 3 { // the connections are fine
			t.Errorf("got %d cards", len(w.Cards))
		}
	})
}
