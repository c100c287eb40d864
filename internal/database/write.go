package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"gorm.io/gorm"
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
	conn *preparedConn // its own; nil until the first write
	jobs chan *job
	done chan struct{}
	mu   sync.RWMutex // guards closed against sends
	shut bool
}

type job struct {
	ctx  context.Context
	fn   func(db *gorm.DB) error
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

func (w *writer) do(ctx context.Context, fn func(db *gorm.DB) error) error {
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
	defer w.disconnect()
	for j := range w.jobs {
		batch := []*job{j}
		err := w.transaction(func(db *gorm.DB) error {
			err := j.run(db)
			for err == nil && len(batch) < maxBatch {
				select {
				case next, ok := <-w.jobs:
					if !ok {
						return nil
					}
					batch = append(batch, next)
					err = next.run(db)
				default:
					return nil
				}
			}
			return err
		})
		for _, j := range batch {
			if err != nil {
				j.err = Translate(err)
			}
			close(j.done)
		}
	}
}

// transaction runs fn on the writer's connection, and commits unless fn fails. A
// connection that fails is given up.
func (w *writer) transaction(fn func(db *gorm.DB) error) (err error) {
	ctx := context.Background()
	if w.conn == nil {
		if w.conn, err = connect(ctx, w.db); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			w.disconnect()
		}
	}()
	// The write lock at once, so that what is read before a write stays true.
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	db := w.db.Session(&gorm.Session{NewDB: true, Context: ctx})
	db.Statement.ConnPool = w.conn
	if err := fn(db); err != nil {
		_, _ = w.conn.ExecContext(ctx, "ROLLBACK") // SQLite may have done so already
		return err
	}
	if _, err := w.conn.ExecContext(ctx, "COMMIT"); err != nil {
		_, rollback := w.conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, rollback)
	}
	return nil
}

func (w *writer) disconnect() {
	if w.conn != nil {
		w.conn.close()
		w.conn = nil
	}
}

// run executes the job inside the shared transaction. The request's
// cancellation is not passed on: SQLite answers an interrupted statement by
// rolling back the whole transaction, and with it the writes of others. It does the
// same where the disk is full or fails: then the savepoint is gone as well, and the
// error that is returned is that of the whole transaction.
func (j *job) run(db *gorm.DB) (lost error) {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if j.err = db.Exec("SAVEPOINT job").Error; j.err != nil {
		return nil
	}
	j.err = call(j.fn, db.WithContext(context.WithoutCancel(j.ctx)))
	if j.err != nil {
		j.err = Translate(j.err)
		if err := db.Exec("ROLLBACK TO job").Error; err != nil {
			return j.err
		}
	}
	if err := db.Exec("RELEASE job").Error; err != nil {
		j.err = errors.Join(j.err, err)
	}
	return nil
}

// call turns a panic of one write into its error, so that it ends neither the
// program nor the writes it shares a transaction with.
func call(fn func(*gorm.DB) error, db *gorm.DB) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(db)
}

// Write runs fn in a transaction, all or nothing. Before the commit it brings the kept
// sums up to date with what fn touched. After the commit it does what fn left for then.
// A panic is an error.
//
// On PostgreSQL it fails with campaign.ErrBusy if it waits for a lock longer than
// lockTimeout. If PostgreSQL gives the transaction up in favour of another one, Write
// runs fn a second time, so fn must set all its results each time.
func (d *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return d.write(ctx, fn, d.commit)
}

// WriteLong is [DB.Write] for an import: fn runs once, since it reads its input, and it
// may wait for locks for as long as it takes.
func (d *DB) WriteLong(ctx context.Context, fn func(tx *Tx) error) error {
	return d.write(ctx, fn, d.commitLong)
}

// write makes the Tx of fn, and counts what fn touched in the same transaction.
func (d *DB) write(ctx context.Context, fn func(tx *Tx) error, commit func(context.Context, func(db *gorm.DB) error) error) error {
	var tx *Tx
	err := commit(ctx, func(db *gorm.DB) error {
		tx = &Tx{DB: db, now: d.Now}
		if err := fn(tx); err != nil {
			return err
		}
		if len(tx.segments) == 0 && len(tx.sums) == 0 && len(tx.campaigns) == 0 {
			return nil
		}
		return d.Count(tx)
	})
	if err == nil {
		for _, do := range tx.after {
			do(ctx)
		}
	}
	return err
}

func (d *DB) commit(ctx context.Context, fn func(db *gorm.DB) error) error {
	if d.writer != nil {
		return d.writer.do(ctx, fn)
	}
	once := func() error {
		return d.Conn.WithContext(ctx).Transaction(func(db *gorm.DB) error {
			if err := db.Exec("SET LOCAL lock_timeout = '" + lockTimeout + "'").Error; err != nil {
				return err
			}
			return call(fn, db)
		})
	}
	err := once()
	if givenUp(err) {
		// A moment for the other one to go on, or both end where they were.
		select {
		case <-time.After(50 * time.Millisecond):
			err = once()
		case <-ctx.Done():
		}
	}
	return Translate(err)
}

func (d *DB) commitLong(ctx context.Context, fn func(db *gorm.DB) error) error {
	if d.writer != nil {
		return d.writer.do(ctx, fn)
	}
	return Translate(d.Conn.WithContext(ctx).Transaction(func(db *gorm.DB) error { return call(fn, db) }))
}

// Read returns the database for queries outside a transaction.
func (d *DB) Read(ctx context.Context) *gorm.DB { return d.Reader.WithContext(ctx) }

// maxPrepared bounds the text of the statements that a connection keeps, in
// bytes. What SQLite makes of a statement takes some fifty times as much.
const maxPrepared = 128 << 10

// A preparedConn is a gorm.ConnPool of a single connection that prepares a
// statement once. The rows of a query must be closed before it is run again.
type preparedConn struct {
	*sql.Conn
	stmts map[string]*sql.Stmt
	size  int // of their texts
}

func connect(ctx context.Context, db *gorm.DB) (*preparedConn, error) {
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &preparedConn{Conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

func (c *preparedConn) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := c.stmts[query]; stmt != nil {
		return stmt, nil
	}
	if c.size += len(query); c.size > maxPrepared {
		c.forget()
		c.size = len(query)
	}
	stmt, err := c.Conn.PrepareContext(ctx, query)
	if err == nil {
		c.stmts[query] = stmt
	}
	return stmt, err
}

// forget closes every statement.
func (c *preparedConn) forget() {
	for _, stmt := range c.stmts {
		_ = stmt.Close() // nothing depends on it any more
	}
	clear(c.stmts)
	c.size = 0
}

// ExecContext is that of [sql.Conn], with a prepared statement.
func (c *preparedConn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// QueryContext is that of [sql.Conn], with a prepared statement.
func (c *preparedConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (c *preparedConn) close() {
	c.forget()
	_ = c.Conn.Close() // back to the pool, which finds out whether it is good
}
