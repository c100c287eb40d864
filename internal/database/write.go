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

// errClosed: a write was called after Close.
var errClosed = errors.New("the database is closed")

// What limits how long the first of the writes that share a commit waits for it.
const (
	maxBatch = 128 // the largest number of them
	// If somebody waits for one of them, no further one begins after batchTime, or after perCommit times the time of the last commit if
	// that is longer, so that the disk takes at most a quarter of the writer's time.
	batchTime = 20 * time.Millisecond
	perCommit = 3
)

// A rank says which of the writes that wait is done first.
type rank int

const (
	soonest    rank = iota // see [DB.WriteInTurn]
	waitedFor              // see [DB.WriteWaitedFor]
	background             // all others
	ranks
)

// inTurn says that every so many writes, the one that has waited longest is done, whatever its rank.
const inTurn = 8

// A writer runs all writes of a SQLite database. SQLite allows one writer at a time, and with
// synchronous=FULL each commit waits for the disk. Therefore the writes that arrive during one
// commit share the next one. Every write runs in its own savepoint, so one that fails leaves
// the others as they are. No write is acknowledged before the commit.
type writer struct {
	db   *gorm.DB
	conn *preparedConn // the writer's own connection; nil until the first write
	wake chan struct{} // holds an element if a job may wait, or the writer is to stop
	done chan struct{}

	mu      sync.Mutex // protects what follows
	waiting [ranks][]*job
	sent    int // jobs so far
	taken   int // of them
	shut    bool
}

// A job is one write.
type job struct {
	ctx    context.Context
	fn     func(db *gorm.DB) error
	rank   rank
	number int // grows with each job
	err    error
	done   chan struct{}
}

func startWriter(db *gorm.DB) *writer {
	w := &writer{db: db, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *writer) stop() {
	w.mu.Lock()
	w.shut = true
	w.mu.Unlock()
	w.rouse()
	<-w.done
}

// rouse lets the writer look for jobs.
func (w *writer) rouse() {
	select {
	case w.wake <- struct{}{}:
	default: // it will look anyway
	}
}

func (w *writer) do(ctx context.Context, r rank, fn func(db *gorm.DB) error) error {
	j := &job{ctx: ctx, fn: fn, rank: r, done: make(chan struct{})}
	w.mu.Lock()
	if w.shut {
		w.mu.Unlock()
		return errClosed
	}
	w.sent++
	j.number = w.sent
	w.waiting[r] = append(w.waiting[r], j)
	w.mu.Unlock()
	w.rouse()
	<-j.done
	return j.err
}

// next takes the job that is to be done next, nil if none waits. shut reports that none will come either.
func (w *writer) next() (j *job, shut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := -1
	for r, jobs := range w.waiting {
		if len(jobs) > 0 && (from < 0 || w.taken%inTurn == inTurn-1 && jobs[0].number < w.waiting[from][0].number) {
			from = r
		}
	}
	if from < 0 {
		return nil, w.shut
	}
	w.taken++
	j, w.waiting[from] = w.waiting[from][0], w.waiting[from][1:]
	return j, false
}

// load is the number of jobs that wait.
func (w *writer) load() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, jobs := range w.waiting {
		n += len(jobs)
	}
	return n
}

func (w *writer) run() {
	defer close(w.done)
	defer w.disconnect()
	var commit time.Duration // how long the last one took
	for {
		j, shut := w.next()
		if shut {
			return
		}
		if j == nil {
			<-w.wake
			continue
		}
		var batch []*job
		var ready time.Time
		err := w.transaction(func(db *gorm.DB) error {
			ready = time.Now()
			until, waited := ready.Add(max(batchTime, perCommit*commit)), false
			for ; j != nil; j, _ = w.next() {
				batch = append(batch, j)
				if err := j.run(db); err != nil {
					return err
				}
				waited = waited || j.rank < background
				if ready = time.Now(); len(batch) == maxBatch || waited && ready.After(until) {
					return nil
				}
			}
			return nil
		})
		commit = time.Since(ready)
		if len(batch) == 0 { // the transaction did not begin
			batch, commit = append(batch, j), 0
		}
		for _, j := range batch {
			if err != nil {
				j.err = translate(err)
			}
			close(j.done)
		}
	}
}

// transaction runs fn on the writer's connection, and commits unless fn fails. After an error it
// closes the connection.
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
	// IMMEDIATE takes the write lock at once, so that nothing changes between a read and a
	// write of the transaction.
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

// run executes the job inside the shared transaction. It hides the cancellation of the request,
// because SQLite rolls back the whole transaction, with the writes of others, if a statement is
// interrupted. SQLite does the same if the disk is full or fails. Then the savepoint is gone
// too, and run returns the error, which fails the whole transaction.
func (j *job) run(db *gorm.DB) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	exec := func(statement string) error {
		_, err := db.Statement.ConnPool.ExecContext(db.Statement.Context, statement)
		return err
	}
	if j.err = exec("SAVEPOINT job"); j.err != nil {
		return nil
	}
	j.err = call(j.fn, db.WithContext(context.WithoutCancel(j.ctx)))
	if j.err != nil {
		j.err = translate(j.err)
		if err := exec("ROLLBACK TO job"); err != nil {
			return j.err
		}
	}
	if err := exec("RELEASE job"); err != nil {
		j.err = errors.Join(j.err, err)
	}
	return nil
}

// call turns a panic of a write into its error, so that the program and the other writes of the
// transaction go on.
func call(fn func(*gorm.DB) error, db *gorm.DB) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(db)
}

