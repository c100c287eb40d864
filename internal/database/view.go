package database

import (
	"context"
	"runtime"

	"gorm.io/gorm"
)

// viewKey is the key of the reader of a [DB.View] in its context.
type viewKey struct{ *DB }

// maxViews is the largest number of views at the same time on SQLite, where each keeps a connection. Others wait in the order in
// which they came, so that pages are finished one after another instead of all at the end.
func maxViews(connections int) int { return min(2*runtime.NumCPU(), connections/2) }

// View runs fn with a context for reading: all that [DB.Read] reads with it is of one state of the database. On SQLite one connection
// reads all of it. Between two queries outside a view, SQLite looks whether anybody has written, and if so it forgets the pages of
// the file that it has in memory.
//
// fn must be short, because views wait for one another, and must not use the context in several goroutines at once. On PostgreSQL
// the context is ctx, and each query reads what is stored by then.
func (d *DB) View(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	if d.views == nil || ctx.Value(viewKey{d}) != nil {
		return fn(ctx)
	}
	var conn *preparedConn
	select {
	case conn = <-d.views:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.views <- conn }()
	forget := func(err error) error {
		conn.close()
		conn = nil
		return translate(err)
	}
	background := context.Background() // a request that is cancelled must not end the transaction of the next one
	if conn == nil {
		if conn, err = connect(background, d.Conn); err != nil {
			conn = nil
			return translate(err)
		}
	}
	if _, err := conn.ExecContext(background, "BEGIN"); err != nil {
		return forget(err)
	}
	defer func() {
		if _, end := conn.ExecContext(background, "COMMIT"); end != nil {
			end = forget(end)
			if err == nil {
				err = end
			}
		}
	}()
	db := d.Conn.Session(&gorm.Session{NewDB: true, Context: ctx})
	db.Statement.ConnPool = conn
	return fn(context.WithValue(ctx, viewKey{d}, db))
}

// startViews lets [DB.View] keep connections of a pool of SQLite.
func (d *DB) startViews(connections int) {
	d.views = make(chan *preparedConn, maxViews(connections))
	for range cap(d.views) {
		d.views <- nil
	}
}

// endViews waits for the views that are being read, and closes their connections.
func (d *DB) endViews() {
	for range cap(d.views) {
		if conn := <-d.views; conn != nil {
			conn.close()
		}
	}
	for range cap(d.views) {
		d.views <- nil
	}
}
