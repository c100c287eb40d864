package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/wording"
)

func (a *app) campaignCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "campaign",
		Short: "Create and change campaigns",
		Long: `Create, change, list, close, archive and delete campaigns. A campaign has a protocol, a language
pair, segments with the translations of its systems, and members.`,
	}, a.campaignCreateCommand(), a.campaignCopyCommand(), a.campaignSetCommand(), a.campaignListCommand(), a.campaignShowCommand(),
		a.campaignGuideCommand(), a.campaignFollowCommand(), a.campaignCloseCommand(), a.campaignArchiveCommand(),
		a.campaignUnarchiveCommand(), a.campaignDeleteCommand())
}

// settingsHelp lists every setting with its default.
func settingsHelp() string {
	p, _ := protocol.Lookup("sqm")
	defaults := campaign.DefaultSettings(p)
	var b strings.Builder
	for _, k := range campaign.SettingList {
		fmt.Fprintf(&b, "  %-15s %s", k.Key, k.Help)
		if v := k.Get(defaults); v != "" {
			fmt.Fprintf(&b, " [%s]", v)
		}
		b.WriteString("\n")
	}
	return "Settings, with their defaults under sqm:\n" + strings.TrimSuffix(b.String(), "\n")
}

// addSettings adds [settingsHelp] to the help of a command when somebody asks for it, since other commands need not wait
// until a protocol is read.
func addSettings(cmd *cobra.Command) *cobra.Command {
	show := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long += settingsHelp()
		show(cmd, args)
	})
	return cmd
}

