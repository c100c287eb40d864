package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/protocol"
)

func (a *app) protocolCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "protocol",
		Short: "Show the protocols that come with the program",
		Long: `Show the protocols that come with the program. A protocol of your own is a file: begin
with one of these, and give its path to campaign create --protocol.`,
	}, a.protocolListCommand(), a.protocolShowCommand())
}

func (a *app) protocolListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the protocols that come with the program",
		Long:    "List the protocols that come with the program, with what they ask annotators to do.",
		Example: "  annotate protocol list",
		Args:    command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			return a.Table(func(row func(...any)) {
				row("ID", "NAME", "ABOUT")
				for _, id := range protocol.IDs() {
					p, _ := protocol.Lookup(id)
					row(p.ID, p.Name, p.About)
				}
			})
		},
	}
}

func (a *app) protocolShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Print the file of a protocol, to be changed into another one",
		Long: `Print the file of a protocol that comes with the program. Its id begins with my_, since
a protocol of your own needs an id of its own.`,
		Example: `  annotate protocol show mqm > my_mqm.json
  annotate campaign create medical --protocol my_mqm.json`,
		Args: command.Takes("ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, ok := protocol.StartingPoint(args[0])
			if !ok {
				return campaign.Invalid("protocol", fmt.Sprintf("there is no protocol %q; use %s", args[0], strings.Join(protocol.IDs(), ", ")))
			}
			_, err := fmt.Fprint(a.Stdout, text)
			return err
		},
	}
}
