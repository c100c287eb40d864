package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/wording"
)

// onPostgres is the error of backup and restore on PostgreSQL.
var onPostgres = command.Usage("the database is PostgreSQL: back it up with pg_dump --format=custom --file=FILE DSN, and restore it with pg_restore --clean --if-exists --single-transaction --dbname=DSN FILE")

// sqliteConfig returns the configuration of a SQLite database.
func (a *app) sqliteConfig() (command.Config, error) {
	c, err := a.Config()
	if err == nil && c.Database.Driver != database.SQLite {
		err = onPostgres
	}
	return c, err
}

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database to a new file",
		Long: `Write one consistent state of the SQLite database to FILE, while the server runs
and annotators save. FILE contains everything that was saved before the command began.
FILE appears when it is complete, checked and on the disk, and only its owner may read
it. An existing file is never replaced. If the command is killed, it leaves a file
FILE.unfinished-…, which can be deleted.

Do not copy a database that is in use with cp or a file browser. The latest changes
are in another file, and such a copy lacks them.

On PostgreSQL use pg_dump and pg_restore.`,
		Example: "  annotate backup /backups/annotate-$(date +%F).db",
		Args:    command.Takes("FILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.backup(cmd.Context(), args[0]) },
	}
}

func (a *app) backup(ctx context.Context, file string) error {
	if _, err := a.sqliteConfig(); err != nil {
		return err
	}
	return a.unmigrated("back up", func(_ command.Config, st *store.Store) error {
		b, err := st.DB.Backup(ctx, file)
		if errors.Is(err, fs.ErrExist) {
			return command.Usage("%w; choose another name for the backup", err)
		}
		if err != nil {
			return err
		}
		return a.Printf("%s holds %s\n", file, holds(b))
	})
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
