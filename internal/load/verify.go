package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"annotate/internal/database"
	"annotate/internal/store"
)

// patience is how long an annotator repeats a request whose answer does not come.
const patience = 10 * time.Minute

// A fleet is the servers of one database, the annotators that work on them, and what the annotators have seen.
type fleet struct {
	stdout  io.Writer
	began   time.Time
	mu      sync.Mutex
	servers []*site
	places  map[string]*annotator // who was handed an assignment, by the path of its page

	violations   []error // guarded by mu
	acknowledged pledge  // guarded by mu

	saves, submissions atomic.Int64 // acknowledged
	unknown            atomic.Int64 // submissions that nobody answered in time
	repeated           atomic.Int64 // requests that were sent again
	longest            atomic.Int64 // time from the first attempt of a request to its answer, in nanoseconds
	closing            chan struct{}
}

// verify has annotators work while servers and the database fail, and returns an error if something that was acknowledged is
// not there, is there twice, or if a place was handed out twice.
//
// An annotator does what the page does: a request whose answer does not come is repeated, by another server if there is one,
// with the same id of the save. The answer to a save must be the revision that follows the last one that was acknowledged.
// After each failure the annotator reads the page again. It must have what was acknowledged.
func verify(ctx context.Context, stdout io.Writer, o options, dir string) (err error) {
	f := &fleet{stdout: stdout, began: time.Now(), places: map[string]*annotator{}, acknowledged: pledge{}, closing: make(chan struct{})}
	var pg *cluster
	data := dir
	switch {
	case o.servers > 1:
		if pg, err = openCluster(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, pg.close()) }()
		if err := os.Setenv("ANNOTATE_SERVER_WORK_DIR", filepath.Join(dir, "work")); err != nil {
			return err
		}
	case o.disk != "":
		data = filepath.Join(o.disk, "annotate-verify")
		if err := os.Mkdir(data, 0o700); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	}
	for range o.servers {
		s := &site{binary: o.binary, dir: data, quiet: true}
		if len(f.servers) == 0 && pg != nil {
			if err := s.configure(); err != nil {
				return err
			}
			if _, err := s.run(ctx, "migrate", "up"); err != nil {
				return err
			}
		}
		if err := s.start(ctx); err != nil {
			return err
		}
		defer s.kill()
		f.servers = append(f.servers, s)
	}
	crew, err := prepare(ctx, f.servers[0], o)
	if err != nil {
		return err
	}
	f.say("%d annotators work on %d server(s)", len(crew), len(f.servers))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var working sync.WaitGroup
	for i, a := range crew {
		working.Go(func() {
			if err := f.work(ctx, a, i); err != nil && !errors.Is(err, errNoWork) && ctx.Err() == nil {
				f.violated(err)
			}
		})
	}
	var backups []backup
	switch {
	case o.backups > 0:
		backups, err = f.backUp(ctx, pg, o, dir)
	case pg != nil:
		err = f.failCluster(ctx, pg, o)
	case o.disk != "":
		err = f.failDisk(ctx, o, data)
	default:
		err = f.failServer(ctx, o)
	}
	close(f.closing)
	working.Wait()
	if err != nil {
		return err
	}
	if err := f.restore(ctx, pg, crew, backups); err != nil {
		return err
	}
	return f.check(ctx, crew, o)
}

func (f *fleet) say(format string, args ...any) {
	fmt.Fprintf(f.stdout, "%6.1f s  %s\n", time.Since(f.began).Seconds(), fmt.Sprintf(format, args...))
}

func (f *fleet) violated(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.violations = append(f.violations, err)
	fmt.Fprintf(f.stdout, "VIOLATION: %v\n", err)
}

// closed reports whether the annotators should stop.
func (f *fleet) closed() bool {
	select {
	case <-f.closing:
		return true
	default:
		return false
	}
}

