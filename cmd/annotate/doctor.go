package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"annotate/internal/command"
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
			return a.unmigrated("check", func(_ command.Config, st *store.Store) error { return a.doctor(cmd.Context(), st, repair) })
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "count wrong sums again, and accept an incomplete copy")
	return cmd
}

// printFinding prints a line for a check, followed by its problems.
func printFinding(w io.Writer, f store.Finding) (err error) {
	state := "WRONG"
	switch {
	case len(f.Problems) == 0:
		state = "OK"
	case f.Repaired:
		state = "REPAIRED"
	}
	_, err = fmt.Fprintf(w, "%s: %s\n", f.Check, state)
	for _, p := range f.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	return err
}

// doctor prints what it finds.
func (a *app) doctor(ctx context.Context, st *store.Store, repair bool) error {
	left := 0
	var written error
	err := st.Doctor(ctx, repair, func(f store.Finding) {
		if len(f.Problems) > 0 && !f.Repaired {
			left++
		}
		written = cmp.Or(written, printFinding(a.Stdout, f))
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
