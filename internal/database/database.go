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
	"sync"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite"
)

// actStep is the default of [DB.ActStep]. A larger number would make saves wait longer.
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
	// Created is called with the path of a new SQLite database. If nil, nothing is said.
	Created func(path string)
	// Notice is called with each sentence that the operator should read while the
	// database is opened. If it is nil, the sentences are logged as warnings.
	Notice func(sentence string)
	// Doing is called with what opening the database does, such as "copying the database", each time it begins
	// something that may take minutes. If it is nil, nothing is said.
	Doing func(what string)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// DeadAfter is the time without progress after which other processes treat an
	// import, or an act on many segments, as abandoned; 20 seconds if 0.
	DeadAfter time.Duration
	// SecretsKey is the key of the configuration that seals secrets; see package secrets. Empty: the database keeps one.
	SecretsKey []byte
}

// A DB is an open database: its connections, its clock, and its way of writing.
type DB struct {
	Conn    *gorm.DB
	Reader  *gorm.DB // for queries outside a transaction; see [DB.Read]
	Dialect string   // [SQLite] or [Postgres]
	Now     func() time.Time
	Log     *slog.Logger
	DSN     string
	notice  func(sentence string)
	Doing   func(what string) // see Config; never nil
	writer  *writer           // nil on PostgreSQL
	Mark    *UseMark          // nil on PostgreSQL
	NoCopy  bool              // MigrateUp makes no copy of the file
	// OnTouched is called before the commit of a transaction that touched segments or campaigns. An
	// error of it rolls the transaction back. It may be nil.
	OnTouched func(tx *Tx) error
	// turns has a channel for each key of [DB.WriteInTurn], which holds one element while its write runs.
	turns sync.Map
	// views holds, for each [DB.View] that may begin, the connection that it reads with, or nil if there is none yet. The channel is
	// nil on PostgreSQL.
	views chan *preparedConn
	// snapshots holds one element for each snapshot that is being read.
	snapshots chan struct{}
	DeadAfter time.Duration // see Config
	// SecretsKey is that of Config.
	SecretsKey []byte
	// PlaceAtOnce is the largest number of ratings that an import makes visible in one
	// transaction.
	PlaceAtOnce int
	// ImportStep is the largest number of segments that an import writes in one transaction.
	// Of smaller rows it writes more: twice as many ratings, five times as many references
	// and fifty times as many rows of metric scores.
	ImportStep int
	// OnPlaced is called after each transaction in which an import places ratings or metric scores. It is nil except in tests.
	OnPlaced func()
	// ActStep is the largest number of segments on which an act is done in one
	// transaction.
	ActStep int
}

// Open connects to a database. It does not look at the schema.
func Open(cfg Config) (*DB, error) {
	log := logger.Discard
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	} else {
		log = newSlowLog(cfg.Logger)
	}
	copied := cfg.Driver == SQLite && copiedInUse(context.Background(), cfg.DSN)
	dialector, err := dialector(cfg)
	if err != nil {
		return nil, err
	}
	db, err := gorm.Open(dialector, &gorm.Config{
		Logger: log, PrepareStmtMaxSize: 400, SkipDefaultTransaction: true, DisableAutomaticPing: true, TranslateError: true,
	})
	if err != nil {
		return nil, fmt.Errorf("open database: %w", redact(err, cfg.DSN))
	}
	pool, err := db.DB()
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	// Every page takes a connection for a moment, and up to maxSnapshots downloads take
	// one or two each for long. On PostgreSQL every write takes one, also while it waits for
	// locks. On SQLite each connection has a cache and prepared statements of its own, up to 7 MB, so there are
	// few, and idle ones are closed after some time.
	size := max(12, 2*runtime.NumCPU())
	if cfg.Driver == Postgres {
		size = 32 // of the 100 connections that a server allows by default
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := pool.Ping(); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", redact(err, cfg.DSN)), pool.Close())
	}
	d := &DB{
		Conn:        db,
		Reader:      db,
		Dialect:     cfg.Driver,
		DSN:         cfg.DSN,
		notice:      cfg.Notice,
		Doing:       cfg.Doing,
		Now:         cfg.Now,
		Log:         cfg.Logger,
		snapshots:   make(chan struct{}, maxSnapshots),
		DeadAfter:   cmp.Or(cfg.DeadAfter, deadAfter),
		SecretsKey:  cfg.SecretsKey,
		ActStep:     actStep,
		PlaceAtOnce: 500,
		ImportStep:  100,
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Doing == nil {
		d.Doing = func(string) {}
	}
	if d.notice == nil {
		d.notice = func(sentence string) { d.Log.Warn(sentence) }
	}
	if cfg.Driver == SQLite {
		// Prepared statements halve the time of a short query. Only queries outside a
		// transaction use them: in a transaction GORM would prepare each statement again
		// and keep it until the end, so that a long transaction would grow without bound.
		// On PostgreSQL, pgx prepares statements itself.
		d.Reader = db.Session(&gorm.Session{PrepareStmt: true})
		if d.Mark, err = holdMark(cfg.DSN, copied); err != nil {
			return nil, errors.Join(fmt.Errorf("open database: %w", redact(err, cfg.DSN)), pool.Close())
		}
		d.writer = startWriter(db)
		d.startViews(size)
	}
	return d, nil
}

