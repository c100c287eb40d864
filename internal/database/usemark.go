package database

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite"
)

// A SQLite database in use is two files: the main file, and beside it the
// write-ahead log FILE-wal, which holds what was committed last. A copy of the
// main file alone opens without an error and lacks those commits.
//
// The use mark makes such a copy recognisable. It is the user_version in the
// header of the main file: a random number while a program has the database
// open, 0 after the last program has closed it. A main file that carries a mark
// and has no log beside it was therefore copied while it was in use, or has lost
// its log.
//
//   - Opening sets the mark and brings it into the main file before anything else
//     is written.
//   - Closing takes the mark away if nobody else has the database open. SQLite
//     then checkpoints, which brings this into the main file, and only afterwards
//     deletes the log.
//   - Where others have it open, the log stays (SQLITE_FCNTL_PERSIST_WAL), whoever
//     closes last. A program that is killed leaves its log as well.

// A UseMark holds the mark of a database through a connection of its own, which
// is the last one to be closed. The connection also keeps the log in place while
// the pool has no connection.
type UseMark struct {
	pool *sql.DB
	conn *sql.Conn
	// copied says that the file is an incomplete copy. Closing then leaves the
	// mark alone, unless the copy was accepted.
	Copied   bool
	lacks    string // words on what an accepted copy lacks, to be remembered
	isOurs   bool   // this program set the mark
	isSigned bool   // and wrote down that it did
	closed   bool
}

// copiedInUse reports whether the main file carries a mark and has no log. It has
// to be asked before the database is opened, which makes a log.
func copiedInUse(ctx context.Context, path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	mark := markInFile(ctx, path)
	if mark == 0 {
		return false
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		return false
	}
	// Between the two looks the last user may have closed the database.
	return markInFile(ctx, path) == mark
}

// markInFile reads the mark of the main file without its log, 0 if it cannot be
// read. SQLite reads it, since closing a file that SQLite has open as well would
// drop the locks of this process on it.
func markInFile(ctx context.Context, path string) (mark int64) {
	pool, err := sql.Open("sqlite", ReadOnlyDSN(path))
	if err != nil {
		return 0
	}
	defer pool.Close()
	if err := pool.QueryRowContext(ctx, "PRAGMA user_version").Scan(&mark); err != nil {
		return 0
	}
	return mark
}

// ReadOnlyDSN opens the main file alone: neither its log nor locks are looked at.
func ReadOnlyDSN(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=ro&immutable=1"
}

// holdMark connects to a database and keeps its log in place. It sets no mark.
func holdMark(path string, copied bool) (*UseMark, error) {
	dsn, err := SQLiteDSN(path)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	m := &UseMark{pool: pool, Copied: copied}
	if m.conn, err = pool.Conn(ctx); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	// Reading takes the shared lock, which a connection in WAL mode keeps.
	var mark int64
	if err := m.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&mark); err != nil {
		return nil, errors.Join(err, m.conn.Close(), pool.Close())
	}
	if err := m.keepLog(!copied); err != nil {
		return nil, errors.Join(err, m.conn.Close(), pool.Close())
	}
	return m, nil
}

// keepLog says whether the log stays when this connection is the last to close.
func (m *UseMark) keepLog(keep bool) error {
	return m.conn.Raw(func(driver any) error {
		mode := 0
		if keep {
			mode = 1
		}
		_, err := driver.(sqlite.FileControl).FileControlPersistWAL("main", mode)
		return err
	})
}

// set puts the mark into the main file, with words on who uses it since when. A
// mark that is there already stays: it is of a program that has the database open
// as well, or of one that was killed. Then nothing is written, so that an import by
// another program does not hold this up.
func (m *UseMark) set(ctx context.Context, path string, now time.Time) error {
	var mark int64
	if err := m.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&mark); err != nil {
		return fmt.Errorf("mark the database as in use: %w", err)
	}
	if m.isOurs = m.isOurs || mark == 0; m.isOurs && !m.isSigned {
		err := m.transaction(ctx, func() error {
			if mark == 0 {
				if _, err := m.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", newMark())); err != nil {
					return err
				}
			}
			return m.sign(ctx, now)
		})
		if err != nil {
			return fmt.Errorf("mark the database as in use: %w", err)
		}
	} else if markInFile(ctx, path) != 0 {
		return nil
	}
	// Where a long read of another program holds this checkpoint up, a later one
	// brings the mark into the file.
	if _, err := m.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil && !IsBusy(err) {
		return fmt.Errorf("mark the database as in use: %w", err)
	}
	return nil
}