func (a *app) campaignCreateCommand() *cobra.Command {
	var c campaign.Campaign
	var name string
	var set []string
	var check bool
	cmd := &cobra.Command{
		Use:   "create SLUG",
		Short: "Create a campaign",
		Long: `Create a campaign. SLUG is its name in addresses and on the command line. If no
languages are given, the first import sets them. The protocol is one of those of the
program, or a .json file that describes a protocol in the same form. --check finds
problems in the file and the settings, and prints what annotators would be asked.

`,
		Example: `  annotate campaign create gold-zh-en --title "Gold, Chinese to English" --source-lang zh --target-lang en
  annotate campaign create spans-en-de --protocol mqm --set source_error=severity
  annotate campaign create pilot --protocol our-rubric.json --set redundancy=3 --set timezone=Asia/Shanghai`,
		Args: command.Takes("SLUG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := chooseProtocol(name, &c)
			if err != nil {
				return err
			}
			c.Slug = args[0]
			if c, err = api.NewCampaign(c, p, set); err != nil {
				return err
			}
			if check {
				return a.checkNewCampaign(c, p)
			}
			return a.InStore(func(r command.Run) error {
				created, err := r.Accounts.CreateCampaign(r.Ctx, c, "")
				if err != nil {
					return err
				}
				return a.Printf("created campaign %s (%s)\n", created.Slug, about(created))
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Title, "title", "", "`TITLE` that people read (default the slug)")
	f.StringVar(&name, "protocol", "sqm", "`PROTOCOL`: "+strings.Join(protocol.IDs(), ", ")+" or a file ending in .json")
	f.StringVar(&c.SourceLang, "source-lang", "", "language of the sources, a `TAG` such as zh")
	f.StringVar(&c.TargetLang, "target-lang", "", "language of the translations, a `TAG` such as en")
	f.StringArrayVar(&set, "set", nil, "a setting, as `KEY=VALUE`; may be repeated")
	f.BoolVar(&check, "check", false, "list problems and what annotators would be asked, and create nothing")
	return addSettings(cmd)
}

// checkNewCampaign checks a campaign that is not created, and prints what its protocol asks for.
func (a *app) checkNewCampaign(c campaign.Campaign, p *protocol.Protocol) error {
	c.State = campaign.Open
	if err := records.CheckCampaign(c); err != nil {
		return err
	}
	if err := records.CheckLanguages(c.SourceLang, c.TargetLang); err != nil {
		return err
	}
	p = p.With(c.Settings.Options(protocol.Own{}))
	fmt.Fprintf(a.Stdout, "no problem found; nothing was stored; campaign %s would ask for:\n", c.Slug)
	return a.Table(func(row func(...any)) {
		row("  protocol", p.ID+" ("+p.Name+")")
		for _, s := range p.Scores {
			row("  score", fmt.Sprintf("%s, %d to %d", s.Label, s.Min, s.Max))
		}
		for _, q := range p.Asks() {
			row("  question", q.Label+" ("+q.Name+", "+string(q.Kind)+")")
		}
		if p.Spans != nil {
			row("  severities", strings.Join(namesOf(p.Spans.Severities, func(s protocol.Severity) string { return s.Name }), ", "))
			row("  categories", command.Dash(strings.Join(namesOf(p.Spans.Categories, func(c protocol.Category) string { return c.Name }), ", ")))
		}
		for _, d := range p.Derived {
			row("  computed", d.Label)
		}
		if p.Gate != "" {
			row("  gate", string(c.Settings.Gate)+", compares "+p.Gate)
		}
	})
}

// namesOf lists the names of things.
func namesOf[T any](all []T, name func(T) string) []string {
	out := make([]string, len(all))
	for i, x := range all {
		out[i] = name(x)
	}
	return out
}

// chooseProtocol sets the protocol of a new campaign. name is an id or a .json file.
func chooseProtocol(name string, c *campaign.Campaign) (*protocol.Protocol, error) {
	if !strings.HasSuffix(name, ".json") {
		p, ok := protocol.Lookup(name)
		if !ok {
			return nil, campaign.Invalid(
				"protocol", fmt.Sprintf("there is no protocol %q; use %s, or a file ending in .json", name, strings.Join(protocol.IDs(), ", ")),
			)
		}
		c.Protocol = p.ID
		return p, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	p, err := protocol.ReadOwn(bytes.NewReader(text))
	if err != nil { // one line for each problem
		return nil, campaign.Invalid("", name+": "+strings.ReplaceAll(err.Error(), "\n", "\n"+name+": "))
	}
	c.Protocol, c.Definition = p.ID, string(text)
	return p, nil
}

// about describes a campaign by its protocol and languages.
func about(c campaign.Campaign) string {
	return c.Protocol + ", " + cmp.Or(c.LanguagePair(), "languages not set")
}

func (a *app) campaignSetCommand() *cobra.Command {
	var title, source, target, state string
	var set []string
	var check bool
	var from int
	cmd := &cobra.Command{
		Use:   "set SLUG [KEY=VALUE…]",
		Short: "Change a campaign or its settings",
		Long: `Change a campaign or its settings. The languages can be changed only while there are
no segments. The protocol cannot be changed.

A change of threshold, tolerance, gate or rounds decides again every segment that no
lead or adjudicator has decided, and the command prints the result. If a segment now
passes, its second look is withdrawn, and the drafts of annotators are kept. --check
prints what the change would do, and changes nothing.

With --from-version the command changes nothing if another person has changed one of
the same settings since that version, and prints the differences. campaign show prints
the version.

`,
		Example: `  annotate campaign set gold-zh-en quota=60 redundancy=3
  annotate campaign set gold-zh-en --check threshold=0.6
  annotate campaign set gold-zh-en --from-version 3 threshold=0.6
  annotate campaign set gold-zh-en --title "Gold, second part" --state paused`,
		Args: command.Takes("SLUG", "[KEY=VALUE…]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			change := records.CampaignChange{Settings: slices.Concat(args[1:], set)}
			given := cmd.Flags().Changed
			for flag, field := range map[string]struct {
				value *string
				to    **string
			}{"title": {&title, &change.Title}, "source-lang": {&source, &change.SourceLang}, "target-lang": {&target, &change.TargetLang}} {
				if given(flag) {
					*field.to = field.value
				}
			}
			if given("state") {
				s := campaign.State(state)
				if !slices.Contains([]campaign.State{campaign.Open, campaign.Paused, campaign.Closed}, s) {
					return campaign.Invalid("state", "use open, paused or closed")
				}
				change.State = &s
			}
			more := change.Title != nil || change.SourceLang != nil || change.TargetLang != nil || change.State != nil
			switch {
			case !more && len(change.Settings) == 0:
				return command.Usage("there is nothing to change; write settings as key=value: %s", cmd.UseLine())
			case given("from-version") && from < 1:
				return command.Usage("--from-version takes a version as campaign show prints it, 1 or more")
			case given("from-version") && check:
				return command.Usage("--check changes nothing, so leave --from-version out")
			case check && more:
				return command.Usage("--check works only for settings: %s", cmd.UseLine())
			}
			change.FromVersion = from
			return a.InCampaign(func(r command.Run) error {
				if !check {
					return a.changeCampaign(r, change, "changed")
				}
				effect, err := r.Rounds.PreviewChange(r.Ctx, r.Campaign, change.Settings)
				if err != nil {
					return err
				}
				return a.Println(effect)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&title, "title", "", "`TITLE` that people read")
	f.StringVar(&source, "source-lang", "", "language of the sources, a `TAG` such as zh")
	f.StringVar(&target, "target-lang", "", "language of the translations, a `TAG` such as en")
	f.StringVar(&state, "state", "", "`STATE`: open, paused or closed")
	f.StringArrayVar(&set, "set", nil, "a setting, as `KEY=VALUE`; may be repeated")
	f.BoolVar(&check, "check", false, "print what the settings would do to the segments, and change nothing")
	f.IntVar(&from, "from-version", 0, "change nothing if others have changed the same settings since version `N`")
	return addSettings(cmd)
}

// changeCampaign applies a change to a campaign, says that this is done, and prints its effects.
func (a *app) changeCampaign(r command.Run, change records.CampaignChange, done string) error {
	effect, err := r.Rounds.ApplyChange(r.Ctx, r.Campaign.ID, "", change)
	if err != nil {
		return err
	}
	if err := a.Println(done, "campaign", r.Campaign.Slug); err != nil {
		return err
	}
	if effect.Rescored != "" {
		fmt.Fprintln(a.Stdout, effect.Rescored)
	}
	after, err := r.Records.Campaign(r.Ctx, r.Campaign.Slug)
	if err != nil {
		return err
	}
	if f := after.Settings.Filter; f != "" && f != r.Campaign.Settings.Filter {
		n, err := r.Desk.FilteredOut(r.Ctx, after)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "the filter %s leaves %s out\n", f, wording.Counted(n, "segment"))
	}
	if effect.Segments == 0 {
		return nil
	}
	return a.Println(effect)
}

func (a *app) campaignCloseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "close SLUG",
		Short: "Close a campaign",
		Long: `Close a campaign. After that no work is handed out, saved or imported. All data can
still be read and exported. campaign set SLUG --state open opens the campaign again.`,
		Example: "  annotate campaign close gold-zh-en",
		Args:    command.Takes("SLUG"),
		RunE: a.InCampaign(func(r command.Run) error {
			closed := campaign.Closed
			return a.changeCampaign(r, records.CampaignChange{State: &closed}, "closed")
		}),
	}
}

func (a *app) campaignArchiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "archive SLUG",
		Short: "Archive a campaign",
		Long: `Close and archive a campaign. Lists leave it out, and annotators no longer see it. All of
its data can be read and exported, but nothing can be changed until annotate campaign
unarchive brings it back.`,
		Example: "  annotate campaign archive gold-zh-en",
		Args:    command.Takes("SLUG"),
		RunE: a.InCampaign(func(r command.Run) error {
			if err := r.Rounds.Archive(r.Ctx, r.Campaign.ID, ""); err != nil {
				return err
			}
			return a.Println("archived campaign", r.Campaign.Slug)
		}),
	}
}

func (a *app) campaignUnarchiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "unarchive SLUG",
		Short:   "Bring an archived campaign back",
		Long:    "Bring an archived campaign back. It is still closed; annotate campaign set SLUG --state open opens it.",
		Example: "  annotate campaign unarchive gold-zh-en",
		Args:    command.Takes("SLUG"),
		RunE: a.InCampaign(func(r command.Run) error {
			if err := r.Rounds.BringBack(r.Ctx, r.Campaign.ID, ""); err != nil {
				return err
			}
			return a.Println("brought back campaign", r.Campaign.Slug)
		}),
	}
}

