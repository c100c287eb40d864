package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"annotate/internal/database"
)

// RestoreOptions are the options of [Restore].
type RestoreOptions struct {
	// Replace allows replacing a database that has accounts or campaigns. The old database is
	// renamed and kept.
	Replace bool
	// AcceptProblems allows restoring a backup whose rows contradict each other. A damaged
	// file is never restored.
	AcceptProblems bool
	// Report is called with each finding of [Store.Doctor] on the backup.
	Report func(Finding)
}

// Restored says what [Restore] did.
type Restored struct {
	Backup database.Backup
	Aside  string // path under which the old database is kept; empty if there was none or it was empty
}

// The errors of [Restore]. An option allows what the first two refuse.
var (
	ErrNotEmpty       = errors.New("the database is not empty")
	ErrBackupProblems = errors.New("the rows of the backup contradict each other")
	errUnfinished     = errors.New("this is no finished backup: only a file that annotate backup wrote can be restored, and only as it was written")
	errDatabaseInUse  = errors.New("a program has the database open; stop the server first")
	ErrDamaged        = errors.New("the backup is damaged")
	ErrOtherCounts    = errors.New("the backup does not hold what it held when it was written")
)

// Restore replaces the database of a configuration by a backup. It only reads the file of the
// backup. It makes a copy in the folder of the database, checks the copy with [Store.Doctor],
// migrates it, counts wrong sums again, adds an entry to the site's log, and flushes it to the disk.
// Then it gives the copy the name of the database, in one step. A failure before this step leaves
// the database as it is.
func Restore(ctx context.Context, cfg database.Config, from string, opt RestoreOptions) (Restored, error) {
	if cfg.Driver != database.SQLite {
		return Restored{}, database.ErrPostgres
	}
	if opt.Report == nil {
		opt.Report = func(Finding) {}
	}
	if _, err := database.SQLiteDSN(cfg.DSN); err != nil {
		return Restored{}, err
	}
	b, err := readBackup(ctx, from)
	if err != nil {
		return Restored{}, fmt.Errorf("%s: %w", from, err)
	}
	if err := checkPlace(ctx, cfg.DSN, opt); err != nil {
		return Restored{}, err
	}
	dir, name := filepath.Dir(cfg.DSN), filepath.Base(cfg.DSN)
	if err := database.RemoveAbandoned(dir, name); err != nil {
		return Restored{}, fmt.Errorf("remove what a restore that was killed has left: %w", err)
	}
	temp, release, err := copyFile(from, dir, name)
	if err != nil {
		return Restored{}, fmt.Errorf("copy the backup: %w", err)
	}
	defer func() {
		release()
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.Remove(temp + suffix) // after a success no file has this name
		}
	}()
	if b.Campaigns, b.Sides, err = prepareBackup(ctx, cfg, temp, from, b, opt); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", from, err)
	}
	if _, err := database.SyncFile(temp); err != nil {
		return Restored{}, err
	}
	aside, err := putInPlace(ctx, temp, cfg, opt)
	return Restored{b, aside}, err
}

// readBackup reads the description that a finished backup contains.
func readBackup(ctx context.Context, path string) (b database.Backup, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return b, errors.Unwrap(err) // the caller adds the path
	}
	if info.IsDir() {
		return b, errors.New("this is a folder, and a backup is a file")
	}
	pool, err := sql.Open("sqlite", database.ReadOnlyDSN(path))
	if err != nil {
		return b, err
	}
	defer pool.Close()
	var text string
	var mark int64
	err = pool.QueryRowContext(ctx, "SELECT value, (SELECT user_version FROM pragma_user_version()) FROM application_values WHERE name = ?", database.BackupValue).
		Scan(&text, &mark)
	switch {
	case errors.Is(err, sql.ErrNoRows), err != nil && strings.Contains(err.Error(), "no such table"):
		return b, errUnfinished
	case err != nil:
		return b, fmt.Errorf("this is no SQLite database, or it is damaged: %w", err)
	case mark != 0:
		return b, errUnfinished
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		return b, errUnfinished
	}
	b.Bytes = info.Size()
	return b, nil
}

// copyFile copies a file to a new one with a temporary name in a folder, and holds that one until
// release is called.
func copyFile(from, dir, name string) (path string, release func(), err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	if info, err := in.Stat(); err == nil {
		if free, known := database.DiskFree(dir); known && free < info.Size()+info.Size()/10 {
			return "", nil, fmt.Errorf(
				"the disk of %s has %s left and the backup needs %s: make room first", dir, database.Megabytes(free), database.Megabytes(info.Size()),
			)
		}
	}
	if path, err = database.NewFile(dir, name); err != nil {
		return "", nil, err
	}
	release, held := database.HoldFile(path)
	if !held {
		release = func() {}
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		release()
		return "", nil, errors.Join(err, os.Remove(path))
	}
	return path, release, nil
}

// prepareBackup checks and migrates the copy of a backup, writes the restore to its site log, and
// leaves it as a single closed file. It returns how many campaigns and side campaigns the backup has.
func prepareBackup(ctx context.Context, cfg database.Config, path, from string, want database.Backup, opt RestoreOptions) (campaigns, sides int, err error) {
	s, err := OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: path, Logger: cfg.Logger, Notice: func(string) {}, Now: cfg.Now})
	if err != nil {
		return 0, 0, err
	}
	has, err := s.checkBackup(ctx, want, opt)
	if err == nil {
		err = s.noteRestore(ctx, from, want)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return 0, 0, err
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fmt.Errorf("the copy of the backup could not be closed: %s-wal is still there", path)
	}
	return has.Campaigns, has.Sides, nil
}

