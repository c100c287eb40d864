package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/store"
)

// An App holds the values that all commands share.
type App struct {
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	ConfigFile     string
	Started        bool // the command line is valid and the command was started
}

func (a *App) Config() (Config, error) { return load(a.ConfigFile, a.Environ) }

// Logger writes to standard error as the configuration says. Lines that are logged during a request have its id.
func (a *App) Logger(c Log) *slog.Logger {
	opt := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "json" {
		return slog.New(records.LogRequests(slog.NewJSONHandler(a.Stderr, opt)))
	}
	return slog.New(records.LogRequests(slog.NewTextHandler(a.Stderr, opt)))
}

// Database returns the configuration of the database. Notices about opening it go to
// standard error.
func (a *App) Database(c Config) database.Config {
	say := func(sentence string) { fmt.Fprintln(a.Stderr, "annotate: "+sentence) }
	return database.Config{Driver: c.Database.Driver, DSN: c.Database.DSN, SecretsKey: c.Server.SecretsKey, Notice: say, Created: func(path string) {
		say("there was no database yet; created " + Whole(path))
	}}
}

// Whole returns the absolute path of a file.
func Whole(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// WithStore runs fn on the configured database.
func (a *App) WithStore(ctx context.Context, fn func(c Config, st *store.Store) error) error {
	c, err := a.Config()
	if err != nil {
		return err
	}
	st, err := store.Open(ctx, a.Database(c))
	if err != nil {
		return err
	}
	if err := UseMail(ctx, c, st); err != nil {
		return errors.Join(err, st.Close())
	}
	return errors.Join(fn(c, st), st.Close())
}

// UseMail makes a store write mails if the configuration names a mail server.
func UseMail(ctx context.Context, c Config, st *store.Store) error {
	if c.Mail.Host == "" {
		return nil
	}
	return st.Outbox.SendMails(ctx, c.Server.BaseURL)
}

// A Run is a run of a command on the configured database.
type Run struct {
	*store.Store
	Ctx      context.Context
	Cmd      *cobra.Command
	Args     []string
	Config   Config
	Campaign campaign.Campaign // the campaign that the first argument names; set by InCampaign
}

// WithJSON adds the flag --json to a command.
func WithJSON(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().Bool("json", false, "print JSON")
	return cmd
}

// JSON reports whether the command line has --json.
func (r Run) JSON() bool {
	given, _ := r.Cmd.Flags().GetBool("json")
	return given
}

// InStore makes a command run on the configured database.
func (a *App) InStore(fn func(r Run) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.WithStore(cmd.Context(), func(c Config, st *store.Store) error {
			return fn(Run{Store: st, Ctx: cmd.Context(), Cmd: cmd, Args: args, Config: c})
		})
	}
}

// InCampaign is InStore for a command whose first argument is a campaign.
func (a *App) InCampaign(fn func(r Run) error) func(*cobra.Command, []string) error {
	return a.InStore(func(r Run) (err error) {
		if r.Campaign, err = FindCampaign(r.Ctx, r.Store, r.Args[0]); err != nil {
			return err
		}
		return fn(r)
	})
}

// Printf and Println write to standard output.
func (a *App) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.Stdout, format, args...)
	return err
}

func (a *App) Println(args ...any) error {
	_, err := fmt.Fprintln(a.Stdout, args...)
	return err
}

// FindCampaign returns the campaign with the given slug. If an import into it is being
// completed, it waits for the end of the import.
func FindCampaign(ctx context.Context, st *store.Store, slug string) (campaign.Campaign, error) {
	c, err := st.Records.Campaign(ctx, slug)
	if errors.Is(err, campaign.ErrNotFound) {
		err = fmt.Errorf("%w; annotate campaign list shows all campaigns", err)
	}
	if err != nil {
		return c, err
	}
	if c.Side != "" {
		return c, campaign.Invalid(
			"campaign", fmt.Sprintf("%q holds the %s of a campaign, for which there are pages and no commands; name the campaign", slug, c.Side),
		)
	}
	return c, st.Intake.Settle(ctx, c.ID)
}

// Group makes a command that only has subcommands. Without the name of one it prints
// its help and returns a UsageError.
func (a *App) Group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			cmd.SetOut(a.Stderr)
			if err := cmd.Help(); err != nil {
				return err
			}
			return Usage("no command given")
		}
		hint := "see: " + cmd.CommandPath() + " --help"
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return Usage("unknown command %q for %q; %s", args[0], cmd.CommandPath(), hint)
	}
	return cmd
}

// Takes checks the number of arguments. Each name stands for one argument. If the last
// name ends in "…", it stands for one or more arguments, or for any number if it is in
// brackets.
func Takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for i, name := range names {
			if i >= len(args) && !strings.HasPrefix(name, "[") {
				return Usage("missing %s; usage: %s", strings.TrimSuffix(name, "…"), cmd.UseLine())
			}
		}
		endless := len(names) > 0 && strings.Contains(names[len(names)-1], "…")
		if len(args) > len(names) && !endless {
			return Usage("unexpected argument %q; usage: %s", args[len(names)], cmd.UseLine())
		}
		return nil
	}
}
