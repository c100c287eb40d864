package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/config"
	"annotate/internal/database"
	"annotate/internal/store"
)

// An app holds the values that all commands share.
type app struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	configFile     string
	started        bool // the command line is valid and the command was started
}

// run executes a command line. args does not include the program's name.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) error {
	a := &app{environ: environ, stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.started {
		return &usageError{err}
	}
	return err
}

func (a *app) root() *cobra.Command {
	cobra.EnableCommandSorting = false // the help lists commands in the order below
	root := a.group(&cobra.Command{
		Use:   "annotate",
		Short: "Human evaluation of machine translation",
		Long: `annotate is a web application in which linguists score machine translations, a
lead watches their agreement, and a researcher exports the gold scores.

Try it out with: annotate demo`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRun:  func(*cobra.Command, []string) { a.started = true },
	},
		a.serveCommand(), a.demoCommand(), a.migrateCommand(), a.userCommand(), a.campaignCommand(),
		a.memberCommand(), a.planCommand(), a.importCommand(), a.exportCommand(), a.agreementCommand(), a.metaevalCommand(), a.reportCommand(), a.scoreCommand(), a.judgeCommand(),
		a.backupCommand(), a.restoreCommand(), a.doctorCommand(), a.versionCommand())
	root.PersistentFlags().StringVar(&a.configFile, "config", "", "configuration `FILE` (default annotate.ini where it exists)")
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see: %s --help", err, cmd.CommandPath())
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command", Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("there is no command %q; see: annotate --help", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			about.InheritedFlags() // also adds them to the help
			return about.Help()
		},
	})
	return root
}

// usageTemplate is cobra's template without the parts that this program does not use.
const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}

Flags:
{{.Flags.FlagUsages | trimTrailingWhitespaces}}
{{- if .HasAvailableSubCommands}}

More about a command: {{.CommandPath}} COMMAND --help{{end}}
`

// group makes a command that only has subcommands. Without the name of one it prints
// its help and returns a usageError.
func (a *app) group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			cmd.SetOut(a.stderr)
			if err := cmd.Help(); err != nil {
				return err
			}
			return usage("no command given")
		}
		hint := "see: " + cmd.CommandPath() + " --help"
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return usage("unknown command %q for %q; %s", args[0], cmd.CommandPath(), hint)
	}
	return cmd
}

// takes checks the number of arguments. Each name stands for one argument. If the last
// name ends in "…", it stands for one or more arguments, and in brackets for any number.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for i, name := range names {
			if i >= len(args) && !strings.HasPrefix(name, "[") {
				return usage("missing %s; usage: %s", strings.TrimSuffix(name, "…"), cmd.UseLine())
			}
		}
		endless := len(names) > 0 && strings.Contains(names[len(names)-1], "…")
		if len(args) > len(names) && !endless {
			return usage("unexpected argument %q; usage: %s", args[len(names)], cmd.UseLine())
		}
		return nil
	}
}

func (a *app) config() (config.Config, error) { return config.Load(a.configFile, a.environ) }

// logger writes to standard error as the configuration says.
func (a *app) logger(c config.Log) *slog.Logger {
	opt := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(a.stderr, opt))
	}
	return slog.New(slog.NewTextHandler(a.stderr, opt))
}

// database returns the configuration of the database. Notices about opening it go to
// standard error.
func (a *app) database(c config.Config) database.Config {
	return database.Config{Driver: c.Database.Driver, DSN: c.Database.DSN, Notice: func(sentence string) {
		fmt.Fprintln(a.stderr, "annotate: "+sentence)
	}}
}

// withStore runs fn on the configured database.
func (a *app) withStore(ctx context.Context, fn func(c config.Config, st *store.Store) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	st, err := store.Open(ctx, a.database(c))
	if err != nil {
		return err
	}
	return errors.Join(fn(c, st), st.Close())
}

// withCampaign runs fn on a campaign of the configured database.
func (a *app) withCampaign(ctx context.Context, slug string, fn func(c config.Config, st *store.Store, camp campaign.Campaign) error) error {
	return a.withStore(ctx, func(c config.Config, st *store.Store) error {
		camp, err := findCampaign(ctx, st, slug)
		if err != nil {
			return err
		}
		return fn(c, st, camp)
	})
}

// onStore is withStore for a command.
func (a *app) onStore(fn func(cmd *cobra.Command, args []string, c config.Config, st *store.Store) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.withStore(cmd.Context(), func(c config.Config, st *store.Store) error { return fn(cmd, args, c, st) })
	}
}

// onCampaign is withCampaign for a command whose first argument is the campaign.
func (a *app) onCampaign(fn func(cmd *cobra.Command, args []string, st *store.Store, camp campaign.Campaign) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.withCampaign(cmd.Context(), args[0], func(_ config.Config, st *store.Store, camp campaign.Campaign) error { return fn(cmd, args, st, camp) })
	}
}

// printf and println write to standard output.
func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}

func (a *app) println(args ...any) error {
	_, err := fmt.Fprintln(a.stdout, args...)
	return err
}

// findCampaign returns the campaign with the given slug. If an import into it is being
// completed, it waits for the end of the import.
func findCampaign(ctx context.Context, st *store.Store, slug string) (campaign.Campaign, error) {
	c, err := st.Campaign(ctx, slug)
	if errors.Is(err, campaign.ErrNotFound) {
		err = fmt.Errorf("%w; annotate campaign list shows all campaigns", err)
	}
	if err != nil {
		return c, err
	}
	if c.Side != "" {
		return c, campaign.Invalid("campaign", fmt.Sprintf("%q holds the %s of a campaign, for which there are pages and no commands; name the campaign", slug, c.Side))
	}
	return c, st.Settle(ctx, c.ID)
}

// table writes rows of columns to standard output.
func (a *app) table(rows func(row func(cells ...any))) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	rows(func(cells ...any) {
		for i, cell := range cells {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	})
	return w.Flush()
}

// day and minute format a time for a table. The zero time is "-".
func day(t time.Time) string    { return moment(t, time.DateOnly) }
func minute(t time.Time) string { return moment(t, "2006-01-02 15:04 MST") }

func moment(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(layout)
}

func dash(s string) string { return cmp.Or(s, "-") }
