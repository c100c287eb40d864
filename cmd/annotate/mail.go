package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/command"
	"annotate/internal/database"
	"annotate/internal/outbox"
)

func (a *app) mailCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "mail",
		Short: "Try the mail server, and see what was mailed",
		Long: `Try the mail server of the section [mail], and see what was mailed. If there is a mail
server, people who have an e-mail address (annotate user set LOGIN --mail ADDRESS) get
links, reminders of due dates and answers.`,
	}, a.mailTestCommand(), a.mailLogCommand(), a.mailAgainCommand())
}

func (a *app) mailTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test ADDRESS",
		Short: "Send a mail at once",
		Long: `Send a mail to an address by the configured mail server at once, and print the reason
if the server refuses it. The command opens no database.`,
		Example: "  annotate mail test mara@example.org",
		Args:    command.Takes("ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := accounts.CheckMail("address", args[0]); err != nil {
				return err
			}
			c, err := a.Config()
			if err != nil {
				return err
			}
			server, err := mailServer(c.Mail)
			if err != nil {
				return err
			}
			if server == nil {
				return command.Usage("the configuration names no mail server; set host and from of [mail]")
			}
			_, err = server.Send(
				cmd.Context(),
				outbox.Mail{
					ID:      database.NewID(),
					To:      args[0],
					Subject: "Test mail of annotate",
					Text:    "This mail was sent by annotate mail test. The mail server is set up.",
				},
			)
			if err != nil {
				return err
			}
			return a.Printf("the mail server %s has taken a mail to %s\n", c.Mail.Host, args[0])
		},
	}
}

func (a *app) mailLogCommand() *cobra.Command {
	return command.WithJSON(&cobra.Command{
		Use:     "log",
		Short:   "List what was mailed",
		Long:    fmt.Sprintf("List the latest %d mails of the last 30 days, the latest first, without their texts.", maxLogged),
		Example: "  annotate mail log",
		Args:    command.Takes(),
		RunE: a.InStore(func(r command.Run) error {
			list, total, err := r.Outbox.Letters(r.Ctx, 0, maxLogged)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, api.MailsOf(list, total))
			}
			return a.deliveryTable("ABOUT", "TO", list)
		}),
	})
}

func (a *app) mailAgainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "again ID",
		Short:   "Send a mail again that was given up",
		Long:    "Have a server send a mail again that waits or was given up. annotate mail log shows its id.",
		Example: "  annotate mail again 0193…",
		Args:    command.Takes("ID"),
		RunE: a.InStore(func(r command.Run) error {
			if err := r.Outbox.MailAgain(r.Ctx, r.Args[0]); err != nil {
				return err
			}
			return a.Println("a server sends", r.Args[0], "again")
		}),
	}
}
