package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/database"
	"annotate/internal/jobs"
	"annotate/internal/outbox"
	"annotate/internal/post"
	"annotate/internal/provider"
	"annotate/internal/server"
	"annotate/internal/server/site"
	"annotate/internal/store"
)

func (a *app) serveCommand() *cobra.Command {
	var addr, metrics string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the web application",
		Long: `Serve the web application until the command is interrupted. Running requests then
have ten seconds to finish. With the option drain of the section [server], the server
first goes on for that time, while /readyz says that it is not ready.`,
		Example: `  annotate serve
  annotate serve --addr 0.0.0.0:80 --config /etc/annotate.ini`,
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), addr, metrics) },
	}
	cmd.Flags().StringVar(&addr, "addr", "", "`HOST:PORT` to listen on (default that of the configuration, 127.0.0.1:8080)")
	cmd.Flags().StringVar(&metrics, "metrics", "", "`HOST:PORT` at which Prometheus reads metrics (default that of the configuration, none)")
	return cmd
}

func (a *app) serve(ctx context.Context, addr, metrics string) (err error) {
	c, err := a.Config()
	if err != nil {
		return err
	}
	if addr = cmp.Or(addr, c.Server.Addr); command.CheckAddr(addr) != nil {
		return command.Usage("--addr: %w", command.CheckAddr(addr))
	}
	logger := a.Logger(c.Log)
	l, at, err := listen(addr)
	if err != nil {
		return err
	}
	var figures net.Listener
	if metrics = cmp.Or(metrics, c.Server.Metrics); metrics != "" {
		if figures, metrics, err = listen(metrics); err != nil {
			return errors.Join(fmt.Errorf("--metrics: %w", err), l.Close())
		}
		defer figures.Close()
	}
	front := server.NewFront(time.Now)
	ctx, stop := context.WithCancel(ctx)
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() {
		served <- serveUntil(serving, l, front, logger)
		stop()
		cancel()
	}()
	// finish waits for the requests that are being answered, before the database is closed.
	finish := sync.OnceFunc(func() {
		stop()
		cancel()
		err = errors.Join(err, <-served)
	})
	defer finish()
	st, err := store.Open(
		ctx, database.Config{Driver: c.Database.Driver, DSN: c.Database.DSN, SecretsKey: c.Server.SecretsKey, Logger: logger, Doing: front.Doing},
	)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := command.UseMail(ctx, c, st); err != nil {
		return err
	}
	app, end, err := newServer(ctx, c, st, logger, cmp.Or(c.Server.WorkDir, workDir(c.Database, addr)))
	if err != nil {
		return err
	}
	defer end()
	if c.Database.Driver == database.Postgres {
		leave, err := oneFolder(ctx, st, app.Folder)
		if err != nil {
			return err
		}
		defer leave()
	}
	front.Ready(app.Handler())
	say := func(words string) {
		if c.Log.Format == "json" {
			logger.Info(words)
			return
		}
		fmt.Fprintln(a.Stderr, words)
	}
	if figures != nil {
		pages := http.NewServeMux()
		pages.Handle("GET /metrics", app.Metrics())
		go func() { _ = serveUntil(serving, figures, pages, logger) }() // it ends with the process
		say("metrics on " + metrics + "/metrics")
	}
	if c.Log.Format == "json" {
		logger.Info("listening", "url", at+"/")
	} else {
		fmt.Fprintf(a.Stderr, "listening on %s/\n", at)
	}
	if users, err := st.Accounts.Users(ctx); err == nil && len(users) == 0 {
		in := ""
		if c.Database.Driver == database.SQLite {
			in = " in " + command.Whole(c.Database.DSN)
		}
		say("there are no accounts yet" + in + "; create the first one with: annotate user add LOGIN --role admin")
	}
	if words := aboutLinks(c.Server.BaseURL, addr); words != "" {
		say(words)
	}
	<-ctx.Done()
	front.Stopping()
	select {
	case <-time.After(c.Server.Drain):
	case <-serving.Done():
	}
	finish()
	return err
}

// aboutLinks says how the links on pages begin, if the configuration does not set it and other machines
// can reach the server.
func aboutLinks(baseURL, addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); baseURL != "" || err != nil || host == "localhost" || ip != nil && ip.IsLoopback() {
		return ""
	}
	return "base_url is not set: a sign-in link begins with the address in the browser of the person who makes it; set base_url in [server] if others need another address"
}

