package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/outbox"
	"annotate/internal/readmodel"
)

func (a *app) webhookCommand() *cobra.Command {
	events := "Events:\n"
	for _, e := range outbox.Events {
		events += fmt.Sprintf("  %-18s %s\n", e.Name, e.Help)
	}
	return a.Group(&cobra.Command{
		Use:   "webhook",
		Short: "Manage the addresses that are told of events",
		Long: `Manage webhooks: addresses to which a server sends JSON when something happens in a
campaign. Without a campaign, a webhook is told of all campaigns. The server sends, and
this command only stores deliveries. docs/api.md describes them.

` + strings.TrimSuffix(events, "\n"),
	}, a.webhookAddCommand(), a.webhookListCommand(), a.webhookRemoveCommand(), a.webhookLogCommand(), a.webhookAgainCommand())
}

// onWebhooks makes a command run on the campaign that --campaign names, or on the site.
func (a *app) onWebhooks(slug *string, fn func(r command.Run) error) func(*cobra.Command, []string) error {
	return a.InStore(func(r command.Run) (err error) {
		if *slug != "" {
			if r.Campaign, err = command.FindCampaign(r.Ctx, r.Store, *slug); err != nil {
				return err
			}
		}
		return fn(r)
	})
}

func takesCampaign(cmd *cobra.Command, slug *string) *cobra.Command {
	cmd.Flags().StringVar(slug, "campaign", "", "`SLUG` of the campaign (default the webhooks that are told of all campaigns)")
	return cmd
}

func (a *app) webhookAddCommand() *cobra.Command {
	var slug string
	var events []string
	cmd := &cobra.Command{
		Use:   "add URL --event EVENT",
		Short: "Add a webhook",
		Long: `Add a webhook, and print the secret that signs its deliveries. The secret is not
shown again. The first event that is sent is ping.`,
		Example: "  annotate webhook add https://example.org/annotate --campaign gold-zh-en --event gold.changed --event campaign.complete",
		Args:    command.Takes("URL"),
		RunE: a.onWebhooks(&slug, func(r command.Run) error {
			_, secret, err := r.Outbox.AddWebhook(r.Ctx, r.Campaign.ID, r.Args[0], events, "")
			if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
				return command.Usage("%s: %s", invalid.Field, invalid.Msg)
			}
			if err != nil {
				return err
			}
			return a.Println(secret)
		}),
	}
	cmd.Flags().StringArrayVar(&events, "event", nil, "`EVENT` that it is told of; may be repeated")
	return takesCampaign(cmd, &slug)
}

func (a *app) webhookListCommand() *cobra.Command {
	var slug string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List webhooks",
		Long:    "List the webhooks of a campaign, or those that are told of all campaigns, the oldest first.",
		Example: "  annotate webhook list --campaign gold-zh-en",
		Args:    command.Takes(),
		RunE: a.onWebhooks(&slug, func(r command.Run) error {
			hooks, err := r.Outbox.Webhooks(r.Ctx, r.Campaign.ID)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, api.WebhooksOf(hooks))
			}
			return a.Table(func(row func(...any)) {
				row("ID", "ADDRESS", "EVENTS", "MADE", "WAITING", "FAILED")
				for _, w := range hooks {
					row(w.ID, w.URL, strings.Join(w.Events, ", "), command.Day(w.CreatedAt), w.Waiting, w.Failed)
				}
			})
		}),
	}
	return takesCampaign(command.WithJSON(cmd), &slug)
}

func (a *app) webhookRemoveCommand() *cobra.Command {
	var slug string
	return takesCampaign(&cobra.Command{
		Use:     "remove ID",
		Short:   "Remove a webhook",
		Long:    "Remove a webhook by the id that annotate webhook list shows. Deliveries that wait for it are not sent.",
		Example: "  annotate webhook remove 0193…",
		Args:    command.Takes("ID"),
		RunE: a.onWebhooks(&slug, func(r command.Run) error {
			if err := r.Outbox.RemoveWebhook(r.Ctx, r.Campaign.ID, r.Args[0], ""); err != nil {
				return err
			}
			return a.Println("removed the webhook", r.Args[0])
		}),
	}, &slug)
}

// maxLogged is the number of deliveries that the logs of webhooks and mails list.
const maxLogged = 100

// deliveryTable prints deliveries. event and to are the heads of the columns of events and receivers.
func (a *app) deliveryTable(event, to string, list []readmodel.Delivery) error {
	return a.Table(func(row func(...any)) {
		row("ID", event, "CAMPAIGN", to, "WHEN", "STATE", "ATTEMPTS", "PROBLEM")
		for _, d := range list {
			row(d.ID, d.Event, command.Dash(d.Campaign), d.To, command.Minute(d.CreatedAt), d.State, d.Attempts, command.Dash(d.Problem))
		}
	})
}

func (a *app) webhookLogCommand() *cobra.Command {
	var slug string
	cmd := &cobra.Command{
		Use:     "log",
		Short:   "List what was sent to webhooks",
		Long:    fmt.Sprintf("List the latest %d deliveries of the last 30 days, the latest first.", maxLogged),
		Example: "  annotate webhook log --campaign gold-zh-en",
		Args:    command.Takes(),
		RunE: a.onWebhooks(&slug, func(r command.Run) error {
			list, total, err := r.Outbox.Deliveries(r.Ctx, r.Campaign.ID, 0, maxLogged)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, api.DeliveriesOf(list, total))
			}
			return a.deliveryTable("EVENT", "ADDRESS", list)
		}),
	}
	return takesCampaign(command.WithJSON(cmd), &slug)
}

func (a *app) webhookAgainCommand() *cobra.Command {
	var slug string
	return takesCampaign(&cobra.Command{
		Use:     "again ID",
		Short:   "Send a delivery again",
		Long:    "Have a server send a delivery again. annotate webhook log shows its id.",
		Example: "  annotate webhook again 0193…",
		Args:    command.Takes("ID"),
		RunE: a.onWebhooks(&slug, func(r command.Run) error {
			if err := r.Outbox.SendAgain(r.Ctx, r.Campaign.ID, r.Args[0]); err != nil {
				return err
			}
			return a.Println("a server sends", r.Args[0], "again")
		}),
	}, &slug)
}
