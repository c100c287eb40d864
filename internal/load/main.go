// Command load measures saves and submissions as annotators make them: over HTTP, each annotator with a session and a
// connection of their own, against a server that it starts.
//
//	go run ./internal/load                          # 200 annotators save, each after the answer to the save before
//	go run ./internal/load -rate 1000               # 1,000 saves a second are offered, whether they are answered or not
//	go run ./internal/load -submit                  # each submission with the page that follows
//	go run ./internal/load -submit -rate 20 -runs 5
//
// With a rate, the time of a request counts from the moment at which it was due, so that a slow answer
// makes those that wait behind it slow too. After the runs the server is killed and started again. Then
// everything that was acknowledged is read back, and the command fails if anything is missing.
//
// With -verify the command looks for saves that are lost or doubled while the server or the database fails; see verify.go:
//
//	go run ./internal/load -verify -kills 200                                        # SQLite, 200 times kill -9
//	go run ./internal/load -verify -disk DIR                                         # SQLite, full disk, read-only file
//	scripts/with-postgres go run ./internal/load -verify -servers 2 -for 2m          # two servers on one PostgreSQL
//	go run ./internal/load -verify -backups 3 -for 1m                                # backups during the work, restored
//
// The database is a new SQLite file, or the one that ANNOTATE_DATABASE_DRIVER and ANNOTATE_DATABASE_DSN name; the
// campaign that is made in it stays there. The processor time is that of the server alone, and is known on Linux only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// options are the flags of the command.
type options struct {
	binary     string
	annotators int
	segments   int
	cards      int
	submit     bool
	rate       float64
	runs       int
	length     time.Duration

	verify  bool
	servers int
	kills   int
	outage  time.Duration
	disk    string
	backups int
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o options
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.binary, "binary", "", "`FILE` of the program to measure (default: it is built)")
	flags.IntVar(&o.annotators, "annotators", 200, "annotators who work at the same time")
	flags.IntVar(&o.segments, "segments", 3000, "segments of the campaign")
	flags.IntVar(&o.cards, "cards", 10, "translations of each segment")
	flags.BoolVar(&o.submit, "submit", false, "measure submissions, each with the page that follows, instead of saves")
	flags.Float64Var(&o.rate, "rate", 0, "requests offered in a second by all annotators together (default: each annotator waits for the answer only)")
	flags.IntVar(&o.runs, "runs", 1, "runs, one after the other")
	flags.DurationVar(&o.length, "for", 10*time.Second, "length of a run")
	flags.BoolVar(&o.verify, "verify", false, "look for saves that are lost or doubled while servers and the database fail")
	flags.IntVar(&o.servers, "servers", 1, "with -verify: servers on the PostgreSQL cluster of ANNOTATE_TEST_POSTGRES; 1 uses SQLite")
	flags.IntVar(&o.kills, "kills", 0, "with -verify and one server: how often it is killed")
	flags.DurationVar(&o.outage, "outage", 30*time.Second, "with -verify: how long PostgreSQL is stopped, or the disk is full")
	flags.StringVar(
		&o.disk, "disk", "",
		"with -verify and one server: a `FOLDER` where a small file system is mounted, which the command fills and, as root, makes read-only",
	)
	flags.IntVar(&o.backups, "backups", 0, "with -verify: how many backups are made while annotators work, and nothing else fails; each is restored elsewhere")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "annotate-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.binary == "" {
		o.binary = filepath.Join(dir, "annotate")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "./cmd/annotate")
		build.Stderr = stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the program: %w", err)
		}
	}
	if o.verify {
		return verify(ctx, stdout, o, dir)
	}
	s, err := start(ctx, o.binary, dir)
	if err != nil {
		return err
	}
	defer func() { s.kill() }()
	crew, err := prepare(ctx, s, o)
	if err != nil {
		return err
	}
	if err := measure(ctx, stdout, s, crew, o); err != nil {
		return err
	}
	s.kill()
	if s, err = start(ctx, o.binary, dir); err != nil {
		return err
	}
	return readBack(ctx, stdout, s, crew)
}
