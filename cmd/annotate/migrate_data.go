package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/wording"
)

func (a *app) migrateDataCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "migrate-data --to DSN",
		Short: "Copy all data to a database of the other kind",
		Long: `Copy all data of the database from SQLite to PostgreSQL, or back. Stop the server first. The
database to copy to must be empty; its schema is made. At the end the command compares the number of rows
and a checksum of each table. If it is interrupted, run it again to go on. Until it is done, no other
command uses the new database. The old database stays as it is.`,
		Example: "  annotate migrate-data --to postgres://annotate@localhost/annotate\n  annotate migrate-data --config postgres.ini --to annotate.db",
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return command.Usage("name the database to copy to with --to, such as postgres://annotate@localhost/annotate or annotate.db")
			}
			c, err := a.Config()
			if err != nil {
				return err
			}
			if c.Database.Driver == database.SQLite {
				if _, err := os.Stat(c.Database.DSN); err != nil {
					return fmt.Errorf("there is no database to copy: %w", err)
				}
			}
			return a.WithStore(cmd.Context(), func(_ command.Config, st *store.Store) error { return a.migrateData(cmd.Context(), st, to) })
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "`DSN` of the database to copy to: a PostgreSQL connection string, or the path of a SQLite file")
	return cmd
}

// migrateData copies all data of an open database to the one with a DSN.
func (a *app) migrateData(ctx context.Context, from *store.Store, dsn string) error {
	c := command.Config{}
	c.Database.Driver, c.Database.DSN = database.SQLite, dsn
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") || strings.Contains(dsn, "dbname=") ||
		strings.Contains(dsn, "host=") {
		c.Database.Driver = database.Postgres
	}
	if c.Database.Driver == from.DB.Dialect {
		return command.Usage("both databases are %s; copy the data with annotate backup, or with pg_dump", c.Database.Driver)
	}
	to, err := store.OpenUnmigrated(a.Database(c))
	if err != nil {
		return err
	}
	p := a.NewProgress()
	moved, err := func() ([]database.Moved, error) {
		if err := to.DB.MigrateUp(ctx); err != nil {
			return nil, err
		}
		if err := to.DB.Use(ctx); err != nil {
			return nil, err
		}
		return from.DB.MoveTo(ctx, to.DB, func(table string, rows int) {
			p.Say("%s rows of the table %s are copied", wording.Count(rows), table)
		})
	}()
	p.Clear()
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	rows := 0
	for _, m := range moved {
		rows += m.Rows
	}
	return a.Println(fmt.Sprintf("copied %s in %s; all checksums agree", wording.Counted(rows, "row"), wording.Counted(len(moved), "table")))
}
