package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/intake"
	"annotate/internal/readmodel"
)

func (a *app) importListCommand() *cobra.Command {
	return command.WithJSON(&cobra.Command{
		Use:   "list CAMPAIGN",
		Short: "List the imports into a campaign",
		Long: `List the imports into a campaign, the latest first. The table has the number of each
import for annotate import undo, its time, the person who made it, its files, what it
brought, and when it was undone.`,
		Example: "  annotate import list gold-zh-en",
		Args:    command.Takes("CAMPAIGN"),
		RunE: a.InCampaign(func(r command.Run) error {
			imports, err := r.Intake.Imports(r.Ctx, r.Campaign.ID)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, api.ImportsOf(imports))
			}
			return a.Table(func(row func(...any)) {
				row("NUMBER", "WHEN", "BY", "WHAT", "FILES", "BROUGHT", "UNDONE")
				for _, i := range imports {
					undone := "-"
					if !i.Undone.IsZero() {
						undone = command.Minute(i.Undone)
					}
					row(i.Number, command.Minute(i.At), command.Dash(i.By), i.Kind, i.Files, i.Brought, undone)
				}
			})
		}),
	})
}

func (a *app) importUndoCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "undo CAMPAIGN [NUMBER]",
		Short: "Undo an import, the latest if no number is given",
		Long: `Undo an import while nobody has worked on the data that it brought. The undo deletes
what the import brought and restores what it replaced. The exports are then the same as
before the import. NUMBER is the number in annotate import list. Without it, the command
undoes the latest import that was not undone.

The command refuses if an annotator has begun or rated a segment that the import brought,
if a lead has acted on one, or if a later import is not undone. The error names an
example. An undo can't be undone. --check only says what the command would undo.`,
		Example: `  annotate import undo gold-zh-en --check
  annotate import undo gold-zh-en 3`,
		Args: command.Takes("CAMPAIGN", "[NUMBER]"),
		RunE: a.InCampaign(func(r command.Run) error {
			i, err := chosenImport(r)
			if err != nil {
				return err
			}
			about := fmt.Sprintf(
				"import %d into %s: %s of %s, by %s, %s: %s", i.Number, r.Campaign.Slug, i.Kind, i.Files, cmp.Or(i.By, "the command line"),
				command.Minute(i.At), i.Brought,
			)
			if check {
				if _, err := r.Intake.CheckUndo(r.Ctx, r.Campaign, i.ID); err != nil {
					return err
				}
				return a.Printf("would undo %s\n", about)
			}
			p := a.NewProgress()
			defer p.Clear()
			if err := r.Intake.UndoImport(r.Ctx, r.Campaign.ID, i.ID, intake.UndoOptions{Progress: func(done, all int) {
				p.Say("ratings of %d of %d segments are taken back", done, all)
			}}); err != nil {
				return err
			}
			p.Clear()
			return a.Printf("undid %s\n", about)
		}),
	}
	cmd.Flags().BoolVar(&check, "check", false, "say what would be undone, and change nothing")
	return cmd
}

// chosenImport returns the import whose number is the second argument. Without one, it returns the latest import that was not
// undone.
func chosenImport(r command.Run) (readmodel.Import, error) {
	number, slug := 0, r.Campaign.Slug
	if len(r.Args) > 1 {
		var err error
		if number, err = strconv.Atoi(r.Args[1]); err != nil || number < 1 {
			return readmodel.Import{}, command.Usage("%q is not the number of an import; annotate import list %s lists them", r.Args[1], slug)
		}
	}
	i, err := api.FindImport(r.Ctx, r.Intake, r.Campaign, number)
	switch {
	case errors.Is(err, campaign.ErrNotFound) && number == 0:
		return i, command.Usage("campaign %s has no import that can be undone", slug)
	case errors.Is(err, campaign.ErrNotFound):
		return i, command.Usage("campaign %s has no import %d; annotate import list %s lists them", slug, number, slug)
	}
	return i, err
}
