package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// A Backup says what a finished backup of a SQLite database holds. The backup
// carries it inside, as the application value "backup", which is written last: a
// file without it is no finished backup.
type Backup struct {
	At        time.Time `json:"at"`     // when the backup began; what was saved before is in it
	Schema    int64     `json:"schema"` // newest migration that was applied
	Bytes     int64     `json:"-"`      // size of the file
	Campaigns int       `json:"campaigns"`
	Users     int       `json:"users"`
	Segments  int       `json:"segments"`
	Ratings   int       `json:"ratings"` // submitted
	Drafts    int       `json:"drafts"`  // of ratings in work
}

// BackupValue is the application value that a finished backup carries.
const BackupValue = "backup"

// ErrPostgres: PostgreSQL has tools of its own for backups.
var ErrPostgres = errors.New("backups of PostgreSQL are made with pg_dump and restored with pg_restore")

// Backup writes a SQLite database to a new file, one consistent state of it, while
// others go on saving. The file is written under a temporary name, checked, synced
// to the disk and only then given its name, so that it is complete if it is there.
// Only its owner may read it. A file that exists already is never replaced: the
// error is fs.ErrExist.
func (d *DB) Backup(ctx context.Context, path string) (Backup, error) {
	if d.Dialect != SQLite {
		return Backup{}, ErrPostgres
	}
	m, err := d.Migrator()
	if err != nil {
		return Backup{}, err
	}
	if err := d.CheckKnown(ctx, m); err != nil {
		return Backup{}, err
	}
	if _, err := os.Lstat(path); err == nil {
		return Backup{}, fmt.Errorf("a backup replaces no file: %s: %w", path, fs.ErrExist)
	}
	dir := filepath.Dir(path)
	if err := d.checkRoom(ctx, dir); err != nil {
		return Backup{}, err
	}
	temp, err := NewFile(dir, filepath.Base(path))
	if err != nil {
		return Backup{}, err
	}
	defer os.Remove(temp) // gone already if all went well
	b := Backup{At: d.Now().UTC().Truncate(time.Second)}
	if err := d.copyTo(ctx, temp); err != nil {
		return Backup{}, fmt.Errorf("copy the database to %s: %w", temp, err)
	}
	if err := b.finish(ctx, temp); err != nil {
		return Backup{}, fmt.Errorf("check the copy of the database: %w", err)
	}
	if b.Bytes, err = SyncFile(temp); err != nil {
		return Backup{}, err
	}
	return b, nameFile(temp, path)
}

// backupBeside makes a backup beside the database, with a suffix to its name and a
// number where that is taken.
func (d *DB) backupBeside(ctx context.Context, suffix string) (path string, err error) {
	for n := 1; ; n++ {
		path = d.DSN + "." + suffix
		if n > 1 {
			path = fmt.Sprintf("%s.%d", path, n)
		}
		if _, err = d.Backup(ctx, path); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

// NewFile makes an empty file under a temporary name that only its owner may read.
func NewFile(dir, name string) (path string, err error) {
	f, err := os.CreateTemp(dir, name+".unfinished-*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// copyTo writes one state of the database to an empty file. Writers do not wait
// for it.
func (d *DB) copyTo(ctx context.Context, path string) error {
	pool, err := d.Conn.DB()
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}

// finish checks the copy in a file, counts what it holds and marks it as finished.
func (b *Backup) finish(ctx context.Context, path string) error {
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(1)
	return errors.Join(b.finishIn(ctx, pool), pool.Close())
}

func (b *Backup) finishIn(ctx context.Context, pool *sql.DB) error {
	db, err := gorm.Open(sqliteDialector(pool), &gorm.Config{SkipDefaultTransaction: true, Logger: logger.Discard})
	if err != nil {
		return err
	}
	db = db.WithContext(ctx)
	problems, err := CheckSQLite(db)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("it is damaged, and so is the database: %s; see: annotate doctor", problems[0])
	}
	if err := b.Count(db); err != nil {
		return err
	}
	// The copy has the use mark of its original.
	if err := db.Exec("PRAGMA user_version = 0").Error; err != nil {
		return err
	}
	if b.Schema == 0 {
		return nil
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return db.Exec("INSERT INTO application_values (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", BackupValue, string(text)).Error
}

// Count counts what the backup holds. A schema that is older than a table counts 0
// of it.
func (b *Backup) Count(db *gorm.DB) error {
	for _, c := range []struct {
		to    any
		table string
		query string
	}{
		{&b.Schema, "goose_db_version", "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied"},
		{&b.Campaigns, "campaigns", "SELECT count(*) FROM campaigns"},
		{&b.Users, "users", "SELECT count(*) FROM users"},
		{&b.Segments, "segments", "SELECT count(*) FROM segments"},
		{&b.Ratings, "ratings", "SELECT count(*) FROM ratings"},
		{&b.Drafts, "drafts", "SELECT count(*) FROM drafts"},
	} {
		var has bool
		if err := Scan(db.Raw("SELECT count(*) FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?", c.table), &has); err != nil {
			return err
		}
		if !has {
			continue
		}
		if err := Scan(db.Raw(c.query), c.to); err != nil {
			return err
		}
	}
	return nil
}

// SyncFile brings a file to the disk and returns its size.
func SyncFile(path string) (int64, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	return info.Size(), errors.Join(f.Sync(), f.Close())
}

// nameFile gives a finished file its name, unless there is a file of that name by now.
func nameFile(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("a backup replaces no file: %s: %w", path, fs.ErrExist)
	}
	if err != nil { // a file system without links
		if err := os.Rename(temp, path); err != nil {
			return err
		}
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder brings the names in a folder to the disk.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, fs.ErrInvalid) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // Windows cannot sync folders
	}
	return errors.Join(err, f.Close())
}
