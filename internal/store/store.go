// Package store keeps everything in SQLite or PostgreSQL and is the only place
// that knows GORM, drivers and migrations. It has one method per use case and
// one transaction per method, in which it asks package campaign for decisions.
//
// Start at [Open]. Every method takes values of package campaign or small
// structs of its own, and returns the errors of package campaign.
//
// On SQLite all writes pass through one goroutine that commits those waiting
// together (see write.go), so that a disk flush is shared; readers never wait.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite" // the pure-Go driver behind gorm's SQLite dialect

	"annotate/migrations"
)

// The drivers of [Config].
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Config says which database to open.
type Config struct {
	Driver string // [SQLite] or [Postgres]
	DSN    string // a file path, or a PostgreSQL connection string
	Logger *slog.Logger
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// A Store is an open database.
type Store struct {
	db     *gorm.DB
	reader *gorm.DB // db for queries outside a transaction
	driver string
	now    func() time.Time
	log    *slog.Logger
	writer *writer // SQLite only
	// snapshots holds a place for each long read under way.
	snapshots chan struct{}
}

// ErrOldSchema: a PostgreSQL database needs its migrations run.
var ErrOldSchema = errors.New("the database schema is missing or older than this program; run: annotate migrate up")

// Open opens the database. A SQLite file that is missing or older is created or
// brought up to date; a PostgreSQL database must be migrated already, else the
// error is [ErrOldSchema].
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := OpenUnmigrated(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Driver == SQLite {
		err = s.MigrateUp(ctx)
	} else {
		err = s.checkSchema(ctx)
	}
	if err == nil {
		err = s.countNew(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// OpenUnmigrated opens the database as it is, for the migrate commands.
func OpenUnmigrated(cfg Config) (*Store, error) {
	log := logger.Discard
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	} else {
		log = logger.NewSlogLogger(cfg.Logger, logger.Config{
			SlowThreshold: 500 * time.Millisecond, LogLevel: logger.Warn,
			IgnoreRecordNotFoundError: true, ParameterizedQueries: true, // never texts or answers in the log
		})
	}
	dialector, err := dialector(cfg)
	if err != nil {
		return nil, err
	}
	db, err := gorm.Open(dialector, &gorm.Config{
		Logger: log, PrepareStmtMaxSize: 400, SkipDefaultTransaction: true, DisableAutomaticPing: true,
	})
	if err != nil {
		return nil, fmt.Errorf("open database: %w", redact(err, cfg.DSN))
	}
	pool, err := db.DB()
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	// Every page takes a connection for a moment, a download up to maxSnapshots
	// of them for long; on PostgreSQL writes take one each, and wait with it for
	// their locks. On SQLite a connection costs up to 16 MB (cache_size), so that
	// those of a rush are closed again.
	size := max(16, 2*runtime.NumCPU())
	if cfg.Driver == Postgres {
		size = 32 // of the 100 that a server takes unless told otherwise
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := pool.Ping(); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", redact(err, cfg.DSN)), pool.Close())
	}
	s := &Store{db: db, reader: db, driver: cfg.Driver, now: cfg.Now, log: cfg.Logger, snapshots: make(chan struct{}, maxSnapshots)}
	if s.now == nil {
		s.now = time.Now
	}
	if cfg.Driver == SQLite {
		// Prepared statements halve the time of a short query. In a transaction
		// GORM prepares each anew and keeps it until the end, so that a long one
		// would grow without bound. For PostgreSQL, pgx prepares by itself.
		s.reader = db.Session(&gorm.Session{PrepareStmt: true})
		s.writer = startWriter(db)
	}
	return s, nil
}

func dialector(cfg Config) (gorm.Dialector, error) {
	switch cfg.Driver {
	case SQLite:
		dsn, err := sqliteDSN(cfg.DSN)
		if err != nil {
			return nil, err
		}
		pool, err := connectSQLite(dsn, cfg.Logger)
		if err != nil {
			return nil, fmt.Errorf("open database: %w", redact(err, cfg.DSN))
		}
		return sqlite.New(sqlite.Config{DriverName: "sqlite", Conn: pool}), nil
	case Postgres:
		return postgres.New(postgres.Config{DSN: cfg.DSN}), nil
	}
	return nil, fmt.Errorf("open database: unknown driver %q; use sqlite or postgres", cfg.Driver)
}

// connectSQLite opens a file and makes the first connection. While another program
// makes the same new file, switching it to WAL is refused at once, whatever the
// busy_timeout: SQLite holds a lock by then that the other may wait for. So this
// one lets go and comes again, for as long as a write would wait.
func connectSQLite(dsn string, log *slog.Logger) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	for wait, waited := 5*time.Millisecond, time.Duration(0); ; waited, wait = waited+wait, min(2*wait, 200*time.Millisecond) {
		if err = pool.Ping(); err == nil {
			return pool, nil
		}
		if !isBusy(err) || waited > busyTimeout {
			return nil, errors.Join(err, pool.Close())
		}
		log.Debug("the database is locked by another program; trying again", "wait", wait)
		time.Sleep(wait)
	}
}

// busyTimeout is how long a write to SQLite waits for another program's.
const busyTimeout = 10 * time.Second

// sqliteDSN puts every pragma into the connection string, since each pooled
// connection starts bare. FULL, because an acknowledged save must survive a
// power cut; immediate, so that a transaction takes the write lock before it
// reads and can't be refused half way.
func sqliteDSN(path string) (string, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return "", errors.New("open database: dsn must be the path of a file")
	}
	if dir := filepath.Dir(path); dir != "." {
		if _, err := os.Stat(dir); err != nil {
			return "", fmt.Errorf("open database: the folder of %s must exist: %w", path, err)
		}
	}
	q := url.Values{
		"_pragma":      {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-16000)"},
		"_txlock":      {"immediate"},
		"_time_format": {"sqlite"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode(), nil
}

// redact keeps the password of a connection string out of messages.
func redact(err error, dsn string) error {
	if dsn != "" && strings.Contains(err.Error(), dsn) {
		return errors.New(strings.ReplaceAll(err.Error(), dsn, "(dsn)"))
	}
	return err
}

// Close waits for writes under way and closes the database.
func (s *Store) Close() error {
	if s.writer != nil {
		s.writer.stop()
	}
	pool, err := s.db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// Driver is [SQLite] or [Postgres].
func (s *Store) Driver() string { return s.driver }

// A Migration is one versioned change of the schema.
type Migration struct {
	Version   int64
	Name      string
	AppliedAt time.Time // zero: pending
}

func (s *Store) migrator() (*goose.Provider, error) {
	pool, err := s.db.DB()
	if err != nil {
		return nil, err
	}
	dialect := goose.DialectSQLite3
	if s.driver == Postgres {
		dialect = goose.DialectPostgres
	}
	var files fs.FS = migrations.Files
	return goose.NewProvider(dialect, pool, files, goose.WithVerbose(false))
}

// MigrateUp applies every pending migration, each in a transaction of its own.
// Several programs may do so at the same time.
func (s *Store) MigrateUp(ctx context.Context) error {
	m, err := s.migrator()
	if err != nil {
		return fmt.Errorf("migrate up: %w", err)
	}
	for {
		before, err := pending(ctx, m)
		if err != nil || before == 0 {
			return err
		}
		if _, err = m.Up(ctx); err == nil {
			return nil
		}
		// A migration fails where another program has just applied it. Then
		// fewer are left than before.
		if left, _ := pending(ctx, m); left >= before {
			return fmt.Errorf("migrate up: %w", err)
		}
	}
}

// pending counts the migrations that are not applied.
func pending(ctx context.Context, m *goose.Provider) (n int, err error) {
	status, err := m.Status(ctx)
	if err != nil {
		return 0, fmt.Errorf("migration status: %w", err)
	}
	for _, st := range status {
		if st.State == goose.StatePending {
			n++
		}
	}
	return n, nil
}

// MigrateDown takes the newest applied migration back.
func (s *Store) MigrateDown(ctx context.Context) error {
	m, err := s.migrator()
	if err != nil {
		return fmt.Errorf("migrate down: %w", err)
	}
	if _, err := m.Down(ctx); err != nil {
		return fmt.Errorf("migrate down: %w", err)
	}
	return nil
}

// Migrations lists every migration this program knows, oldest first.
func (s *Store) Migrations(ctx context.Context) ([]Migration, error) {
	m, err := s.migrator()
	if err != nil {
		return nil, fmt.Errorf("migration status: %w", err)
	}
	status, err := m.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("migration status: %w", err)
	}
	out := make([]Migration, len(status))
	for i, st := range status {
		out[i] = Migration{Version: st.Source.Version, Name: filepath.Base(st.Source.Path)}
		if st.State == goose.StateApplied {
			out[i].AppliedAt = st.AppliedAt
		}
	}
	return out, nil
}

func (s *Store) checkSchema(ctx context.Context) error {
	m, err := s.migrator()
	if err != nil {
		return err
	}
	n, err := pending(ctx, m)
	if err != nil {
		return fmt.Errorf("check schema: %w", err)
	}
	if n > 0 {
		return ErrOldSchema
	}
	return nil
}

// newID makes an id that sorts by the moment it was made, so that rows of one
// import lie side by side.
func newID() string { return strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "") }

// An instant is a moment as it is stored: microseconds since 1970 UTC, 0 for
// never. Both databases keep, compare and aggregate it alike.
type instant int64

func instantOf(t time.Time) instant {
	if t.IsZero() {
		return 0
	}
	return instant(t.UnixMicro())
}

func (i instant) time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(i)).UTC()
}
