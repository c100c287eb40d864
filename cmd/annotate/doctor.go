package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"annotate/internal/database"
	"annotate/internal/store"
)

func (a *app) doctorCommand() *cobra.Command {
	repair := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the database",
		Long: `Check the database: that it is whole, that it is no copy of a SQLite file that was
made while a program was writing to it, that its schema is up to date, that the
sums that pages show equal a recount to the last digit, and that segments,
assignments, ratings and decisions do not contradict each other. There is a line
for each check, OK or what is wrong. It may run beside the server.

Copies of a database file and of its -wal file that were made one after the other
while a program was writing may lack what was saved without any check failing. Make
copies with annotate backup.

With --repair, sums and places that are wrong are counted again, and writes wait
meanwhile. An incomplete copy is accepted as it is: what it lacks stays lost.
Everything else that is wrong is left as it is.`,
		Example: "  annotate doctor\n  annotate doctor --repair",
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config()
			if err != nil {
				return err
			}
			if c.Database.Driver == database.SQLite {
				// Opening would make an empty one.
				if _, err := os.Stat(c.Database.DSN); err != nil {
					return fmt.Errorf("there is no database to check: %w", err)
				}
			}
			st, err := store.OpenUnmigrated(a.database(c))
			if err != nil {
				return err
			}
			return errors.Join(a.doctor(cmd.Context(), st, repair), st.Close())
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "count again what is counted wrong, and accept an incomplete copy")
	return cmd
}

// doctor prints a line for each check, and below it what is wrong.
func (a *app) doctor(ctx context.Context, st *store.Store, repair bool) error {
	left := 0
	var written error
	say := func(format string, args ...any) {
		if _, err := fmt.Fprintf(a.stdout, format, args...); err != nil && written == nil {
			written = err
		}
	}
	err := st.Doctor(ctx, repair, func(f store.Finding) {
		switch {
		case len(f.Problems) == 0:
			say("%s: OK\n", f.Check)
			return
		case f.Repaired:
			say("%s: REPAIRED\n", f.Check)
		default:
			left++
			say("%s: WRONG\n", f.Check)
		}
		for _, p := range f.Problems {
			say("  %s\n", p)
		}
	})
	switch {
	case err != nil:
		return err
	case written != nil:
		return written
	case left == 1:
		return errors.New("one check failed")
	case left > 1:
		return fmt.Errorf("%d checks failed", left)
	}
	return nil
}
