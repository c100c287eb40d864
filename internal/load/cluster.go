package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A cluster is the PostgreSQL cluster that scripts/with-postgres makes, on this machine.
type cluster struct {
	dsn      string // of the database postgres
	data     string // folder of the data
	name     string // of the database under test
	opts     []string
	more     []string  // databases that were made beside it
	restarts *exec.Cmd // the server that start started; nil: that of the script runs
}

// openCluster makes a database in the cluster of ANNOTATE_TEST_POSTGRES, and has the servers that are started use it.
func openCluster(ctx context.Context) (*cluster, error) {
	c := &cluster{dsn: os.Getenv("ANNOTATE_TEST_POSTGRES"), name: fmt.Sprintf("annotate_verify_%d", os.Getpid())}
	if c.dsn == "" {
		return nil, errors.New("several servers need PostgreSQL: run the command by scripts/with-postgres")
	}
	conn, err := pgx.Connect(ctx, c.dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.QueryRow(ctx, "SHOW data_directory").Scan(&c.data); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+c.name); err != nil {
		return nil, err
	}
	// The cluster of the script does not wait for its log, since the databases of tests need not survive. This one must.
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+c.name+" SET synchronous_commit = on"); err != nil {
		return nil, err
	}
	opts, err := os.ReadFile(filepath.Join(c.data, "postmaster.opts"))
	if err != nil {
		return nil, err
	}
	for _, word := range strings.Fields(string(opts)) {
		c.opts = append(c.opts, strings.Trim(word, `"`))
	}
	dsn := strings.Replace(c.dsn, "dbname=postgres", "dbname="+c.name, 1)
	return c, errors.Join(os.Setenv("ANNOTATE_DATABASE_DRIVER", "postgres"), os.Setenv("ANNOTATE_DATABASE_DSN", dsn))
}

// stop ends the PostgreSQL server at once, as a crash does.
func (c *cluster) stop() error {
	pid, err := c.pid()
	if err != nil {
		return err
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	if err := process.Signal(quit); err != nil {
		return err
	}
	if c.restarts != nil {
		_ = c.restarts.Wait() // a crash is what was asked for
		c.restarts = nil
	}
	for end := time.Now().Add(30 * time.Second); ; {
		if _, err := c.pid(); errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if time.Now().After(end) {
			return errors.New("PostgreSQL has not ended after 30 s")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// pid is the process of the running server.
func (c *cluster) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(c.data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

// start starts the PostgreSQL server as it was started before, and waits until it answers.
func (c *cluster) start(ctx context.Context) error {
	c.restarts = exec.CommandContext(context.WithoutCancel(ctx), c.opts[0], c.opts[1:]...) // #nosec G204 -- the command that PostgreSQL noted
	c.restarts.Dir = filepath.Dir(c.data)
	if err := asOwner(c.restarts, c.data); err != nil {
		return err
	}
	if err := c.restarts.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); ; {
		conn, err := pgx.Connect(ctx, c.dsn)
		if err == nil {
			return conn.Close(ctx)
		}
		if time.Now().After(end) {
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// close drops the databases, and stops the server if start started it.
func (c *cluster) close() error {
	conn, err := pgx.Connect(context.Background(), c.dsn)
	if err != nil {
		return err
	}
	for _, name := range append(c.more, c.name) {
		_, failure := conn.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		err = errors.Join(err, failure)
	}
	err = errors.Join(err, conn.Close(context.Background()))
	if c.restarts != nil {
		err = errors.Join(err, c.stop())
	}
	return err
}
