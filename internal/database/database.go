package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite"
)

// actStep is how many segments an act is done on in one transaction. A save never waits
// for more than that.
const actStep = 40

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
	// Notice is told, in a sentence, what the operator should know of opening the
	// database; nil: the logger is, as a warning.
	Notice func(sentence string)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// DeadAfter is how long an import may show no sign of life before others take it
	// for dead; 0: 20 seconds.
	DeadAfter time.Duration
}

// A DB is an open database: its connections, its clock, and how a write is made.
type DB struct {
	Conn    *gorm.DB
	Reader  *gorm.DB // db for queries outside a transaction
	Dialect string
	Now     func() time.Time
	Log     *slog.Logger
	DSN     string
	notice  func(sentence string)
	writer  *writer  // SQLite only
	Mark    *UseMark // SQLite only
	NoCopy  bool     // migrate without a copy of the file
	// Count brings the kept sums up to date with what a transaction touched, before it
	// commits. Package desk sets it.
	Count func(tx *Tx) error
	// snapshots holds a place for each long read under way.
	snapshots chan struct{}
	DeadAfter time.Duration // see Config
	// PlaceAtOnce is up to how many ratings an import makes visible in one transaction.
	PlaceAtOnce int
	OnPlaced    func() // is called after each step that places ratings; nil but in tests
	ActStep     int    // on how many segments an act is done in one transaction
}

// Open opens the connections. The schema of the database may be of any age.
func Open(cfg Config) (*DB, error) {
	log := logger.Discard
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	} else {
		log = logger.NewSlogLogger(cfg.Logger, logger.Config{
			SlowThreshold: 500 * time.Millisecond, LogLevel: logger.Warn,
			IgnoreRecordNotFoundError: true, ParameterizedQueries: true, // never texts or answers in the log
		})
	}
	copied := cfg.Driver == SQLite && copiedInUse(context.Background(), cfg.DSN)
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
	d := &DB{Conn: db, Reader: db, Dialect: cfg.Driver, DSN: cfg.DSN, notice: cfg.Notice, Now: cfg.Now, Log: cfg.Logger, snapshots: make(chan struct{}, maxSnapshots), DeadAfter: cmp.Or(cfg.DeadAfter, deadAfter), ActStep: actStep, PlaceAtOnce: 500}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.notice == nil {
		d.notice = func(sentence string) { d.Log.Warn(sentence) }
	}
	if cfg.Driver == SQLite {
		// Prepared statements halve the time of a short query. In a transaction
		// GORM prepares each anew and keeps it until the end, so that a long one
		// would grow without bound. For PostgreSQL, pgx prepares by itself.
		d.Reader = db.Session(&gorm.Session{PrepareStmt: true})
		if d.Mark, err = holdMark(cfg.DSN, copied); err != nil {
			return nil, errors.Join(fmt.Errorf("open database: %w", redact(err, cfg.DSN)), pool.Close())
		}
		d.writer = startWriter(db)
	}
	return d, nil
}

// Use marks a SQLite database as in use; it has to come before writing to it. An
// incomplete copy is taken as it is, with a notice.
func (d *DB) Use(ctx context.Context) error {
	if d.Mark == nil {
		return nil
	}
	if d.Mark.Copied {
		words := d.CopiedWords(ctx)
		if err := d.Mark.Accept(words); err != nil {
			return err
		}
		d.notice(words)
	}
	if err := d.Mark.remember(ctx); err != nil {
		return err
	}
	return d.Mark.set(ctx, d.DSN, d.Now())
}

// CopiedWords says what is wrong with an incomplete copy.
func (d *DB) CopiedWords(ctx context.Context) string {
	since := d.Mark.signature(ctx)
	if since != "" {
		since = " (in use " + since + ")"
	}
	return fmt.Sprintf("%s was copied while a program was writing to it%s, without the file %s-wal beside it: what was saved last before the copy is missing. Copy a database with: annotate backup FILE",
		d.DSN, since, filepath.Base(d.DSN))
}

func dialector(cfg Config) (gorm.Dialector, error) {
	switch cfg.Driver {
	case SQLite:
		dsn, err := SQLiteDSN(cfg.DSN)
		if err != nil {
			return nil, err
		}
		if err := makePrivate(cfg.DSN); err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
		pool, err := connectSQLite(dsn, cfg.Logger)
		if err != nil {
			return nil, fmt.Errorf("open database: %w", redact(err, cfg.DSN))
		}
		return sqliteDialector(pool), nil
	case Postgres:
		return postgres.New(postgres.Config{DSN: cfg.DSN}), nil
	}
	return nil, fmt.Errorf("open database: unknown driver %q; use sqlite or postgres", cfg.Driver)
}

// sqliteDialector puts gorm on the pure-Go driver.
func sqliteDialector(pool gorm.ConnPool) gorm.Dialector {
	return sqlite.New(sqlite.Config{DriverName: "sqlite", Conn: pool})
}

// makePrivate makes a new database file that nobody but its owner may read. SQLite gives
// the files beside it the same mode. A file that exists keeps its mode.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
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
		if !IsBusy(err) || waited > BusyTimeout {
			return nil, errors.Join(err, pool.Close())
		}
		log.Debug("the database is locked by another program; trying again", "wait", wait)
		time.Sleep(wait)
	}
}

// BusyTimeout is how long a write to SQLite waits for another program's. Tests
// shorten it.
var BusyTimeout = 10 * time.Second

// SQLiteDSN puts every pragma into the connection string, since each pooled
// connection starts bare. FULL, because an acknowledged save must survive a
// power cut; immediate, so that a transaction takes the write lock before it
// reads and can't be refused half way.
func SQLiteDSN(path string) (string, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return "", errors.New("open database: dsn must be the path of a file")
	}
	if dir := filepath.Dir(path); dir != "." {
		if _, err := os.Stat(dir); err != nil {
			return "", fmt.Errorf("open database: the folder of %s must exist: %w", path, err)
		}
	}
	q := url.Values{
		"_pragma":      {fmt.Sprintf("busy_timeout(%d)", BusyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-16000)"},
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
func (d *DB) Close() error {
	if d.writer != nil {
		d.writer.stop()
	}
	pool, err := d.Conn.DB()
	if err != nil {
		return err
	}
	err = pool.Close()
	if d.Mark != nil {
		err = errors.Join(err, d.Mark.release())
	}
	return err
}

// deadAfter is the default of [Config.DeadAfter].
const deadAfter = 20 * time.Second
