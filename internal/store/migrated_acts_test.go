package store_test

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/migrations"
)

// A database from before adjudications could be opened again, and before ratings and acts
// had an order of their own, comes out as if they always had.
func TestMigratedActs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.PerDocument(3), storetest.Set("gate=report"))
		a := adjudicators{acts{t, s}, db}
		judge := a.person("judge")
		for n := range 2 {
			first(t, db, s, n+1, 0, 0, 2, 4)
			first(t, db, s, n+1, 1, 4, 2, 0)
		}
		var ids []string
		for _, segment := range []string{"s1", "s2"} {
			a.done(a.ask(segment))
			id := must(a.open(segment, judge))(t)
			db.Clock.Advance(time.Minute)
			a.done(a.submit(id, judge, a.rate(id, judge, func(string) protocol.Rating { return storetest.Rating(3) })))
			ids = append(ids, id)
		}
		a.done(a.undo("s1"))
		late := given(t, db, s, 3, 0)
		s.Fill(t, 0, late, 0, 2, 4)
		a.done(a.discard("s3"))
		db.Clock.Advance(time.Minute)
		s.Submit(t, 0, late)

		driver, dialect := "sqlite", goose.DialectSQLite3
		if db.Config.Driver == database.Postgres {
			driver, dialect = "pgx", goose.DialectPostgres
		}
		pool := must(sql.Open(driver, db.Config.DSN))(t)
		defer pool.Close()
		provider := must(goose.NewProvider(dialect, pool, migrations.Files))(t)
		must(provider.DownTo(t.Context(), 64))(t)
		if _, err := pool.ExecContext(t.Context(), "UPDATE assignments SET state = 'adjudicated', submitted_at = 5, seconds = 7 WHERE id = '"+ids[0]+"'"); err != nil {
			t.Fatal(err)
		}
		must(provider.Up(t.Context()))(t)

		if got := query[string](t, db, "SELECT state || ' ' || submitted_at || ' ' || seconds FROM assignments WHERE id = ?", ids[0]); !slices.Equal(got, []string{"adjudicating 0 0"}) && !slices.Equal(got, []string{"adjudicating 0 0.0"}) {
			t.Errorf("the adjudication whose act was undone is %q", got)
		}
		wantSegment(t, s, 2, campaign.Adjudicated, 1, 3, 3, 3)
		a.done(a.undo("s2"))
		for _, id := range ids {
			if got := query[string](t, db, "SELECT state FROM assignments WHERE id = ?", id); !slices.Equal(got, []string{"adjudicating"}) {
				t.Errorf("an adjudication that is undone is %q", got)
			}
		}
		wantOvertaken := func(n int) {
			t.Helper()
			if q := must(db.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueOvertaken, Limit: 9}))(t); q.Total != n {
				t.Errorf("%d segments were rated after a decision, want %d", q.Total, n)
			}
		}
		wantOvertaken(1)
		a.done(db.LookAtRatings(t.Context(), s.Campaign.ID, []string{a.row("s3")}, "seen", s.Lead.ID))
		wantOvertaken(0)
		if n := count(t, db, "decisions d JOIN segments g ON g.id = d.segment_id WHERE d.current AND d.rated <> g.rated"); n != 0 {
			t.Errorf("%d decisions do not know that they are of the ratings as they are", n)
		}
		a.healthy()
	})
}
