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

	"gorm.io/gorm"
	"modernc.org/sqlite"
)

// A SQLite database in use consists of two files: the main file, and beside it the
// write-ahead log FILE-wal, which contains the latest commits. A copy of the main file alone
// opens without an error, but lacks those commits.
//
// The use mark makes such a copy recognisable. It is the user_version in the header of the main
// file: a random number while a program has the database open, and 0 after the last program has
// closed it. A main file with a mark but without a log was therefore copied while it was in use,
// or its log was deleted.
//
//   - Opening sets the mark and writes it to the main file before anything else is written, but for the note that
//     the database is no longer a backup.
//   - Closing removes the mark if no other program has the database open. SQLite then
//     checkpoints, which writes this to the main file, and only afterwards deletes the log.
//   - If other programs have it open, closing keeps the log (SQLITE_FCNTL_PERSIST_WAL). A
//     program that is killed leaves its log too.

// A UseMark keeps the use mark of a database on a separate connection, which is closed after
// all others. The connection also keeps the log in place while the pool has no connection.
type UseMark struct {
	pool *sql.DB
	conn *sql.Conn
	// Copied says that the file is an incomplete copy. Closing then leaves the mark as it
	// is. Accepting the copy resets it.
	Copied bool
	closed bool
}

// copiedInUse reports whether the main file has a mark and no log. It must be called before the
// database is opened, because opening makes a log.
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
	// The last program may have closed the database between the two checks.
	return markInFile(ctx, path) == mark
}

// markInFile reads the mark of the main file without its log; 0 if it can't be read. It reads
// it through SQLite: closing a file descriptor of our own would drop the locks that SQLite in
// this process has on the file.
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

// ReadOnlyDSN returns the connection string that opens the main file alone, ignoring its log
// and locks.
func ReadOnlyDSN(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=ro&immutable=1"
}

// markDSN returns the connection string of the mark's connection. The other pragmas of [SQLiteDSN] would have it
// read the whole schema, which it has no use for.
func markDSN(path string) string {
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", BusyTimeout.Milliseconds())}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// holdMark connects to a database, which has a log, and keeps the log in place. It does not set the mark.
func holdMark(path string, copied bool) (*UseMark, error) {
	ctx := context.Background()
	pool, err := sql.Open("sqlite", markDSN(path))
	if err != nil {
		return nil, err
	}
	m := &UseMark{pool: pool, Copied: copied}
	if m.conn, err = pool.Conn(ctx); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	// Reading takes the shared lock, and a connection in WAL mode keeps it.
	var mark int64
	if err := m.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&mark); err != nil {
		return nil, errors.Join(err, m.conn.Close(), pool.Close())
	}
	if err := m.keepLog(!copied); err != nil {
		return nil, errors.Join(err, m.conn.Close(), pool.Close())
	}
	return m, nil
}

// keepLog chooses whether SQLite keeps the log if this connection is the last one to close.
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

// set writes the mark to the main file. If there is a mark already, of another program that has the
// database open or was killed, set writes nothing, so that it need not wait for an import by another
// program. What needs the schema is done on the connections of db.
func (m *UseMark) set(ctx context.Context, db *gorm.DB, path string) error {
	var mark int64
	if err := m.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&mark); err != nil {
		return fmt.Errorf("mark the database as in use: %w", err)
	}
	if mark == 0 {
		err := noBackup(db.WithContext(ctx))
		if err == nil {
			err = m.transaction(ctx, func() error {
				_, err := m.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", newMark()))
				return err
			})
		}
		if err != nil {
			return fmt.Errorf("mark the database as in use: %w", err)
		}
	} else if markInFile(ctx, path) != 0 {
		return nil
	}
	// If a long read of another program blocks this checkpoint, a later one writes the mark
	// to the file.
	if err := db.WithContext(ctx).Exec("PRAGMA wal_checkpoint(PASSIVE)").Error; err != nil && !IsBusy(err) {
		return fmt.Errorf("mark the database as in use: %w", err)
	}
	return nil
}

// noBackup notes that the database is no longer a backup, since it is written to. A copy of the main file that lacks
// the note is what the backup was.
func noBackup(db *gorm.DB) error {
	var has, backup bool
	err := Scan(db.Raw("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'application_values'"), &has)
	if err != nil || !has {
		return err
	}
	err = Scan(db.Raw("SELECT count(*) FROM application_values WHERE name = ?", BackupValue), &backup)
	if err != nil || !backup {
		return err
	}
	return db.Exec("DELETE FROM application_values WHERE name = ?", BackupValue).Error
}

// newMark returns a random odd number from 1 to 2^31-1.
func newMark() int64 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint32(b[:])>>1 | 1)
}

// Accept lets an incomplete copy be used as it is.
func (m *UseMark) Accept() error {
	if err := m.keepLog(true); err != nil {
		return fmt.Errorf("mark the database as in use: %w", err)
	}
	m.Copied = false
	return nil
}

// transaction runs fn in a transaction on the connection of the mark.
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

// release closes the connection. If no other program has the database open, it first removes
// the mark. All other connections of this program must be closed before.
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

// lockAlone locks the database against all other connections until this one is closed. It fails
// at once if there is another connection, even an idle one.
func (m *UseMark) lockAlone(ctx context.Context) error {
	for _, pragma := range []string{"PRAGMA busy_timeout = 0", "PRAGMA locking_mode = EXCLUSIVE"} {
		if _, err := m.conn.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	// The lock is taken with the first write transaction.
	return m.transaction(ctx, func() error { return nil })
}
