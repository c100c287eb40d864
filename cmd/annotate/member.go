package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/wording"
)

func (a *app) memberCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "member",
		Short: "Manage the members of a campaign",
		Long: `Manage the members of a campaign. A lead runs it, an annotator rates, a researcher
exports. A person has only one role, so that no annotator sees the ratings of others.`,
	}, a.memberAddCommand(), a.memberCopyCommand(), a.memberRemoveCommand(), a.memberListCommand())
}

func (a *app) memberAddCommand() *cobra.Command {
	var role string
	cmd := &cobra.Command{
		Use:   "add CAMPAIGN LOGIN",
		Short: "Give an account a role in a campaign",
		Long: `Give an existing account a role in a campaign, or change its role. An annotator who
gets the role adjudicator has both roles, until they get the role annotator again. The
person is not asked. The command ends sessions, sign-in links and a password that a
lead of another campaign may know, and says so.`,
		Example: `  annotate member add gold-zh-en mara
  annotate member add gold-zh-en jonas --role lead`,
		Args: command.Takes("CAMPAIGN", "LOGIN"),
		RunE: a.InCampaign(func(r command.Run) error {
			ended, err := r.Accounts.GiveRole(r.Ctx, r.Campaign.ID, r.Args[1], campaign.Role(role), "")
			if errors.Is(err, campaign.ErrNotFound) {
				return fmt.Errorf("%w; create the account first with: annotate user add %s", err, r.Args[1])
			}
			if err != nil {
				return err
			}
			a.sayEnded(ended)
			members, err := r.Accounts.Members(r.Ctx, r.Campaign.ID)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(members, func(m accounts.Membership) bool { return m.User.Login == r.Args[1] && !m.CanSignIn }) {
				fmt.Fprintf(a.Stderr, "annotate: %s has no way to sign in; make a sign-in link with: annotate user link %s\n", r.Args[1], r.Args[1])
			}
			return a.Printf("%s is now %s of %s\n", r.Args[1], role, r.Campaign.Slug)
		}),
	}
	cmd.Flags().StringVar(&role, "role", string(campaign.Annotator), "`ROLE`: lead, annotator, researcher or adjudicator")
	return cmd
}

// sayEnded says whose credentials ended.
func (a *app) sayEnded(ended []accounts.Ended) {
	for _, e := range ended {
		fmt.Fprintf(
			a.Stderr,
			"annotate: ended for %s: %s, because somebody who may not do all that %s may could have it; make a sign-in link with: annotate user link %s\n",
			e.Login, wording.List(e.Kinds), e.Login, e.Login,
		)
	}
}

func (a *app) memberRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove CAMPAIGN LOGIN",
		Short:   "Remove a member from a campaign",
		Long:    "Remove a member from a campaign. Their submitted ratings stay, and their open work goes to others.",
		Example: "  annotate member remove gold-zh-en mara",
		Args:    command.Takes("CAMPAIGN", "LOGIN"),
		RunE: a.InCampaign(func(r command.Run) error {
			err := r.Accounts.RemoveMember(r.Ctx, r.Campaign.ID, r.Args[1], "")
			if errors.Is(err, campaign.ErrNotFound) {
				return fmt.Errorf("%w; annotate member list %s shows the members", err, r.Campaign.Slug)
			}
			if err != nil {
				return err
			}
			return a.Printf("%s is no longer in %s\n", r.Args[1], r.Campaign.Slug)
		}),
	}
}

func (a *app) memberListCommand() *cobra.Command {
	return command.WithJSON(&cobra.Command{
		Use:     "list CAMPAIGN",
		Short:   "List the members of a campaign",
		Long:    "List the members of a campaign by login, including removed members.",
		Example: "  annotate member list gold-zh-en",
		Args:    command.Takes("CAMPAIGN"),
		RunE: a.InCampaign(func(r command.Run) error {
			members, err := r.Accounts.Members(r.Ctx, r.Campaign.ID)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, api.MembersOf(members))
			}
			return a.memberTable(members)
		}),
	})
}

func (a *app) memberTable(members []accounts.Membership) error {
	return a.Table(func(row func(...any)) {
		row("LOGIN", "NAME", "ROLE", "SINCE", "")
		for _, m := range members {
			note := ""
			switch {
			case m.Removed:
				note = "removed"
			case m.User.Disabled:
				note = "account disabled"
			case !m.CanSignIn:
				note = "has no way to sign in"
			}
			row(m.User.Login, m.User.Name, m.Role, command.Day(m.Since), note)
		}
	})
}
