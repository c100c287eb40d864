package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/database"
	"annotate/internal/store"
)

func (a *app) migrateCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "migrate",
		Short: "Bring the database schema up to date",
		Long: `Bring the schema of the database up to date, or show its state.

On PostgreSQL only migrate up changes the schema: run it before a new version starts to
serve. On SQLite every command that opens the file brings it up to date, after it has
made a copy beside it. The program refuses a database of a newer version, and one that
is too old.`,
	},
		&cobra.Command{
			Use:     "up",
			Short:   "Apply the pending migrations",
			Long:    "Apply all pending migrations, each in its own transaction. A SQLite file is first\ncopied to FILE.before-migration-N.",
			Example: "  annotate migrate up --config /etc/annotate.ini",
			Args:    command.Takes(),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.unmigrated("", func(_ command.Config, st *store.Store) error { return a.migrateUp(cmd.Context(), st) })
			},
		},
		&cobra.Command{
			Use:     "status",
			Short:   "List applied and pending migrations",
			Long:    "List the migrations that this version knows, with the time each was applied.",
			Example: "  annotate migrate status",
			Args:    command.Takes(),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.unmigrated("", func(_ command.Config, st *store.Store) error { return a.migrateStatus(cmd.Context(), st) })
			},
		},
		&cobra.Command{
			Use:     "down",
			Short:   "Refuse to undo a migration, and say what to do",
			Long:    "Migrations are not undone, since that would delete the data in the tables and columns\nthat they added. This command says how to go back to an older version of the program.",
			Example: "  annotate migrate down",
			Args:    command.Takes(),
			RunE:    func(*cobra.Command, []string) error { return errNoWayDown },
		})
}

// unmigrated runs fn on the database without migrating it. If there is to be one, of which to says what for,
// a database that is missing is an error and is not created.
func (a *app) unmigrated(to string, fn func(c command.Config, st *store.Store) error) error {
	c, err := a.Config()
	if err != nil {
		return err
	}
	if to != "" && c.Database.Driver == database.SQLite {
		if _, err := os.Stat(c.Database.DSN); err != nil {
			return fmt.Errorf("there is no database to %s: %w", to, err)
		}
	}
	st, err := store.OpenUnmigrated(a.Database(c))
	if err != nil {
		return err
	}
	return errors.Join(fn(c, st), st.Close())
}

// applied lists the migrations that have been applied, oldest first.
func applied(ctx context.Context, st *store.Store) ([]database.Migration, error) {
	all, err := st.DB.Migrations(ctx)
	var out []database.Migration
	for _, m := range all {
		if !m.AppliedAt.IsZero() {
			out = append(out, m)
		}
	}
	return out, err
}

func (a *app) migrateUp(ctx context.Context, st *store.Store) error {
	before, err := applied(ctx, st)
	if err != nil {
		return err
	}
	if err := st.DB.MigrateUp(ctx); err != nil {
		return err
	}
	if err := st.Complete(ctx); err != nil {
		return err
	}
	after, err := applied(ctx, st)
	if err != nil {
		return err
	}
	if len(after) == len(before) {
		return a.Println("nothing to do, the schema is up to date")
	}
	for _, m := range after[len(before):] {
		fmt.Fprintln(a.Stdout, "applied", m.Name)
	}
	return nil
}

func (a *app) migrateStatus(ctx context.Context, st *store.Store) error {
	all, err := st.DB.Migrations(ctx)
	if err != nil {
		return err
	}
	return a.Table(func(row func(...any)) {
		row("MIGRATION", "APPLIED")
		for _, m := range all {
			at := "pending"
			if !m.AppliedAt.IsZero() {
				at = command.Minute(m.AppliedAt)
			}
			row(m.Name, at)
		}
	})
}

// errNoWayDown answers annotate migrate down.
var errNoWayDown = errors.New(
	"a migration cannot be undone: to go back to an older version of the program, restore a backup from before the upgrade with that version; on SQLite annotate.db.before-migration-N is one, which annotate restore reads",
)
