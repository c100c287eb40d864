// Package jobs divides long work among the servers on one database. A server that begins a job takes a lease on it
// and extends the lease while it works. The other servers show the progress of the job. If the server dies, the lease
// ends, and a server that waits for the job takes it.
//
// The clocks of the servers must agree within a few seconds.
package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/parallel"
)

const (
	// leaseLasts is how long a lease lasts that is not extended.
	leaseLasts = 20 * time.Second
	// leaseBeat is how often the holder of a lease extends it.
	leaseBeat = 2 * time.Second
	// lookEvery is how often a server that waits for the job of another looks at it.
	lookEvery = 200 * time.Millisecond
)

// A Store has the leases of a database in the name of one server.
type Store struct {
	db     *database.DB
	server string // random name of this process
}

// New returns a store of leases on an open database, with a new name for the server.
func New(db *database.DB) *Store { return &Store{db, rand.Text()} }

// A Lease is a job that a server holds.
type Lease struct {
	Words string
	Share float64 // of the work that is done, from 0 to 1
}

type leaseRow struct {
	Holder, Words string
	Share         float64
	ExpiresAt     database.Instant
}

// Elsewhere returns the lease that another server holds on a job of a kind; nil if none does.
func (s *Store) Elsewhere(ctx context.Context, kind, key string) (*Lease, error) {
	var rows []leaseRow
	err := s.db.Read(ctx).Raw("SELECT holder, words, share, expires_at FROM job_leases WHERE job = ? AND expires_at > ? AND holder <> ?",
		jobName(kind, key), database.InstantOf(s.db.Now()), s.server).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &Lease{rows[0].Words, rows[0].Share}, nil
}

func jobName(kind, key string) string { return kind + " " + key }

// take takes the lease of a job, or extends it. It returns false if another server holds it.
func (s *Store) take(ctx context.Context, job, words string, share float64) (taken bool, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		now := tx.Now()
		r := tx.Exec(`INSERT INTO job_leases (job, holder, words, share, expires_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, words = excluded.words, share = excluded.share, expires_at = excluded.expires_at
			WHERE job_leases.holder = excluded.holder OR job_leases.expires_at <= ?`,
			job, s.server, words, share, database.InstantOf(now.Add(leaseLasts)), database.InstantOf(now))
		taken = r.RowsAffected > 0
		return r.Error
	})
	return taken, err
}

// leave ends the lease of this server on a job.
func (s *Store) leave(job string) {
	ctx, stop := context.WithTimeout(context.Background(), leaseLasts)
	defer stop()
	err := s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM job_leases WHERE job = ? AND holder = ?", job, s.server).Error
	})
	if err != nil {
		s.db.Log.Warn("the lease of a job is left to end by itself", "job", job, "error", err)
	}
}

// Alone does the work of a kind when no other server does it any more.
func (s *Store) Alone(ctx context.Context, kind string, work func(context.Context) error) error {
	ctx, release, err := s.Claims(kind)(ctx, "", func() (string, float64) { return "", 0 }, func(string, float64) {})
	if err != nil {
		return err
	}
	defer release()
	return work(ctx)
}

// Claims returns the function by which a [parallel.Runner] takes the leases of its jobs, which are of a kind. It waits while
// another server holds the lease of a job, with the words of that server. [Waited] then holds for the context.
func (s *Store) Claims(kind string) parallel.Claim {
	return func(ctx context.Context, key string, progress func() (string, float64), say parallel.Say) (context.Context, func(), error) {
		job := jobName(kind, key)
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for waited := false; ; waited = true {
			lease, err := s.Elsewhere(ctx, kind, key)
			if err != nil {
				return nil, nil, cmp.Or(ctx.Err(), err)
			}
			if lease == nil {
				words, share := progress()
				taken, err := s.take(ctx, job, words, share)
				if err != nil {
					return nil, nil, cmp.Or(ctx.Err(), err)
				}
				if taken {
					ctx, release := s.hold(context.WithValue(ctx, waitedKey{}, waited), job, progress)
					return ctx, release, nil
				}
				continue
			}
			say(lease.Words, lease.Share)
			select {
			case <-look.C:
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}
	}
}

// ErrOthers says that other servers hold a lease under another name.
var ErrOthers = errors.New("other servers hold it under another name")

// Together takes a lease, which all servers that give the same name share, until the caller releases it. The error is ErrOthers if
// a living server holds it under another name. If the server that holds it has died, Together waits until its lease expires.
func (s *Store) Together(ctx context.Context, kind, name string) (release func(), err error) {
	group := &Store{s.db, name}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for before := database.Instant(0); ; {
		taken, err := group.take(ctx, jobName(kind, ""), "", 0)
		if err != nil {
			return nil, err
		}
		if taken {
			_, release := group.hold(context.WithoutCancel(ctx), jobName(kind, ""), func() (string, float64) { return "", 0 })
			return release, nil
		}
		var ends database.Instant
		err = database.Scan(s.db.Read(ctx).Raw("SELECT expires_at FROM job_leases WHERE job = ?", jobName(kind, "")), &ends)
		switch {
		case errors.Is(err, campaign.ErrNotFound): // it was released just now
		case err != nil:
			return nil, err
		case before != 0 && ends != before:
			return nil, ErrOthers
		default:
			before = ends
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

type waitedKey struct{}

// Waited reports whether another server held the job of this context before, so that its result may be there.
func Waited(ctx context.Context) bool {
	waited, _ := ctx.Value(waitedKey{}).(bool)
	return waited
}

// hold extends a lease until the caller releases it. The context ends when another server has taken the lease, as after a
// pause of this process.
func (s *Store) hold(ctx context.Context, job string, progress func() (string, float64)) (context.Context, func()) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(leaseBeat)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
			case <-ctx.Done():
				return
			}
			words, share := progress()
			if taken, err := s.take(ctx, job, words, share); err == nil && !taken {
				s.db.Log.Warn("another server has taken a job, which ends here", "job", job)
				stop()
				return
			}
		}
	}()
	return ctx, func() {
		stop()
		<-ended
		s.leave(job)
	}
}

// DeleteExpired deletes the leases of servers that died.
func (s *Store) DeleteExpired(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM job_leases WHERE expires_at <= ?", database.InstantOf(tx.Now())).Error
	})
}