// Write runs fn in a transaction: either all its changes are stored or none. Before the commit
// it brings the kept sums up to date with what fn touched. After the commit it runs the functions
// of [Tx.AfterCommit]. A panic in fn becomes an error.
//
// On PostgreSQL it fails with campaign.ErrBusy if it waits for a lock longer than lockTimeout.
// If PostgreSQL ends the transaction because of a deadlock, Write runs fn up to two more times, so fn
// must set all its results each time.
func (d *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return d.write(ctx, background, fn, d.commit)
}

// WriteWaitedFor is [DB.Write] for what somebody waits for and can't go on without, such as a submission. On SQLite it goes before
// writes that people do not wait for, such as saves.
func (d *DB) WriteWaitedFor(ctx context.Context, fn func(tx *Tx) error) error {
	return d.write(ctx, waitedFor, fn, d.commit)
}

// WriteInTurn is [DB.Write] for writes that begin by locking the same row: those with the same key run one after another, in
// the order in which they were asked for. On PostgreSQL they wait for their turn without a connection, so that many of
// them leave connections to other requests, and their wait is no wait for a lock. Only the writes of other programs
// can make them wait longer than lockTimeout.
//
// On SQLite they go before all others. Annotators who ask for their next segment have mostly just waited for a submission. While
// one annotator after another is given a segment, other cores make the pages of those who have one.
func (d *DB) WriteInTurn(ctx context.Context, key string, fn func(tx *Tx) error) error {
	if d.writer != nil {
		return d.write(ctx, soonest, fn, d.commit)
	}
	mine, _ := d.turns.LoadOrStore(key, make(chan struct{}, 1))
	turn := mine.(chan struct{})
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return d.Write(ctx, fn)
}

// WriteLong is [DB.Write] for long work such as an import: fn runs only once, because it may
// consume its input, and waits for locks without a limit.
func (d *DB) WriteLong(ctx context.Context, fn func(tx *Tx) error) error {
	return d.write(ctx, background, fn, d.commitLong)
}

// write runs fn with a new Tx, and calls OnTouched in the same transaction.
func (d *DB) write(ctx context.Context, r rank, fn func(tx *Tx) error, commit func(context.Context, rank, func(db *gorm.DB) error) error) error {
	var tx *Tx
	err := commit(ctx, r, func(db *gorm.DB) error {
		tx = &Tx{DB: db, now: d.Now}
		if err := fn(tx); err != nil {
			return err
		}
		if d.OnTouched == nil || len(tx.segments) == 0 && len(tx.campaigns) == 0 {
			return nil
		}
		return d.OnTouched(tx)
	})
	if err == nil {
		for _, do := range tx.after {
			do(ctx)
		}
	}
	return err
}

// commit runs fn in a transaction, up to two more times if it is retriable.
func (d *DB) commit(ctx context.Context, r rank, fn func(db *gorm.DB) error) error {
	if d.writer != nil {
		return d.writer.do(ctx, r, fn)
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
	// A pause lets the other transaction finish, so that there is no further deadlock. On a busy machine it may need longer.
	for _, pause := range []time.Duration{50 * time.Millisecond, 400 * time.Millisecond} {
		if !retriable(err) {
			break
		}
		select {
		case <-time.After(pause):
			err = once()
		case <-ctx.Done():
		}
	}
	return translate(err)
}

// commitLong runs fn in a transaction, once and without a limit on waiting for locks.
func (d *DB) commitLong(ctx context.Context, r rank, fn func(db *gorm.DB) error) error {
	if d.writer != nil {
		return d.writer.do(ctx, r, fn)
	}
	return translate(d.Conn.WithContext(ctx).Transaction(func(db *gorm.DB) error { return call(fn, db) }))
}

// A Load says how busy the connections of a database are.
type Load struct {
	Writes      int   // on SQLite, writes that wait for the one that is under way
	Connections int   // in use
	Waits       int64 // how often a connection had to be waited for
}

// Load reads how busy the connections are.
func (d *DB) Load() (l Load) {
	if d.writer != nil {
		l.Writes = d.writer.load()
	}
	if pool, err := d.Conn.DB(); err == nil {
		stats := pool.Stats()
		l.Connections, l.Waits = stats.InUse, stats.WaitCount
	}
	return l
}

// Read returns the database for queries outside a transaction, or within that of a [DB.View].
func (d *DB) Read(ctx context.Context) *gorm.DB {
	if view, ok := ctx.Value(viewKey{d}).(*gorm.DB); ok {
		return view.WithContext(ctx)
	}
	return d.Reader.WithContext(ctx)
}

// maxPrepared is the largest total size, in bytes, of the texts of the statements that a
// connection keeps prepared. A prepared statement takes about fifty times the memory of its
// text.
const maxPrepared = 128 << 10

// A preparedConn is a gorm.ConnPool of a single connection that keeps statements prepared. The
// rows of a query must be closed before the same query is run again.
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

// prepared returns a prepared statement. If the kept statements get too large, it closes all of
// them first.
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
		_ = stmt.Close() // no rows of it are open
	}
	clear(c.stmts)
	c.size = 0
}

// ExecContext is [sql.Conn.ExecContext] with a prepared statement.
func (c *preparedConn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// QueryContext is [sql.Conn.QueryContext] with a prepared statement.
func (c *preparedConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (c *preparedConn) close() {
	c.forget()
	_ = c.Conn.Close() // returns it to the pool, which checks whether it still works
}
