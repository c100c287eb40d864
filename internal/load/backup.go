package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// A pledge is what had been acknowledged of each page when a backup began.
type pledge map[string]work

// A backup is a file with what it must contain.
type backup struct {
	file   string
	saves  int64
	pledge pledge
}

// acknowledge notes what the server has acknowledged of the open page of an annotator.
func (f *fleet) acknowledge(a *annotator) {
	w := work{path: a.at.path, Submitted: a.at.Submitted}
	for _, c := range a.at.Cards {
		w.Cards = append(w.Cards, card{c.ID, c.Revision, maps.Clone(c.Scores)})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acknowledged[w.path] = w
}

// backUp makes backups while annotators work: on SQLite by annotate backup, on PostgreSQL by pg_dump, as docs/operating.md says.
func (f *fleet) backUp(ctx context.Context, pg *cluster, o options, dir string) (all []backup, err error) {
	for n := range o.backups {
		time.Sleep(o.length / time.Duration(o.backups+1))
		b := backup{file: filepath.Join(dir, fmt.Sprintf("backup-%d", n+1))}
		f.mu.Lock()
		b.pledge, b.saves = maps.Clone(f.acknowledged), f.saves.Load()
		f.mu.Unlock()
		begin, before := time.Now(), f.saves.Load()
		if pg != nil {
			err = pg.tool(ctx, "pg_dump", "--format=custom", "--file="+b.file, os.Getenv("ANNOTATE_DATABASE_DSN"))
		} else {
			_, err = f.servers[0].run(ctx, "backup", b.file)
		}
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(b.file)
		if err != nil {
			return nil, err
		}
		f.say(
			"backup %d took %.1f s and has %.1f MB; %d saves were acknowledged before it, %d during it", n+1, time.Since(begin).Seconds(),
			float64(info.Size())/1e6, b.saves, f.saves.Load()-before,
		)
		all = append(all, b)
	}
	time.Sleep(o.length / time.Duration(o.backups+1))
	return all, nil
}

// restore restores each backup elsewhere, has doctor look at it, and opens on a server what had been acknowledged before the backup began.
func (f *fleet) restore(ctx context.Context, pg *cluster, crew []*annotator, all []backup) error {
	for n, b := range all {
		dir := b.file + ".restored"
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		s := &site{binary: f.servers[0].binary, dir: dir, quiet: true}
		if err := s.configure(); err != nil {
			return err
		}
		if pg == nil {
			if _, err := s.run(ctx, "restore", b.file); err != nil {
				return err
			}
		} else if err := pg.restore(ctx, s, b.file, n); err != nil {
			return err
		}
		if _, err := s.run(ctx, "doctor"); err != nil {
			f.violated(fmt.Errorf("backup %d: %w", n+1, err))
		}
		if err := s.start(ctx); err != nil {
			return err
		}
		cards, submitted, err := f.compareBackup(s, crew, b)
		s.kill()
		if err != nil {
			return err
		}
		f.say(
			"backup %d is restored, and doctor finds nothing; it has %d cards and %d submissions that were acknowledged before it began", n+1, cards,
			submitted,
		)
	}
	return nil
}

// compareBackup opens the pages of a pledge on a server. What was saved after the backup began may be there, too.
func (f *fleet) compareBackup(s *site, crew []*annotator, b backup) (cards, submitted int, err error) {
	var mu sync.Mutex
	err = each(crew, func(a *annotator) error {
		a.forget()
		a.site = s
		defer a.forget()
		for path := range a.given {
			want, ok := b.pledge[path]
			if !ok {
				continue
			}
			got, err := a.open(path)
			if err != nil {
				return err
			}
			for _, lost := range want.lostSince(got) {
				f.violated(fmt.Errorf("in %s %w", filepath.Base(b.file), lost))
			}
			mu.Lock()
			cards += len(want.Cards)
			if want.Submitted {
				submitted++
			}
			mu.Unlock()
		}
		return nil
	})
	return cards, submitted, err
}

// lostSince is [work.lost] of a page that may have changed since.
func (w *work) lostSince(got *work) []error {
	same := *w
	same.Cards = nil
	for _, c := range w.Cards {
		for _, is := range got.Cards {
			if is.ID == c.ID && (is.Revision > c.Revision || got.Submitted && is.Revision == 0 && !w.Submitted) {
				c = is
			}
		}
		same.Cards = append(same.Cards, c)
	}
	return same.lost(got)
}

// tool runs a program of PostgreSQL.
func (c *cluster) tool(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(c.opts[0]), name), args...) // #nosec G204 -- beside the server that runs
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// restore restores a backup into a new database, which a site then uses.
func (c *cluster) restore(ctx context.Context, s *site, file string, n int) error {
	name := fmt.Sprintf("%s_restored_%d", c.name, n+1)
	conn, err := pgx.Connect(ctx, c.dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	c.more = append(c.more, name)
	dsn := strings.Replace(c.dsn, "dbname=postgres", "dbname="+name, 1)
	s.env = []string{"ANNOTATE_DATABASE_DSN=" + dsn}
	return c.tool(ctx, "pg_restore", "--clean", "--if-exists", "--single-transaction", "--dbname="+dsn, file)
}
