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

func (a *app) doctorCommand() *cobra.Command {
	repair := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the database",
		Long: `Check the database. The file must be undamaged and must not be a copy that was made
while a program wrote to it. The schema must be up to date. The sums that pages show
must equal a recount to the last digit. Segments, assignments, ratings and decisions
must not contradict each other. The command prints a line for each check: OK, or what
is wrong. It can run while the server runs.

If a database file and its -wal file were copied one after the other while a program
wrote to them, the copies may lack saved data, and no check can detect that. Make
copies with annotate backup.

--repair counts wrong sums and places again; writes wait meanwhile. It also accepts an
incomplete copy, whose missing data stay lost. It repairs nothing else.`,
		Example: "  annotate doctor\n  annotate doctor --repair",
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Config()
			if err != nil {
				return err
			}
			if c.Database.Driver == database.SQLite {
				// store.OpenUnmigrated would create an empty database.
				if _, err := os.Stat(c.Database.DSN); err != nil {
					return fmt.Errorf("there is no database to check: %w", err)
				}
			}
			st, err := store.OpenUnmigrated(a.Database(c))
			if err != nil {
				return err
			}
			return errors.Join(a.doctor(cmd.Context(), st, repair), st.Close())
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "count wrong sums again, and accept an incomplete copy")
	return cmd
}

// doctor prints a line for each check, followed by its problems.
func (a *app) doctor(ctx context.Context, st *store.Store, repair bool) error {
	left := 0
	var written error
	say := func(format string, args ...any) {
		if _, err := fmt.Fprintf(a.Stdout, format, args...); err != nil && written == nil {
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