func (a *app) campaignDeleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete SLUG --yes",
		Short: "Delete a campaign",
		Long: `Delete a campaign with its segments, ratings, acts, reports and audit log. People keep
their accounts; only accounts that an import made, and that belong to no other campaign,
are deleted too. Nothing can bring the campaign back, so write its archive with annotate
report first. The log of the site keeps that it was deleted.

The campaign is hidden at once. Its rows are deleted in steps that let others save. If the
command is interrupted, the server or the next delete deletes the rest.`,
		Example: `  annotate report trial --out trial.zip
  annotate campaign delete trial --yes`,
		Args: command.Takes("SLUG"),
		RunE: a.InStore(func(r command.Run) error {
			camp, err := r.Records.Campaign(r.Ctx, r.Args[0])
			if err != nil {
				return err
			}
			standing, err := r.Desk.Standing(r.Ctx, camp)
			if err != nil {
				return err
			}
			holds := wording.Counted(standing.Segments.Total(), "segment") + " and " + wording.Counted(standing.Ratings, "rating")
			if !yes {
				return command.Usage("campaign %s has %s, and nothing can bring it back; add --yes to delete it", camp.Slug, holds)
			}
			if err := r.DeleteCampaign(r.Ctx, camp.ID); err != nil {
				return err
			}
			if err := r.CompleteDeletions(r.Ctx); err != nil {
				return fmt.Errorf("campaign %s is deleted, but not all of its rows yet; a server deletes the rest: %w", camp.Slug, err)
			}
			return a.Printf("deleted campaign %s with %s\n", camp.Slug, holds)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "delete it")
	return cmd
}