// Use marks a SQLite database as in use ([UseMark]). It must be called before the first write.
// An incomplete copy is accepted with a notice.
func (d *DB) Use(ctx context.Context) error {
	if d.Mark == nil {
		return nil
	}
	if d.Mark.Copied {
		if err := d.Mark.Accept(); err != nil {
			return err
		}
		d.notice(d.CopiedWords())
	}
	return d.Mark.set(ctx, d.Conn, d.DSN)
}

// CopiedWords says what is wrong with an incomplete copy.
func (d *DB) CopiedWords() string {
	return fmt.Sprintf(
		"%s was copied while a program was writing to it, without the file %s-wal beside it: what was saved last before the copy is missing. Copy a database with: annotate backup FILE",
		d.DSN, filepath.Base(d.DSN),
	)
}

// dialector connects GORM to the driver. It makes the file of a new SQLite database.
func dialector(cfg Config) (gorm.Dialector, error) {
	switch cfg.Driver {
	case SQLite:
		dsn, err := SQLiteDSN(cfg.DSN)
		if err != nil {
			return nil, err
		}
		made, err := makePrivate(cfg.DSN)
		if err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
		if made && cfg.Created != nil {
			cfg.Created(cfg.DSN)
		}
		pool, err := connectSQLite(dsn, cfg.Logger)
		if err != nil {
			return nil, fmt.Errorf("open database: %w", redact(err, cfg.DSN))
		}
		return sqliteDialector(pool), nil
	case Postgres:
		return postgresDialector{postgres.Dialector{Config: &postgres.Config{DSN: cfg.DSN}}}, nil
	}
	return nil, fmt.Errorf("open database: unknown driver %q; use sqlite or postgres", cfg.Driver)
}

// sqliteDialector connects GORM to the pure-Go SQLite driver.
func sqliteDialector(pool gorm.ConnPool) gorm.Dialector {
	return liteDialector{sqlite.Dialector{DriverName: "sqlite", Conn: pool}}
}

// liteDialector and postgresDialector have GORM translate errors as the program needs them.
type (
	liteDialector     struct{ sqlite.Dialector }
	postgresDialector struct{ postgres.Dialector }
)

// Translate implements [gorm.ErrorTranslator]. The driver's own does not know this SQLite.
func (liteDialector) Translate(err error) error { return translate(err) }

// Translate implements [gorm.ErrorTranslator].
func (postgresDialector) Translate(err error) error { return translate(err) }

// makePrivate makes the file of a new database, which only its owner may read, and reports whether it
// did. SQLite gives the files beside it the same permissions. An existing file keeps its permissions.
func makePrivate(path string) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// connectSQLite opens a file and makes the first connection. If another program is making the
// same new file, SQLite refuses at once to switch it to WAL, whatever the busy_timeout is,
// because waiting could be a deadlock. connectSQLite then tries again, for up to [BusyTimeout].
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

// BusyTimeout is how long a write to SQLite waits for the write of another program. Tests
// shorten it.
var BusyTimeout = 10 * time.Second

// SQLiteDSN returns the connection string for a file. It contains all pragmas, because each
// new connection of the pool starts without them. Synchronous is FULL because an acknowledged
// save must survive a power cut. A transaction is immediate: it takes the write lock before it
// reads, so that it can't be refused halfway.
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
		"_pragma":      {fmt.Sprintf("busy_timeout(%d)", BusyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"},
		"_txlock":      {"immediate"},
		"_time_format": {"sqlite"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode(), nil
}

// redact removes the connection string, which may contain a password, from an error message.
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
	d.endViews()
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
