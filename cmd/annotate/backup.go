package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/wording"
)

// onPostgres is the error of backup and restore on PostgreSQL.
var onPostgres = command.Usage(
	"the database is PostgreSQL: back it up with pg_dump --format=custom --file=FILE DSN, and restore it with pg_restore --clean --if-exists --single-transaction --dbname=DSN FILE",
)

// sqliteConfig returns the configuration of a SQLite database.
func (a *app) sqliteConfig() (command.Config, error) {
	c, err := a.Config()
	if err == nil && c.Database.Driver != database.SQLite {
		err = onPostgres
	}
	return c, err
}

func (a *app) backupCommand() *cobra.Command {
	var keep int
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database to a new file",
		Long: `Write one consistent state of the SQLite database to FILE, while the server runs
and annotators save. FILE contains everything that was saved before the command began.
FILE appears when it is complete, checked and on the disk, and only its owner may read
it. An existing file is never replaced. If the command is killed, it leaves a file
FILE.unfinished-…, which can be deleted.

If FILE is a folder, the backup gets a name with the time in it, such as
annotate-2026-11-20T090000Z.db. With --keep N the newest N backups with such names stay
in the folder, and older ones are deleted once the new one is complete.

Do not copy a database that is in use with cp or a file browser. The latest changes
are in another file, and such a copy lacks them.

On PostgreSQL use pg_dump and pg_restore.`,
		Example: "  annotate backup /backups/annotate-$(date +%F).db\n  annotate backup --keep 14 /backups",
		Args:    command.Takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("keep") && keep < 1 {
				return command.Usage("--keep: use a number of 1 or more")
			}
			return a.backup(cmd.Context(), args[0], keep)
		},
	}
	cmd.Flags().IntVar(&keep, "keep", 0, "`NUMBER` of backups that stay in the folder FILE (default all)")
	return cmd
}

func (a *app) backup(ctx context.Context, file string, keep int) error {
	if _, err := a.sqliteConfig(); err != nil {
		return err
	}
	folder := ""
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		folder, file = file, filepath.Join(file, time.Now().UTC().Format(backupName))
	} else if keep > 0 {
		return command.Usage("--keep: %s is not a folder; name the folder that holds the backups", file)
	}
	return a.unmigrated("back up", func(_ command.Config, st *store.Store) error {
		b, err := st.DB.Backup(ctx, file)
		if errors.Is(err, fs.ErrExist) {
			return command.Usage("%w; choose another name for the backup", err)
		}
		if err != nil {
			return err
		}
		if err := a.Printf("%s holds %s\n", file, holds(b)); err != nil || keep == 0 {
			return err
		}
		return a.deleteBackups(folder, keep)
	})
}

// backupName is the layout of the names of backups in a folder. In the order of the names, the newest is the last.
const backupName = "annotate-2006-01-02T150405Z.db"

// deleteBackups deletes the backups in a folder except the newest ones.
func (a *app) deleteBackups(folder string, keep int) error {
	files, err := os.ReadDir(folder) // sorted by name
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f fs.DirEntry) bool {
		_, err := time.Parse(backupName, f.Name())
		return err != nil || !f.Type().IsRegular()
	})
	for _, old := range files[:max(0, len(files)-keep)] {
		path := filepath.Join(folder, old.Name())
		if err := os.Remove(path); err != nil {
			return err
		}
		if err := a.Printf("deleted %s\n", path); err != nil {
			return err
		}
	}
	return nil
}

// holds describes the contents of a backup.
func holds(b database.Backup) string {
	return strings.Join([]string{
		wording.Counted(b.Campaigns, "campaign"), wording.Counted(b.Users, "account"), wording.Counted(b.Segments, "segment"),
		wording.Counted(b.Ratings, "rating"), wording.Counted(b.Drafts, "draft"),
	}, ", ") + fmt.Sprintf("; schema %d; %s; as of %s", b.Schema, database.Megabytes(b.Bytes), command.Minute(b.At))
}

func (a *app) restoreCommand() *cobra.Command {
	var opt store.RestoreOptions
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Replace the database by a backup",
		Long: `Check a file that annotate backup wrote, and replace the SQLite database by it. Stop
the server first.

The backup must be complete and undamaged, this version must know its schema, and its
rows must not contradict each other. An older schema is brought up to date, and wrong
sums are counted again. FILE itself is not changed. The database is replaced in one
last step; until then it does not change. If the command is killed, it leaves a file
DATABASE.unfinished-…, which the next restore deletes.

A database that contains accounts or campaigns is replaced only with --replace, and is
kept as DATABASE.before-restore-TIME. A database that is in use is never replaced.
After the restore, the sessions at the time of the backup are valid again. An account
that was disabled after the backup has to be disabled again.`,
		Example: "  annotate restore /backups/annotate-2026-11-20.db\n  annotate restore --replace /backups/annotate-2026-11-20.db",
		Args:    command.Takes("FILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.restore(cmd.Context(), args[0], opt) },
	}
	cmd.Flags().BoolVar(&opt.Replace, "replace", false, "replace a database that is not empty; the old one is kept under another name")
	cmd.Flags().BoolVar(&opt.AcceptProblems, "accept-problems", false, "restore a backup whose rows contradict each other")
	return cmd
}

func (a *app) restore(ctx context.Context, file string, opt store.RestoreOptions) error {
	c, err := a.sqliteConfig()
	if err != nil {
		return err
	}
	opt.Report = func(f store.Finding) {
		if len(f.Problems) > 0 {
			_ = printFinding(a.Stderr, f)
		}
	}
	done, err := store.Restore(ctx, a.Database(c), file, opt)
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		return command.Usage("%w; with --replace it is replaced and kept under another name", err)
	case errors.Is(err, store.ErrBackupProblems):
		return fmt.Errorf("%w (see above); with --accept-problems it is restored anyway", err)
	case err != nil:
		return err
	}
	fmt.Fprintf(a.Stdout, "%s holds %s\n", c.Database.DSN, holds(done.Backup))
	if done.Aside != "" {
		fmt.Fprintf(a.Stdout, "the previous database is kept in %s\n", done.Aside)
	}
	return nil
}
