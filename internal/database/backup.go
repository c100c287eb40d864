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

// A Backup describes a finished backup of a SQLite database. The backup file contains its
// own description, as the application value "backup". That value is written last, so a file
// without it is not a finished backup.
type Backup struct {
	At        time.Time `json:"at"`     // when the backup began; it contains everything that was saved before
	Schema    int64     `json:"schema"` // newest migration that was applied
	Bytes     int64     `json:"-"`      // size of the file
	Campaigns int       `json:"campaigns"`
	Sides     int       `json:"sides"` // training sets and checks; old backups count them as campaigns
	Users     int       `json:"users"`
	Segments  int       `json:"segments"`
	Ratings   int       `json:"ratings"` // submitted ratings
	Drafts    int       `json:"drafts"`  // drafts of ratings
}

// BackupValue is the name of the application value that a finished backup contains.
const BackupValue = "backup"

// ErrPostgres: backups of PostgreSQL are made by its own tools.
var ErrPostgres = errors.New("backups of PostgreSQL are made with pg_dump and restored with pg_restore")

// Backup writes one consistent state of a SQLite database to a new file. Saving goes on
// meanwhile. The file is written under a temporary name, checked and synced to the disk
// before it gets its name, so a file with that name is always complete. Only its owner may
// read it. An existing file is never replaced: the error is then fs.ErrExist. On PostgreSQL
// the error is [ErrPostgres].
func (d *DB) Backup(ctx context.Context, path string) (Backup, error) {
	if d.Dialect != SQLite {
		return Backup{}, ErrPostgres
	}
	m, err := d.Migrator()
	if err != nil {
		return Backup{}, err
	}
	if _, err := d.Pending(ctx, m); err != nil {
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
	defer os.Remove(temp) // after a success the file no longer has this name
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

// backupBeside makes a backup in the folder of the database. The name is that of the database
// with a suffix, and with a number if a file of that name exists.
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

// copyTo writes one consistent state of the database to an empty file. Writers do not wait for
// it.
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

// finishIn is [Backup.finish] for an open file.
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
	// The copy has the use mark of the original, but no program uses it.
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
	return db.Exec(
		"INSERT INTO application_values (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", BackupValue,
		string(text),
	).Error
}

// Count reads the schema and counts the rows of the backup. A table that the schema does not
// have yet counts 0.
func (b *Backup) Count(db *gorm.DB) error {
	for _, c := range []struct {
		to    any
		table string
		query string
	}{
		{&b.Schema, "goose_db_version", "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied"},
		{&b.Campaigns, "campaigns", "SELECT count(*) FROM campaigns"},
		{&b.Sides, "trainings", // which is newer than the column
			"SELECT count(*) FROM campaigns WHERE part_of <> ''"},
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
	b.Campaigns -= b.Sides
	return nil
}

// Matches reports whether a backup that was written as b holds what has been counted in it.
func (b Backup) Matches(counted Backup) bool {
	if b.Sides == 0 {
		b.Campaigns, b.Sides = b.Campaigns-counted.Sides, counted.Sides
	}
	return b == counted
}

// SyncFile flushes a file to the disk and returns its size in bytes.
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

// nameFile gives a finished file its name. The error is fs.ErrExist if a file has that name by
// now.
func nameFile(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("a backup replaces no file: %s: %w", path, fs.ErrExist)
	}
	if err != nil { // the file system has no hard links
		if err := os.Rename(temp, path); err != nil {
			return err
		}
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder flushes the file names in a folder to the disk.
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
