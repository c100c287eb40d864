package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/database"
	"annotate/internal/sample"
	"annotate/internal/store"
)

func (a *app) demoCommand() *cobra.Command {
	var addr, dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Serve sample campaigns to try the application on",
		Long: `Serve sample campaigns of all protocols, and print sign-in links for an annotator, a
lead and a researcher. Each link works once. Two of the campaigns have segments in
every state. Two judges have rated the MQM campaign. Their replies are part of the
program and do not come from a model. Further judges can be run if the configuration names
a model's server in the section [judge]. Two chains of small campaigns lead from raw
sentences to rated systems, and from terms to their rendering.
The command needs no configuration and keeps no data, unless --dir names a folder. With
the same folder a later start continues with the same data and prints new links.`,
		Example: `  annotate demo
  annotate demo --addr 127.0.0.1:9000 --dir ~/annotate-demo`,
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), addr, dir) },
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on")
	cmd.Flags().StringVar(&dir, "dir", "", "`FOLDER` to keep the data in (default a temporary one)")
	return cmd
}

// demo uses only the log settings and the model's server of the configuration.
func (a *app) demo(ctx context.Context, addr, dir string) (err error) {
	c, err := a.Config()
	if err != nil {
		return err
	}
	if c.Log.Level == slog.LevelInfo { // at the default level, a line for each request would hide the links
		c.Log.Level = slog.LevelWarn
	}
	logger := a.Logger(c.Log)
	l, at, err := listen(addr)
	if err != nil {
		return err
	}
	defer l.Close()
	kept := dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "annotate-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		kept = "a temporary folder, removed at the end"
	}
	st, err := openDemo(ctx, dir, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	app, end, err := newServer(ctx, command.Config{Judge: c.Judge}, st, logger, filepath.Join(dir, "work"))
	if err != nil {
		return err
	}
	defer end()
	for _, role := range []struct{ name, login string }{
		{"annotator", sample.Annotator}, {"lead", sample.Lead}, {"researcher", sample.Researcher},
	} {
		u, err := st.Accounts.UserByLogin(ctx, role.login)
		if err != nil {
			return err
		}
		token, err := st.Accounts.NewLink(ctx, u.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%s: %s%s%s\n", role.name, at, linkPath, token)
	}
	fmt.Fprintf(a.Stderr, "listening on %s/, data in %s; press Ctrl-C to stop\n", at, kept)
	return serveUntil(ctx, l, app.Handler(), logger)
}

// openDemo opens the sample database in a folder. If there is none, it builds one under
// another name and renames it at the end, so that demo.db is always complete.
func openDemo(ctx context.Context, dir string, logger *slog.Logger) (*store.Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "demo.db")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := buildDemo(ctx, file+".new"); err != nil {
			return nil, fmt.Errorf("build the sample: %w", err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			return nil, err
		}
	}
	return store.Open(ctx, database.Config{Driver: database.SQLite, DSN: file, Logger: logger})
}

func buildDemo(ctx context.Context, file string) error {
	for _, rest := range []string{"", "-wal", "-shm"} { // files of an interrupted start
		if err := os.Remove(file + rest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	clock := sample.NewClock(time.Now())
	st, err := store.Open(ctx, database.Config{Driver: database.SQLite, DSN: file, Now: clock.Now})
	if err != nil {
		return err
	}
	if err := errors.Join(loadSample(ctx, st, clock), st.Close()); err != nil {
		return err
	}
	// Closing the database writes everything to the file. Only then may it be renamed.
	if wal, err := os.Stat(file + "-wal"); err == nil && wal.Size() > 0 {
		return fmt.Errorf("%s-wal was not emptied", file)
	}
	return nil
}

// loadSample fills an empty store with every sample campaign.
func loadSample(ctx context.Context, st *store.Store, clock *sample.Clock) error {
	if err := sample.Load(ctx, st, clock); err != nil {
		return err
	}
	if err := sample.LoadFlags(ctx, st, clock); err != nil {
		return err
	}
	return sample.LoadChains(ctx, st, clock)
}
