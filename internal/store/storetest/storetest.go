// Package storetest opens fresh databases for tests and fills them with sample
// campaigns, so that a test shows only what matters to it.
//
// [Open] gives a SQLite file, [New] one with a campaign in it, [Postgres] a database of its own on the
// server that ANNOTATE_TEST_POSTGRES names (scripts/with-postgres starts one), [Each] runs a test on both. All of
// them read the time from a [Clock]. [Campaign] makes a campaign with segments and people, whose methods rate as an
// annotator would.
//
// A rule is tested on SQLite. On both databases run the tests in which transactions meet, and those of statements
// that no other test runs on PostgreSQL.
package storetest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/testenv"
)

// Start is the time of the clock at the beginning of every test: a Friday morning in UTC.
var Start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// A Clock stands still until it is moved. It may be used by several goroutines.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set sets the clock.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// A DB is a fresh, migrated database and its clock. It is closed, and a
// PostgreSQL database dropped, when the test ends.
type DB struct {
	*store.Store
	Clock  *Clock
	Config database.Config // opens the same database once more
	// Rows says that the test changes rows on its own, so that the sums that the
	// methods of a store keep up are not to be held against a recount at its end.
	Rows bool
}

// Open makes a SQLite file.
func Open(t testing.TB) *DB {
	t.Helper()
	return open(t, database.Config{Driver: database.SQLite, DSN: File(t)})
}

// New makes a SQLite file with a campaign in it.
func New(t testing.TB, opts ...Option) (*DB, *Sample) {
	t.Helper()
	db := Open(t)
	return db, Campaign(t, db.Store, opts...)
}

// File makes a migrated SQLite file without anything in it and returns its path, for a
// test that opens it with a clock of its own.
func File(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "annotate.db")
	file, err := migratedFile()
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Postgres makes a PostgreSQL database. See [testenv.Lacks] for a
// machine without a server.
func Postgres(t testing.TB) *DB {
	t.Helper()
	server := postgresServer(t)
	how, err := copyMigrated()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, database.Config{Driver: database.Postgres, DSN: createDatabase(t, server, how)})
}

// Each runs fn on a SQLite database and on a PostgreSQL one, at the same time.
func Each(t *testing.T, fn func(t *testing.T, db *DB)) {
	t.Helper()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		t.Run("sqlite", func(t *testing.T) { fn(t, Open(t)) })
	})
	t.Run("postgres", func(t *testing.T) { fn(t, Postgres(t)) })
}

// Reopen opens the database of db once more, as the program does that comes after one that was
// killed: it takes what nobody worked on for 50 ms for abandoned. The store is closed when the
// test ends.
func Reopen(t testing.TB, db *DB) *store.Store {
	t.Helper()
	cfg := db.Config
	cfg.DeadAfter = 50 * time.Millisecond
	st, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func open(t testing.TB, cfg database.Config) *DB {
	t.Helper()
	clock := &Clock{now: Start}
	cfg.Now = clock.Now
	st, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{Store: st, Clock: clock, Config: cfg}
	t.Cleanup(func() {
		if !t.Failed() && !db.Rows {
			db.checkTallies(t)
		}
		if err := st.Close(); err != nil {
			t.Errorf("close %s: %v", cfg.Driver, err)
		}
	})
	return db
}

// checkTallies compares the kept sums with a recount at the end of a test, so that a change that forgets to
// update the sums fails.
func (db *DB) checkTallies(t testing.TB) {
	t.Helper()
	campaigns, err := db.Records.CampaignsAndSides(context.Background())
	if err != nil {
		return // closed, or broken, by the test itself
	}
	for _, c := range campaigns {
		differences, err := db.Desk.CheckTallies(context.Background(), c.ID)
		if err != nil {
			return
		}
		for _, difference := range differences {
			t.Errorf("campaign %q: %s", c.Slug, difference)
		}
	}
}

// EmptyPostgres makes a PostgreSQL database without any table and returns its
// DSN. It is dropped when the test ends.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	server := postgresServer(t)
	how, err := sorted(server)
	if err != nil {
		t.Fatal(err)
	}
	return createDatabase(t, server, how)
}

// sorted says how to create a database whose texts are sorted as people sort
// them and not by bytes, where the server can: results may not depend on that.
func sorted(server string) (string, error) {
	able, err := ask(server, `SELECT current_setting('server_version_num')::int >= 150000
		AND EXISTS (SELECT 1 FROM pg_collation WHERE collprovider = 'i')`)
	if err != nil || !able {
		return "", err
	}
	return "TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'", nil
}

func postgresServer(t testing.TB) string {
	t.Helper()
	server := os.Getenv("ANNOTATE_TEST_POSTGRES")
	if server == "" {
		testenv.Lacks(t, "no PostgreSQL: ANNOTATE_TEST_POSTGRES is not set (scripts/with-postgres sets it)")
	}
	return server
}

func createDatabase(t testing.TB, server, how string) string {
	t.Helper()
	name := newName()
	if err := run(server, "CREATE DATABASE "+name+" "+how); err != nil {
		t.Fatalf("create a database for the test: %v", err)
	}
	t.Cleanup(func() {
		if err := run(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the database of the test: %v", err)
		}
	})
	return withDatabase(server, name)
}

func newName() string { return "annotate_" + strings.ToLower(rand.Text()) }

// run executes one statement on a connection of its own. It takes no context of
// the test, since cleanup comes after that has ended.
func run(dsn, sql string) error {
	return onConnection(dsn, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

// ask returns the single value of a query.
func ask(dsn, sql string, args ...any) (yes bool, err error) {
	err = onConnection(dsn, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, sql, args...).Scan(&yes)
	})
	return yes, err
}

func onConnection(dsn string, fn func(ctx context.Context, conn *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return fn(ctx, conn)
}

// withDatabase points a DSN, in either of its forms, to another database.
func withDatabase(dsn, name string) string {
	if u, err := url.Parse(dsn); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		u.Path = "/" + name
		return u.String()
	}
	return dsn + " dbname=" + name
}

// Driver is [database.SQLite] or [database.Postgres].
func (db *DB) Driver() string { return db.DB.Dialect }

// SessionUser is the user whose session has a token.
func (db *DB) SessionUser(ctx context.Context, token string) (accounts.User, error) {
	u, _, err := db.Accounts.Visit(ctx, token)
	return u, err
}

// AuditLog lists what was done in a campaign, the latest first, and counts all of it.
func (db *DB) AuditLog(ctx context.Context, campaignID string, offset, limit int) ([]readmodel.AuditEntry, int, error) {
	return db.Records.FindAudit(ctx, campaignID, records.AuditFilter{Offset: offset, Limit: limit})
}