// checkBackup checks and migrates the copy of a backup, and returns what it counts in it. want is the
// description that it contains.
func (s *Store) checkBackup(ctx context.Context, want database.Backup, opt RestoreOptions) (has database.Backup, err error) {
	damaged, err := s.checkFile(ctx)
	if err != nil {
		return has, err
	}
	if len(damaged) > 0 {
		opt.Report(Finding{Check: "integrity of the database", Problems: damaged})
		return has, ErrDamaged
	}
	has = database.Backup{At: want.At, Bytes: want.Bytes}
	if err := has.Count(s.DB.Conn.WithContext(ctx)); err != nil {
		return has, err
	}
	if !want.Matches(has) {
		return has, ErrOtherCounts
	}
	s.DB.NoCopy = true // the backup itself stays as a copy
	if err := s.DB.MigrateUp(ctx); err != nil {
		return has, err
	}
	if err := s.DB.Use(ctx); err != nil { // the description of the backup is deleted with the first change
		return has, err
	}
	left := 0
	err = s.Doctor(ctx, true, func(f Finding) {
		if len(f.Problems) > 0 && !f.Repaired {
			left++
		}
		opt.Report(f)
	})
	if err != nil {
		return has, err
	}
	if left > 0 && !opt.AcceptProblems {
		return has, ErrBackupProblems
	}
	return has, nil
}

// noteRestore writes to the site's log which backup was restored.
func (s *Store) noteRestore(ctx context.Context, from string, b database.Backup) error {
	return s.DB.Write(ctx, func(tx *database.Tx) error {
		return s.Accounts.LogSite(tx, "restore backup", filepath.Base(from), "as of "+b.At.UTC().Format(time.RFC3339))
	})
}

// checkPlace returns an error if the database is in use, or if it is not empty and may not be
// replaced.
func checkPlace(ctx context.Context, path string, opt RestoreOptions) error {
	_, err := closeAlone(ctx, path, opt)
	return err
}

// closeAlone turns the database into a single file without a log, and reports whether it is worth
// keeping. The error says that a program has it open, or that it may not be replaced. The file may be
// missing or damaged.
func closeAlone(ctx context.Context, path string, opt RestoreOptions) (worth bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if info.Size() == 0 {
		return false, nil
	}
	has := database.Backup{}
	// Opening a damaged database would delete its log, which may contain the only good data.
	err = isDatabase(ctx, path)
	if err == nil {
		err = has.CloseAlone(ctx, path)
	}
	if database.IsBusy(err) {
		return false, fmt.Errorf("%s: %w", path, errDatabaseInUse)
	}
	damaged := err != nil
	if has.Campaigns+has.Users == 0 && !damaged {
		return false, nil
	}
	if !opt.Replace {
		what := fmt.Sprintf("it has campaigns (%d), accounts (%d), ratings (%d)", has.Campaigns, has.Users, has.Ratings)
		if damaged {
			what = fmt.Sprintf("it cannot be read (%v)", err)
		}
		return true, fmt.Errorf("%s: %w: %s", path, ErrNotEmpty, what)
	}
	return true, nil
}

// isDatabase returns an error if the main file cannot be read as a SQLite database.
func isDatabase(ctx context.Context, path string) error {
	pool, err := sql.Open("sqlite", database.ReadOnlyDSN(path))
	if err != nil {
		return err
	}
	var tables int
	err = pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
	return errors.Join(err, pool.Close())
}

// putInPlace gives a restored file the name, the owner and the permissions of the database. It keeps
// the old database under another name. At every moment a file has the name of the database.
func putInPlace(ctx context.Context, temp string, cfg database.Config, opt RestoreOptions) (aside string, err error) {
	keep, err := closeAlone(ctx, cfg.DSN, opt)
	if err != nil {
		return "", err
	}
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	name := fmt.Sprintf("%s.before-restore-%s", cfg.DSN, now().UTC().Format("20060102T150405"))
	// Only a damaged database, or one whose main file is missing, still has a log.
	if err := keepAside(cfg.DSN+"-wal", name+"-wal"); err != nil {
		return "", fmt.Errorf("keep the old database aside: %w", err)
	}
	if keep {
		if err := keepAside(cfg.DSN, name); err != nil {
			return "", fmt.Errorf("keep the old database aside: %w", err)
		}
		aside = name
	}
	if old, err := os.Stat(cfg.DSN); err == nil {
		if err := database.OwnAs(temp, old); err != nil {
			return "", err
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(cfg.DSN + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if err := os.Rename(temp, cfg.DSN); err != nil {
		return "", err
	}
	return aside, database.SyncFolder(filepath.Dir(cfg.DSN))
}

// keepAside gives a file a second name, or copies it if the file system has no links. It does nothing
// if the file is missing or empty.
func keepAside(path, aside string) error {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	err := os.Link(path, aside)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	temp, release, err := copyFile(path, filepath.Dir(aside), filepath.Base(aside))
	if err != nil {
		return err
	}
	defer release()
	if _, err := database.SyncFile(temp); err != nil {
		return err
	}
	return os.Rename(temp, aside)
}