// workDir returns the folder for the files that a server prepares. It is beside the
// SQLite file, or in the system's temporary folder, unless the configuration names one. Each listening address has its own.
func workDir(c command.Database, addr string) string {
	name := "annotate-work-" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, addr)
	if c.Driver == database.SQLite {
		return c.DSN + "-" + name
	}
	return filepath.Join(os.TempDir(), name)
}

// oneFolder makes sure that all servers on a database have the same work folder, until the caller leaves.
func oneFolder(ctx context.Context, st *store.Store, folder *site.Folder) (leave func(), err error) {
	id, err := folder.ID()
	if err != nil {
		return nil, fmt.Errorf("the work folder: %w", err)
	}
	leave, err = st.Jobs.Together(ctx, "folder", id)
	if errors.Is(err, jobs.ErrOthers) {
		err = fmt.Errorf(
			"a server with another work folder than %s works on this database, and prepared files and uploads of one would be missing at the other; set work_dir in [server] of each to a folder that all share, or stop the other server",
			folder.Dir,
		)
	}
	return leave, err
}

// newServer builds the web application on a store and starts its housekeeping. The housekeeping ends
// when ctx is done or the caller calls end. end waits until work in the background has stored how far
// it has come.
func newServer(ctx context.Context, c command.Config, st *store.Store, logger *slog.Logger, workDir string) (s *server.Server, end func(), err error) {
	key := c.Server.SessionKey
	if len(key) == 0 {
		if key, err = st.Accounts.SessionKey(ctx); err != nil {
			return nil, nil, err
		}
	}
	var oidc site.OIDC
	if o := c.OIDC; o.Issuer != "" {
		oidc = site.OIDC{Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret.Reveal(), Name: o.Name, Create: o.Create}
	}
	mailer, err := mailServer(c.Mail)
	if err != nil {
		return nil, nil, err
	}
	s, err = server.New(server.Config{
		BaseURL: c.Server.BaseURL, TrustedProxies: c.Server.TrustedProxies, SessionKey: key, Logger: logger, WorkDir: workDir,
		WorkDirShared: c.Server.WorkDir != "", Judges: judgeConfig(c.Judge),
		SecondFactor: c.Server.SecondFactor, OIDC: oidc,
		Send: outbox.Senders{Webhooks: post.NewWebhooks(c.Webhooks.Allow, time.Now), Mail: mailer},
	}, st)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Housekeep(ctx)
	}()
	return s, func() {
		stop()
		select {
		case <-ended:
		case <-time.After(shutdownTimeout):
		}
	}, nil
}

// mailServer returns the mail server of the configuration, or nil if there is none.
func mailServer(m command.Mail) (outbox.Mailer, error) {
	if m.Host == "" {
		return nil, nil
	}
	password, err := m.ReadPassword()
	if err != nil {
		return nil, err
	}
	return &post.MailServer{Host: m.Host, Port: m.Port, TLS: m.TLS, User: m.User, Password: password, From: m.From, Now: time.Now}, nil
}

// judgeConfig returns the model's server of the configuration. Only the Provider function of the result
// knows the key.
func judgeConfig(c command.Judge) server.JudgeConfig {
	return server.JudgeConfig{
		BaseURL: provider.Server(c.BaseURL), HasKey: c.APIKey.Reveal() != "", Model: c.Model,
		Provider: func(concurrency int, retrying func(*provider.Error)) (provider.Provider, error) {
			return provider.NewOpenAI(provider.Options{BaseURL: c.BaseURL, Key: c.APIKey.Reveal(), Concurrency: concurrency, Retrying: retrying})
		},
	}
}

// listen listens on addr and returns the URL of the server, with the host of addr and
// the actual port.
func listen(addr string) (l net.Listener, at string, err error) {
	if err := command.CheckAddr(addr); err != nil {
		return nil, "", command.Usage("--addr: %w", err)
	}
	if l, err = net.Listen("tcp", addr); err != nil {
		return nil, "", fmt.Errorf("%w; choose another address with --addr, or port 0 for a free one", err)
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, "", err
	}
	return l, origin(net.JoinHostPort(host, port)), nil
}

// Timeouts of connections. Uploads and exports of whole campaigns may take long on slow
// lines, so only the header of a request has a short timeout.
const (
	headTimeout     = 10 * time.Second
	transferTimeout = 15 * time.Minute
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 10 * time.Second
)

// serveUntil serves requests until ctx is done, and then waits for running requests.
func serveUntil(ctx context.Context, l net.Listener, handler http.Handler, logger *slog.Logger) error {
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headTimeout,
		ReadTimeout:       transferTimeout,
		WriteTimeout:      transferTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		return fmt.Errorf("running requests were cut off: %w", errors.Join(err, s.Close()))
	}
	return nil
}
