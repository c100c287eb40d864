package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"
	"modernc.org/sqlite"
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
// commit share the next transaction. If one of them fails after it has changed something, the transaction
// is rolled back, and each of them runs again in a transaction of its own. So a write that fails leaves
// the others as they are. A savepoint for each write would do the same, but to keep the pages of the file
// as they were before each of them takes about a tenth of the time of submissions. No write is acknowledged
// before the commit.
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
	once   bool // fn can't run again, so the job shares no transaction
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

func (w *writer) do(j *job) error {
	j.done = make(chan struct{})
	w.mu.Lock()
	if w.shut {
		w.mu.Unlock()
		return errClosed
	}
	w.sent++
	j.number = w.sent
	w.waiting[j.rank] = append(w.waiting[j.rank], j)
	w.mu.Unlock()
	w.rouse()
	<-j.done
	return j.err
}

// next takes the job that is to be done next, nil if none waits. shut reports that none will come either. If shared
// is true, the transaction has other jobs. Then next returns nil where the next job shares no transaction, and that job goes on waiting.
func (w *writer) next(shared bool) (j *job, shut bool) {
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
	if shared && w.waiting[from][0].once {
		return nil, false
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
		j, shut := w.next(false)
		if shut {
			return
		}
		if j == nil {
			<-w.wake
			continue
		}
		batch, kept := []*job{j}, true
		var ready time.Time // for the commit; zero if the transaction did not begin
		err := w.transaction(func(db *gorm.DB) bool {
			ready = time.Now()
			until, waited := ready.Add(max(batchTime, perCommit*commit)), false
			for j := j; ; batch = append(batch, j) {
				if kept = j.run(db, w.conn); !kept || j.once {
					return kept
				}
				waited = waited || j.rank < background
				if ready = time.Now(); len(batch) == maxBatch || waited && ready.After(until) {
					return true
				}
				if j, _ = w.next(true); j == nil {
					return true
				}
			}
		})
		if commit = 0; !ready.IsZero() {
			commit = time.Since(ready)
		}
		if kept || len(batch) == 1 {
			finish(batch, err)
			continue
		}
		for _, j := range batch {
			finish([]*job{j}, w.transaction(func(db *gorm.DB) bool { return j.run(db, w.conn) }))
		}
	}
}

// finish tells those who wait for jobs how these ended. err is that of their transaction.
func finish(jobs []*job, err error) {
	for _, j := range jobs {
		if err != nil {
			j.err = translate(err)
		}
		close(j.done)
	}
}

// transaction runs fn on the writer's connection, and commits what it did if it returns true. Otherwise it
// rolls that back. After an error it closes the connection.
func (w *writer) transaction(fn func(db *gorm.DB) bool) (err error) {
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
	if !fn(db) {
		if _, err := w.conn.ExecContext(ctx, "ROLLBACK"); err != nil { // SQLite may have done so already
			w.disconnect()
		}
		return nil
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

// run executes the job in the transaction that is under way on conn. It reports whether the transaction can go on: the job
// succeeded, or failed before it changed anything.
//
// It hides the cancellation of the request, because SQLite rolls back the whole transaction, with the writes of others, if a
// statement is interrupted. SQLite does the same if the disk is full or fails, so after an error of SQLite the transaction can't go on.
func (j *job) run(db *gorm.DB, conn *preparedConn) bool {
	if j.err = j.ctx.Err(); j.err != nil {
		return true
	}
	conn.changed = false
	j.err = call(j.fn, db.WithContext(context.WithoutCancel(j.ctx)))
	if j.err == nil {
		return true
	}
	j.err = translate(j.err)
	_, failed := errors.AsType[*sqlite.Error](j.err)
	return !failed && !conn.changed
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
// fn must set all its results each time that it runs. On SQLite Write runs it a second time if a write that shares the
// transaction fails, and on PostgreSQL up to two more times if PostgreSQL ends the transaction because of a deadlock. On PostgreSQL it
// fails with campaign.ErrBusy if it waits for a lock longer than lockTimeout.
func (d *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return d.write(&job{ctx: ctx, rank: background}, fn)
}

// WriteWaitedFor is [DB.Write] for what somebody waits for and can't go on without, such as a submission. On SQLite it goes before
// writes that people do not wait for, such as saves.
func (d *DB) WriteWaitedFor(ctx context.Context, fn func(tx *Tx) error) error {
	return d.write(&job{ctx: ctx, rank: waitedFor}, fn)
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
		return d.write(&job{ctx: ctx, rank: soonest}, fn)
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
	return d.write(&job{ctx: ctx, rank: background, once: true}, fn)
}

// write runs fn with a new Tx as the work of j, and calls OnTouched in the same transaction.
func (d *DB) write(j *job, fn func(tx *Tx) error) error {
	var tx *Tx
	j.fn = func(db *gorm.DB) error {
		tx = &Tx{DB: db, now: d.Now}
		if err := fn(tx); err != nil {
			return err
		}
		if d.OnTouched == nil || len(tx.segments) == 0 && len(tx.campaigns) == 0 {
			return nil
		}
		return d.OnTouched(tx)
	}
	err := d.do(j)
	if err == nil {
		for _, do := range tx.after {
			do(j.ctx)
		}
	}
	return err
}

// do runs j in a transaction. On PostgreSQL a job that can run again waits for locks with a limit, and runs up to two more times if it
// is retriable.
func (d *DB) do(j *job) error {
	if d.writer != nil {
		return d.writer.do(j)
	}
	once := func() error {
		return d.Conn.WithContext(j.ctx).Transaction(func(db *gorm.DB) error {
			if j.once {
				return call(j.fn, db)
			}
			if err := db.Exec("SET LOCAL lock_timeout = '" + lockTimeout + "'").Error; err != nil {
				return err
			}
			return call(j.fn, db)
		})
	}
	err := once()
	// A pause lets the other transaction finish, so that there is no further deadlock. On a busy machine it may need longer.
	for _, pause := range []time.Duration{50 * time.Millisecond, 400 * time.Millisecond} {
		if j.once || !retriable(err) {
			break
		}
		select {
		case <-time.After(pause):
			err = once()
		case <-j.ctx.Done():
		}
	}
	return translate(err)
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
	stmts   map[string]*sql.Stmt
	size    int  // of their texts
	changed bool // a statement may have changed something, or has failed, since this was set to false
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
		c.changed = true
		return nil, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		c.changed = true
	} else if n, _ := res.RowsAffected(); n > 0 {
		c.changed = true
	}
	return res, err
}

// QueryContext is [sql.Conn.QueryContext] with a prepared statement.
func (c *preparedConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := c.prepared(ctx, query)
	if err != nil {
		c.changed = true
		return nil, err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil || !strings.HasPrefix(query, "SELECT") {
		c.changed = true
	}
	return rows, err
}

func (c *preparedConn) close() {
	c.forget()
	_ = c.Conn.Close() // returns it to the pool, which checks whether it still works
}