// work does what an annotator does until the fleet closes: saves every card of a page, now and then one of them again,
// submits the page and goes on with the next.
func (f *fleet) work(ctx context.Context, a *annotator, index int) error {
	r := rand.New(rand.NewPCG(uint64(index), 1)) // #nosec G404 -- the same work in each run
	a.forget()
	a.site = f.servers[index%len(f.servers)]
	if err := f.next(ctx, a); err != nil {
		return err
	}
	for !f.closed() && ctx.Err() == nil {
		for i := range a.at.Cards {
			for range 1 + r.IntN(2) {
				if err := f.save(ctx, a, i); err != nil || f.closed() {
					return err
				}
			}
		}
		if err := f.submit(ctx, a); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// passing reports whether a request may be answered when it is repeated.
func passing(err error) bool {
	if status, ok := errors.AsType[*statusError](err); ok {
		return status.code >= 500
	}
	return !errors.Is(err, errNoWork)
}

// until repeats a request, by one server after the other, until it is answered. Before each repetition it reads the page that
// is open and compares it with what was acknowledged.
func (f *fleet) until(ctx context.Context, a *annotator, request func() error) error {
	begin := time.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := request()
		if err == nil {
			f.longest.Store(max(f.longest.Load(), int64(time.Since(begin))))
			return nil
		}
		if !passing(err) || ctx.Err() != nil {
			return err
		}
		if time.Since(begin) > patience {
			return fmt.Errorf("no answer for %s: %w", patience, err)
		}
		f.repeated.Add(1)
		a.forget()
		f.mu.Lock()
		for i, s := range f.servers {
			if s == a.site {
				a.site = f.servers[(i+1)%len(f.servers)]
				break
			}
		}
		f.mu.Unlock()
		time.Sleep(wait)
	}
}

// save saves a card. The server must answer with the next revision, also if it had done the save before its answer was lost.
func (f *fleet) save(ctx context.Context, a *annotator, index int) error {
	card := &a.at.Cards[index]
	want, failed := card.Revision+1, f.repeated.Load()
	if err := f.until(ctx, a, func() error { return a.save(index) }); err != nil {
		return err
	}
	if card.Revision != want {
		f.violated(fmt.Errorf("a save of card %s of %s is answered with revision %d instead of %d", card.ID, a.at.path, card.Revision, want))
	}
	f.acknowledge(a)
	f.saves.Add(1)
	if f.repeated.Load() == failed {
		return nil
	}
	return f.compare(ctx, a)
}

// compare reads the open page, which must have what was acknowledged.
func (f *fleet) compare(ctx context.Context, a *annotator) error {
	return f.until(ctx, a, func() error {
		got, err := a.open(a.at.path)
		if err == nil {
			for _, lost := range a.at.lost(got) {
				f.violated(lost)
			}
		}
		return err
	})
}

// submit submits the page and opens the next one. If the answer is lost, the page itself says whether it was submitted.
func (f *fleet) submit(ctx context.Context, a *annotator) error {
	repeated, done := false, a.at
	err := f.until(ctx, a, func() error {
		if repeated && !done.Submitted {
			got, err := a.open(done.path)
			if err != nil {
				return err
			}
			done.Submitted = got.Submitted
		}
		repeated = true
		if done.Submitted {
			return a.begin()
		}
		return a.submit()
	})
	switch {
	case done.Submitted:
		f.mu.Lock()
		w := f.acknowledged[done.path]
		w.Submitted = true
		f.acknowledged[done.path] = w
		f.mu.Unlock()
		f.submissions.Add(1)
	case err != nil:
		f.unknown.Add(1)
	}
	if err != nil {
		return err
	}
	return f.handed(a)
}

// next asks for a page.
func (f *fleet) next(ctx context.Context, a *annotator) error {
	if err := f.until(ctx, a, a.begin); err != nil {
		return err
	}
	return f.handed(a)
}

// handed notes who was handed the open page. Nobody else may get it.
func (f *fleet) handed(a *annotator) error {
	f.mu.Lock()
	other := f.places[a.at.path]
	f.places[a.at.path] = a
	f.mu.Unlock()
	if other != nil && other != a {
		f.violated(fmt.Errorf("%s was handed to two annotators", a.at.path))
	}
	a.given[a.at.path] = a.at
	return nil
}

// failServer kills the server again and again, as a power cut would. Each time it waits for some saves first, so that every
// annotator gets an answer now and then.
func (f *fleet) failServer(ctx context.Context, o options) error {
	s := f.servers[0]
	for n := 1; n <= o.kills; n++ {
		goal, end := f.saves.Load()+int64(o.annotators), time.Now().Add(20*time.Second)
		for f.saves.Load() < goal && time.Now().Before(end) {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(rand.N(300 * time.Millisecond)) // #nosec G404 -- no secret
		s.kill()
		if err := s.start(ctx); err != nil {
			return err
		}
		if n%20 == 0 || n == o.kills {
			f.say("killed %d times; %d saves, %d submissions are acknowledged", n, f.saves.Load(), f.submissions.Load())
		}
	}
	time.Sleep(o.length)
	return nil
}

// failCluster kills one of the servers, starts it again, and then stops PostgreSQL for a while.
func (f *fleet) failCluster(ctx context.Context, pg *cluster, o options) error {
	time.Sleep(o.length / 4)
	last := f.servers[len(f.servers)-1]
	f.say("one server is killed; %d saves are acknowledged", f.saves.Load())
	last.kill()
	time.Sleep(o.length / 4)
	if err := last.start(ctx); err != nil {
		return err
	}
	f.say("it is started again; %d saves are acknowledged", f.saves.Load())
	time.Sleep(o.length / 4)
	f.say("PostgreSQL is stopped; %d saves are acknowledged", f.saves.Load())
	if err := pg.stop(); err != nil {
		return err
	}
	time.Sleep(o.outage)
	before := f.saves.Load()
	if err := pg.start(ctx); err != nil {
		return err
	}
	f.say("PostgreSQL answers again; %d saves are acknowledged", before)
	time.Sleep(o.length / 4)
	f.say("%d saves, %d submissions are acknowledged", f.saves.Load(), f.submissions.Load())
	return nil
}

// mostDisk is the largest file system that failDisk fills.
const mostDisk = 1 << 30

// failDisk fills the disk, frees it, and then makes the file system read-only while the server starts.
func (f *fleet) failDisk(ctx context.Context, o options, data string) error {
	if free, known := database.DiskFree(o.disk); !known || free > mostDisk {
		return fmt.Errorf(
			"%s has %s left; name a folder where a file system of at most %s is mounted", o.disk, database.Megabytes(free),
			database.Megabytes(mostDisk),
		)
	}
	time.Sleep(o.length / 3)
	ballast := filepath.Join(data, "ballast")
	if err := fill(ballast); err != nil {
		return err
	}
	f.say("the disk is full; %d saves are acknowledged", f.saves.Load())
	time.Sleep(o.outage)
	f.say("the disk is freed; %d saves are acknowledged", f.saves.Load())
	if err := os.Remove(ballast); err != nil {
		return err
	}
	time.Sleep(o.length / 3)
	s := f.servers[0]
	s.kill()
	f.say("the file system is made read-only; %d saves are acknowledged", f.saves.Load())
	if err := remount(ctx, o.disk, "ro"); err != nil {
		return err
	}
	config := s.config()
	refused, err := exec.CommandContext(ctx, s.binary, "doctor", "--config", config).CombinedOutput() // #nosec G204 -- the program under test
	if err == nil {
		f.violated(fmt.Errorf("on a read-only file, annotate doctor ends well: %s", refused))
	}
	f.say("annotate answers: %s", strings.TrimSpace(string(refused)))
	if err := remount(ctx, o.disk, "rw"); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	time.Sleep(o.length / 3)
	f.say("%d saves, %d submissions are acknowledged", f.saves.Load(), f.submissions.Load())
	return nil
}

// fill writes a file until the disk is full.
func fill(path string) error {
	file, err := os.Create(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for size := 1 << 20; size > 0; size /= 2 {
		for err == nil {
			_, err = file.Write(make([]byte, size))
		}
		err = nil
	}
	return nil
}

func remount(ctx context.Context, dir, how string) error {
	if out, err := exec.CommandContext(ctx, "mount", "-o", "remount,"+how, dir).CombinedOutput(); err != nil { // #nosec G204 -- the folder that the user names
		return fmt.Errorf("remount %s: %w: %s", dir, err, out)
	}
	return nil
}

// check kills every server, starts one, and compares everything that was acknowledged with what is there.
func (f *fleet) check(ctx context.Context, crew []*annotator, o options) error {
	for _, s := range f.servers {
		s.kill()
	}
	s := f.servers[0]
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := readBack(ctx, f.stdout, s, crew); err != nil {
		f.violated(err)
	}
	s.kill()
	if err := f.checkRows(ctx, s, o); err != nil {
		return err
	}
	doctor, err := s.run(ctx, "doctor")
	if err != nil {
		f.violated(err)
	}
	f.say("doctor: %s", strings.TrimSpace(doctor[strings.LastIndex(strings.TrimSpace(doctor), "\n")+1:]))
	f.say("%d saves and %d submissions were acknowledged, %d requests were repeated, the longest took %.1f s until its answer",
		f.saves.Load(), f.submissions.Load(), f.repeated.Load(), time.Duration(f.longest.Load()).Seconds())
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.violations) > 0 {
		return fmt.Errorf("%d violations; the first: %w", len(f.violations), f.violations[0])
	}
	f.say("nothing is lost, nothing is doubled, no place was handed out twice")
	return nil
}

// checkRows counts places and ratings in the database itself.
func (f *fleet) checkRows(ctx context.Context, s *site, o options) error {
	cfg := database.Config{Driver: database.SQLite, DSN: filepath.Join(s.dir, "load.db")}
	if dsn := os.Getenv("ANNOTATE_DATABASE_DSN"); dsn != "" {
		cfg = database.Config{Driver: database.Postgres, DSN: dsn}
	}
	st, err := store.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	var twice, doubled, submitted int64
	for query, into := range map[string]*int64{
		`SELECT count(*) FROM (SELECT segment_id FROM assignments WHERE state <> 'released' AND round = 1 GROUP BY segment_id HAVING count(*) > 2) AS x`: &twice,
		`SELECT count(*) FROM assignments WHERE state = 'submitted' AND ratings <> ` + fmt.Sprint(o.cards):                                               &doubled,
		`SELECT count(*) FROM assignments WHERE state = 'submitted'`:                                                                                     &submitted,
	} {
		if err := st.DB.Conn.WithContext(ctx).Raw(query).Scan(into).Error; err != nil {
			return err
		}
	}
	switch {
	case twice > 0:
		f.violated(fmt.Errorf("%d segments have more annotators than places", twice))
	case doubled > 0:
		f.violated(fmt.Errorf("%d submissions do not have %d ratings", doubled, o.cards))
	case submitted < f.submissions.Load() || submitted > f.submissions.Load()+f.unknown.Load():
		f.violated(fmt.Errorf("%d submissions are stored and %d were acknowledged", submitted, f.submissions.Load()))
	}
	return nil
}