// newMark is a random number from 1 to 2^31-1.
func newMark() int64 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint32(b[:])>>1 | 1)
}

// sign writes down which program set the mark. A database that is just being made
// has no table for it.
func (m *UseMark) sign(ctx context.Context, now time.Time) error {
	if has, err := m.HasValues(ctx); err != nil || !has {
		return err
	}
	m.isSigned = true
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	// What is written to from now on is no backup any more.
	if _, err := m.conn.ExecContext(ctx, "DELETE FROM application_values WHERE name = ?", BackupValue); err != nil {
		return err
	}
	return m.keep(ctx, "in_use", fmt.Sprintf("since %s by process %d on %s", now.UTC().Format("2006-01-02 15:04:05 MST"), os.Getpid(), host))
}

// Accept takes an incomplete copy as it is. [UseMark.remember] writes down the words.
func (m *UseMark) Accept(words string) error {
	if err := m.keepLog(true); err != nil {
		return fmt.Errorf("mark the database as in use: %w", err)
	}
	m.Copied, m.lacks = false, words
	return nil
}

// remember has the database say that it was an incomplete copy, as soon as it has a
// table for that.
func (m *UseMark) remember(ctx context.Context) error {
	if m.lacks == "" {
		return nil
	}
	has, err := m.HasValues(ctx)
	if err == nil && has {
		err = m.keep(ctx, IncompleteCopy, m.lacks)
		m.lacks = ""
	}
	return err
}

// IncompleteCopy is the application value of a database that was opened as an
// incomplete copy: words that say so.
const IncompleteCopy = "incomplete_copy"

// HasValues reports whether the database has a table for the values of the mark.
func (m *UseMark) HasValues(ctx context.Context) (has bool, err error) {
	err = m.conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'application_values'").Scan(&has)
	return has, err
}

func (m *UseMark) keep(ctx context.Context, name, value string) error {
	_, err := m.conn.ExecContext(ctx, "INSERT INTO application_values (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

// signature is what sign wrote; empty if nothing.
func (m *UseMark) signature(ctx context.Context) (words string) {
	_ = m.conn.QueryRowContext(ctx, "SELECT value FROM application_values WHERE name = 'in_use'").Scan(&words) // it may not be there
	return words
}

func (m *UseMark) transaction(ctx context.Context, fn func() error) error {
	if _, err := m.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		if _, err = m.conn.ExecContext(ctx, "COMMIT"); err == nil {
			return nil
		}
	}
	_, rollback := m.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, rollback)
}

// release takes the mark away, if nobody else has the database open, and closes
// the connection. All other connections of the store must be closed by then.
func (m *UseMark) release() error {
	if m.closed {
		return nil
	}
	m.closed = true
	ctx := context.Background()
	if !m.Copied && m.lockAlone(ctx) == nil {
		err := m.transaction(ctx, func() error {
			_, err := m.conn.ExecContext(ctx, "PRAGMA user_version = 0")
			return err
		})
		if err == nil {
			err = m.keepLog(false)
		}
		return errors.Join(err, m.conn.Close(), m.pool.Close())
	}
	return errors.Join(m.conn.Close(), m.pool.Close())
}

// lockAlone locks the database against every other connection until this one is
// closed. It fails at once where there is another one, whatever it does.
func (m *UseMark) lockAlone(ctx context.Context) error {
	for _, pragma := range []string{"PRAGMA busy_timeout = 0", "PRAGMA locking_mode = EXCLUSIVE"} {
		if _, err := m.conn.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	// The lock is taken with the first write transaction.
	return m.transaction(ctx, func() error { return nil })
}