func (a *app) campaignListCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List campaigns",
		Long: `List campaigns by slug, with the number of segments and of settled segments. --all also
lists archived campaigns.`,
		Example: "  annotate campaign list --all",
		Args:    command.Takes(),
		RunE: a.InStore(func(r command.Run) error {
			campaigns, err := r.Records.Campaigns(r.Ctx)
			if err != nil {
				return err
			}
			list, err := api.ReadCampaigns(r.Ctx, r.Store, campaigns, all)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, list)
			}
			return a.Table(func(row func(...any)) {
				row("SLUG", "TITLE", "PROTOCOL", "LANGUAGES", "STATE", "SEGMENTS", "SETTLED", "RATINGS")
				for _, c := range list.Campaigns {
					pair := campaign.Campaign{SourceLang: c.SourceLang, TargetLang: c.TargetLang}.LanguagePair()
					row(c.Slug, c.Title, c.Protocol, command.Dash(pair), c.State, c.Segments, c.Settled, c.Ratings)
				}
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "list archived campaigns too")
	return command.WithJSON(cmd)
}

func (a *app) campaignShowCommand() *cobra.Command {
	return command.WithJSON(&cobra.Command{
		Use:     "show SLUG",
		Short:   "Show a campaign with settings, counts and members",
		Long:    "Show a campaign: its settings, the number of segments with each status, and its members.",
		Example: "  annotate campaign show gold-zh-en",
		Args:    command.Takes("SLUG"),
		RunE: a.InCampaign(func(r command.Run) error {
			progress, err := r.Desk.Standing(r.Ctx, r.Campaign)
			if err != nil {
				return err
			}
			members, err := r.Accounts.Members(r.Ctx, r.Campaign.ID)
			if err != nil {
				return err
			}
			if r.JSON() {
				return api.WriteJSON(a.Stdout, api.DetailsOf(r.Campaign, progress, members))
			}
			return a.showCampaign(r.Campaign, progress, members)
		}),
	})
}

// protocolName returns the id and the name of a campaign's protocol, and says if it is
// the campaign's own.
func protocolName(c campaign.Campaign) string {
	name := c.Protocol + " (" + c.Rules.Name
	if c.Definition != "" {
		name += ", the campaign's own"
	}
	return name + ")"
}

func (a *app) showCampaign(c campaign.Campaign, p readmodel.Standing, members []accounts.Membership) error {
	err := a.Table(func(row func(...any)) {
		row("slug", c.Slug)
		row("title", c.Title)
		row("protocol", protocolName(c))
		if len(c.Own.Severities) > 0 {
			row("own severities", strings.Join(c.Own.Severities, ", "))
		}
		if len(c.Own.Categories) > 0 {
			row("own categories", strings.Join(c.Own.Categories, ", "))
		}
		row("languages", command.Dash(c.LanguagePair()))
		row("state", api.ShownState(c))
		row("created", command.Minute(c.CreatedAt))
		row("settings version", c.SettingsVersion)
		row("systems", command.Dash(strings.Join(p.Systems, ", ")))
		row("ratings", p.Ratings)
		row("open problems", p.OpenProblems)
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout, "\nsettings")
	err = a.Table(func(row func(...any)) {
		for _, k := range campaign.SettingList {
			row("  "+k.Key, command.Dash(k.Get(c.Settings)))
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "\n%s, %d in gold\n", wording.Counted(p.Segments.Total(), "segment"), p.Segments.InGold())
	err = a.Table(func(row func(...any)) {
		for _, s := range campaign.Statuses {
			row("  "+string(s), p.Segments[s])
		}
	})
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return a.Println("\nno members")
	}
	fmt.Fprintln(a.Stdout)
	return a.memberTable(members)
}
