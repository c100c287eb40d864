package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// errClosed: a write came after Close.
var errClosed = errors.New("the database is closed")

// maxBatch bounds how many writes share one commit, and with it how long the
// first of them waits.
const maxBatch = 128

// A writer runs all writes of a SQLite database. SQLite has one writer at a
// time anyway, and with synchronous=FULL each commit waits for the disk; so
// whatever has queued up while one commit was under way is committed together.
// Every write runs in a savepoint of its own: one that fails takes nothing else
// with it, and none is acknowledged before the commit.
type writer struct {
	db   *gorm.DB
	jobs chan *job
	done chan struct{}
	mu   sync.RWMutex // guards closed against sends
	shut bool
}

type job struct {
	ctx  context.Context
	fn   func(tx *gorm.DB) error
	err  error
	done chan struct{}
}

func startWriter(db *gorm.DB) *writer {
	w := &writer{db: db, jobs: make(chan *job, 4*maxBatch), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *writer) stop() {
	w.mu.Lock()
	if !w.shut {
		w.shut = true
		close(w.jobs)
	}
	w.mu.Unlock()
	<-w.done
}

func (w *writer) do(ctx context.Context, fn func(tx *gorm.DB) error) error {
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	w.mu.RLock()
	if w.shut {
		w.mu.RUnlock()
		return errClosed
	}
	select {
	case w.jobs <- j:
		w.mu.RUnlock()
	case <-ctx.Done():
		w.mu.RUnlock()
		return ctx.Err()
	}
	<-j.done
	return j.err
}

func (w *writer) run() {
	defer close(w.done)
	for j := range w.jobs {
		batch := []*job{j}
		err := w.db.Transaction(func(tx *gorm.DB) error {
			j.run(tx)
			for len(batch) < maxBatch {
				select {
				case next, ok := <-w.jobs:
					if !ok {
						return nil
					}
					batch = append(batch, next)
					next.run(tx)
				default:
					return nil
				}
			}
			return nil
		})
		for _, j := range batch {
			if err != nil {
				j.err = translate(err)
			}
			close(j.done)
		}
	}
}

// run executes the job inside the shared transaction. The request's
// cancellation is not passed on: SQLite answers an interrupted statement by
// rolling back the whole transaction, and with it the writes of others.
func (j *job) run(tx *gorm.DB) {
	if j.err = j.ctx.Err(); j.err != nil {
		return
	}
	if j.err = tx.Exec("SAVEPOINT job").Error; j.err != nil {
		return
	}
	j.err = call(j.fn, tx.WithContext(context.WithoutCancel(j.ctx)))
	if j.err != nil {
		j.err = translate(j.err)
		if err := tx.Exec("ROLLBACK TO job").Error; err != nil {
			j.err = errors.Join(j.err, err)
		}
	}
	if err := tx.Exec("RELEASE job").Error; err != nil {
		j.err = errors.Join(j.err, err)
	}
}

// call turns a panic of one write into its error, so that it ends neither the
// program nor the writes it shares a transaction with.
func call(fn func(*gorm.DB) error, tx *gorm.DB) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// write runs fn in a transaction, all or nothing. A panic is an error.
func (s *Store) write(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if s.writer != nil {
		return s.writer.do(ctx, fn)
	}
	return translate(s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return call(fn, tx) }))
}

// read returns the database for queries outside a transaction.
func (s *Store) read(ctx context.Context) *gorm.DB { return s.reader.WithContext(ctx) }

// forUpdate locks the rows a query finds until the transaction ends. On SQLite
// it is left out, since there is one writer at a time.
var forUpdate = clause.Locking{Strength: "UPDATE"}
