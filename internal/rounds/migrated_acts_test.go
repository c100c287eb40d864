package rounds_test

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
		a := adjudicators{storetest.Leading{T: t, Sample: s}, db}
		judge := a.person("judge")
		for n := range 2 {
			storetest.RateFirst(t, db, s, n+1, 0, 0, 2, 4)
			storetest.RateFirst(t, db, s, n+1, 1, 4, 2, 0)
		}
		var ids []string
		for _, segment := range []string{"s1", "s2"} {
			a.Done(a.ask(segment))
			id := storetest.Must(a.open(segment, judge))(t)
			db.Clock.Advance(time.Minute)
			a.Done(a.submit(id, judge, a.rate(id, judge, func(string) protocol.Rating { return storetest.Rating(3) })))
			ids = append(ids, id)
		}
		a.Done(a.Undo("s1"))
		late := storetest.HandOut(t, db, s, 3, 0)
		s.Fill(t, 0, late, 0, 2, 4)
		a.Done(a.Discard("s3"))
		db.Clock.Advance(time.Minute)
		s.Submit(t, 0, late)

		driver, dialect := "sqlite", goose.DialectSQLite3
		if db.Config.Driver == database.Postgres {
			driver, dialect = "pgx", goose.DialectPostgres
		}
		pool := storetest.Must(sql.Open(driver, db.Config.DSN))(t)
		defer pool.Close()
		provider := storetest.Must(goose.NewProvider(dialect, pool, migrations.Files))(t)
		storetest.Must(provider.DownTo(t.Context(), 64))(t)
		if _, err := pool.ExecContext(t.Context(), "UPDATE assignments SET state = 'adjudicated', submitted_at = 5, seconds = 7 WHERE id = '"+ids[0]+"'"); err != nil {
			t.Fatal(err)
		}
		storetest.Must(provider.Up(t.Context()))(t)

		if got := storetest.Query[string](t, db, "SELECT state || ' ' || submitted_at || ' ' || seconds FROM assignments WHERE id = ?", ids[0]); !slices.Equal(got, []string{"adjudicating 0 0"}) && !slices.Equal(got, []string{"adjudicating 0 0.0"}) {
			t.Errorf("the adjudication whose act was undone is %q", got)
		}
		storetest.WantSegment(t, s, 2, campaign.Adjudicated, 1, 3, 3, 3)
		a.Done(a.Undo("s2"))
		for _, id := range ids {
			if got := storetest.Query[string](t, db, "SELECT state FROM assignments WHERE id = ?", id); !slices.Equal(got, []string{"adjudicating"}) {
				t.Errorf("an adjudication that is undone is %q", got)
			}
		}
		wantOvertaken := func(n int) {
			t.Helper()
			if q := storetest.Must(db.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueOvertaken, Limit: 9}))(t); q.Total != n {
				t.Errorf("%d segments were rated after a decision, want %d", q.Total, n)
			}
		}
		wantOvertaken(1)
		a.Done(db.LookAtRatings(t.Context(), s.Campaign.ID, []string{a.Row("s3")}, "seen", s.Lead.ID))
		wantOvertaken(0)
		if n := storetest.Count(t, db, "decisions d JOIN segments g ON g.id = d.segment_id WHERE d.current AND d.rated <> g.rated"); n != 0 {
			t.Errorf("%d decisions do not know that they are of the ratings as they are", n)
		}
		a.healthy()
	})
}
