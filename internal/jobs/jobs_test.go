package jobs_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"annotate/internal/database"
	"annotate/internal/jobs"
	"annotate/internal/parallel"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// A server of a test has a runner of its own.
type server struct {
	*store.Store
	runner  *parallel.Runner[string]
	waiting chan struct{} // closed when the server first says how far another one is
}

func newServer(t *testing.T, db *storetest.DB) server {
	cfg := db.Config
	cfg.Now = db.Clock.Now
	st := storetest.Must(store.Open(t.Context(), cfg))(t)
	r := parallel.NewRunner[string](1, db.Clock.Now, &parallel.Requests{})
	waiting := make(chan struct{})
	first := sync.OnceFunc(func() { close(waiting) })
	r.Claim = func(ctx context.Context, key string, progress func() (string, float64), say parallel.Say) (context.Context, func(), error) {
		return st.Jobs.Claims("report")(ctx, key, progress, func(words string, share float64) {
			say(words, share)
			first()
		})
	}
	t.Cleanup(func() {
		r.Stop()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return server{st, r, waiting}
}

// TestOneServerDoesAJob: a second server that is asked for a job waits for the first one, and then knows that it has waited.
func TestOneServerDoesAJob(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		a, b := newServer(t, db), newServer(t, db)
		begun, end := make(chan struct{}), make(chan struct{})
		var ended atomic.Bool
		first := a.runner.Start("x", func(ctx context.Context, say parallel.Say) (string, error) {
			if jobs.Waited(ctx) {
				t.Error("the first server waited")
			}
			close(begun)
			<-end
			ended.Store(true)
			return "a", nil
		})
		<-begun
		if lease, err := b.Jobs.Elsewhere(t.Context(), "report", "x"); err != nil || lease == nil {
			t.Fatalf("the second server sees %v: %v", lease, err)
		}
		for kind, key := range map[string]string{"report": "y", "file": "x"} {
			if lease, err := b.Jobs.Elsewhere(t.Context(), kind, key); err != nil || lease != nil {
				t.Errorf("the second server sees %v of %s %s: %v", lease, kind, key, err)
			}
		}
		if lease, err := a.Jobs.Elsewhere(t.Context(), "report", "x"); err != nil || lease != nil {
			t.Errorf("the first server sees its own lease, %v: %v", lease, err)
		}
		second := b.runner.Start("x", func(ctx context.Context, _ parallel.Say) (string, error) {
			if !jobs.Waited(ctx) || !ended.Load() {
				t.Error("the second server did not wait")
			}
			return "b", nil
		})
		<-b.waiting
		close(end)
		<-first.Done()
		<-second.Done()
		if got, err := second.Result(); got != "b" || err != nil {
			t.Errorf("the second server has %q: %v", got, err)
		}
		if lease, err := a.Jobs.Elsewhere(t.Context(), "report", "x"); err != nil || lease != nil {
			t.Errorf("after the end there is the lease %v: %v", lease, err)
		}
	})
}

// TestJobOfADeadServer: the lease of a server that is gone ends, and a server that waits takes the job.
func TestJobOfADeadServer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		b := newServer(t, db)
		db.Rows = true
		err := db.DB.Conn.Exec("INSERT INTO job_leases (job, holder, words, share, expires_at) VALUES ('report x', 'dead', 'counting', 0.5, ?)", db.Clock.Now().Add(20*time.Second).UnixMicro()).Error
		if err != nil {
			t.Fatal(err)
		}
		j := b.runner.Start("x", func(context.Context, parallel.Say) (string, error) { return "b", nil })
		<-b.waiting
		if words, share := j.Progress(); words != "counting" || share != .5 {
			t.Errorf("the second server says %q, %v", words, share)
		}
		db.Clock.Advance(20 * time.Second)
		<-j.Done()
		if got, err := j.Result(); got != "b" || err != nil {
			t.Errorf("the second server has %q: %v", got, err)
		}
	})
}

// TestStopWhileWaiting: a server that waits for another can be stopped.
func TestStopWhileWaiting(t *testing.T) {
	db := storetest.Open(t)
	a, b := newServer(t, db), newServer(t, db)
	begun := make(chan struct{})
	a.runner.Start("x", func(ctx context.Context, _ parallel.Say) (string, error) {
		close(begun)
		<-ctx.Done()
		return "", ctx.Err()
	})
	<-begun
	j := b.runner.Start("x", func(context.Context, parallel.Say) (string, error) { t.Error("two servers work"); return "", nil })
	<-b.waiting
	b.runner.Stop()
	if _, err := j.Result(); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestAlone: two servers do not do regular work at the same time.
func TestAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		a, b := newServer(t, db), newServer(t, db)
		busy, second := false, make(chan error)
		work := func(context.Context) error {
			if busy {
				t.Error("two servers work at the same time")
			}
			return nil
		}
		err := a.Jobs.Alone(t.Context(), "housekeeping", func(context.Context) error {
			busy = true
			go func() { second <- b.Jobs.Alone(t.Context(), "housekeeping", work) }()
			for lease, err := b.Jobs.Elsewhere(t.Context(), "housekeeping", ""); lease == nil; {
				return errors.Join(errors.New("the second server does not see the lease"), err)
			}
			busy = false
			return nil
		})
		if err = errors.Join(err, <-second); err != nil {
			t.Error(err)
		}
	})
}

// TestTogether: servers that give one name hold a lease together, and a server that gives another name gets it when they are gone or dead.
func TestTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		together := func(name string) (release func()) {
			return storetest.Must(db.Jobs.Together(t.Context(), "folder", name))(t)
		}
		releases := []func(){together("x"), together("x")}
		other := make(chan error, 1)
		ask := func() {
			release, err := db.Jobs.Together(t.Context(), "folder", "y")
			if err == nil {
				release()
			}
			other <- err
		}
		go ask()
		for refused := false; !refused; {
			select {
			case err := <-other:
				if refused = true; !errors.Is(err, jobs.ErrOthers) {
					t.Errorf("beside living servers: %v", err)
				}
			case <-time.After(100 * time.Millisecond): // the servers extend their lease
				db.Clock.Advance(time.Second)
				if releases = append(releases, together("x")); len(releases) > 100 {
					t.Fatal("a server with another name is neither taken nor refused")
				}
			}
		}
		for _, release := range releases {
			release()
		}
		storetest.Exec(t, db, "DELETE FROM job_leases")
		storetest.Exec(t, db, "INSERT INTO job_leases (job, holder, words, share, expires_at) VALUES ('folder ', 'dead', '', 0, ?)", database.InstantOf(db.Clock.Now().Add(20*time.Second)))
		soon, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := db.Jobs.Together(soon, "folder", "y"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("before the lease of a dead server has ended: %v", err)
		}
		go ask()
		db.Clock.Advance(21 * time.Second)
		if err := <-other; err != nil {
			t.Errorf("after a server has died: %v", err)
		}
	})
}
