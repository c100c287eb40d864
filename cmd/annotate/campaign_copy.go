package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/transfer"
	"annotate/internal/wording"
)

func (a *app) campaignCopyCommand() *cobra.Command {
	var copied accounts.CampaignCopy
	var all, planned bool
	cmd := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Create a campaign from another one",
		Long: `Create the campaign TO with the protocol, languages, settings, guide and instructions of
the campaign FROM. The command copies no segments and no ratings. --members also copies
all members in the roles that they have in FROM; --member copies a single member. --plan
also copies the pools, batches, shares and absences in the plan of FROM, without due dates and
past absences.`,
		Example: `  annotate campaign copy gold-zh-en gold-ja-en --source-lang ja --members
  annotate campaign copy gold-zh-en pilot --member mara --member jonas --plan`,
		Args: command.Takes("FROM", "TO"),
		RunE: a.InCampaign(func(r command.Run) error {
			copied.Slug, copied.Title = r.Args[1], cmp.Or(copied.Title, r.Args[1])
			copied.SourceLang, copied.TargetLang = cmp.Or(copied.SourceLang, r.Campaign.SourceLang), cmp.Or(copied.TargetLang, r.Campaign.TargetLang)
			if all {
				logins, err := presentMembers(r, r.Campaign)
				if err != nil {
					return err
				}
				copied.Members = logins
			}
			c, err := r.Accounts.CopyCampaign(r.Ctx, r.Campaign, copied, "")
			if err != nil {
				return err
			}
			if _, err := transfer.CopyTraining(r.Ctx, r.Store, r.Campaign, c, ""); err != nil {
				return fmt.Errorf("campaign %s was created, but its training set was not copied: %w", c.Slug, err)
			}
			with := []string{wording.Counted(len(copied.Members), "member")}
			if planned {
				copied, err := r.Plan.CopyPlan(r.Ctx, r.Campaign, c, "")
				if err != nil {
					return fmt.Errorf("campaign %s was created, but its plan was not copied: %w", c.Slug, err)
				}
				if copied {
					with = append(with, "the pools, batches, shares and absences of the plan")
				}
			}
			return a.Printf("created campaign %s (%s) from %s, with %s\n", c.Slug, about(c), r.Campaign.Slug, wording.List(with))
		}),
	}
	f := cmd.Flags()
	f.StringVar(&copied.Title, "title", "", "`TITLE` that people read (default the slug)")
	f.StringVar(&copied.SourceLang, "source-lang", "", "language of the sources, a `TAG` such as zh (default that of FROM)")
	f.StringVar(&copied.TargetLang, "target-lang", "", "language of the translations, a `TAG` such as en (default that of FROM)")
	f.BoolVar(&all, "members", false, "copy all members")
	f.BoolVar(&planned, "plan", false, "copy the plan without its documents")
	f.StringArrayVar(&copied.Members, "member", nil, "copy the member `LOGIN`; may be repeated")
	cmd.MarkFlagsMutuallyExclusive("members", "member")
	return cmd
}

// presentMembers returns the logins of the members of a campaign who were not removed.
func presentMembers(r command.Run, of campaign.Campaign) (logins []string, err error) {
	members, err := r.Accounts.Members(r.Ctx, of.ID)
	for _, m := range members {
		if !m.Removed {
			logins = append(logins, m.User.Login)
		}
	}
	return logins, err
}

func (a *app) memberCopyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "copy FROM TO [LOGIN…]",
		Short: "Copy members from another campaign",
		Long: `Add members of the campaign FROM to the campaign TO, in the roles that they have in FROM.
Without LOGIN, the command adds all members. Members of TO keep the roles that they have
there. If one of them can't have the role in TO, nobody is added.`,
		Example: `  annotate member copy gold-zh-en gold-ja-en
  annotate member copy gold-zh-en gold-ja-en mara jonas`,
		Args: command.Takes("FROM", "TO", "[LOGIN…]"),
		RunE: a.InCampaign(func(r command.Run) error {
			to, err := command.FindCampaign(r.Ctx, r.Store, r.Args[1])
			if err != nil {
				return err
			}
			logins := r.Args[2:]
			if len(logins) == 0 {
				if logins, err = presentMembers(r, r.Campaign); err != nil {
					return err
				}
			}
			copied, err := r.Accounts.CopyMembers(r.Ctx, to, r.Campaign, logins, "")
			if err != nil {
				return err
			}
			a.sayEnded(copied.Ended)
			if len(copied.Added) == 0 {
				return a.Printf("everybody is a member of %s already\n", to.Slug)
			}
			return a.Printf("added to %s: %s\n", to.Slug, strings.Join(copied.Added, ", "))
		}),
	}
}
