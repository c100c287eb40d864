package database

import (
	"cmp"
	"context"
	"database/sql"
	"iter"

	"gorm.io/gorm"

	"annotate/internal/parallel"
)

// maxSnapshots is the largest number of snapshots that are read at the same time. Each keeps one or two
// connections of the pool until its end, and pages need the other connections.
const maxSnapshots = 3

// Snapshot runs fn on one consistent state of the database. Writers do not wait for it. It
// waits while maxSnapshots others are being read.
func (d *DB) Snapshot(ctx context.Context, fn func(db *gorm.DB) error) error {
	return d.inTurn(ctx, func() error { return d.readOnly(d.Conn.WithContext(ctx), fn) })
}

// inTurn runs fn when fewer than maxSnapshots snapshots are being read.
func (d *DB) inTurn(ctx context.Context, fn func() error) error {
	select {
	case d.snapshots <- struct{}{}:
		defer func() { <-d.snapshots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return translate(fn())
}

// readOnly runs fn in a transaction that only reads. The first statement fixes the state that it reads.
func (d *DB) readOnly(conn *gorm.DB, fn func(db *gorm.DB) error) error {
	opt := &sql.TxOptions{ReadOnly: true}
	if d.Dialect == Postgres {
		opt.Isolation = sql.LevelRepeatableRead
	}
	return conn.Transaction(fn, opt)
}

// readers runs fn with handles on one consistent state of the database, as [DB.Snapshot] does: two if ctx leaves it a
// second core, so that two goroutines can read.
func (d *DB) readers(ctx context.Context, fn func(readers []*gorm.DB) error) error {
	if parallel.Cores(ctx) == 1 {
		return d.Snapshot(ctx, func(db *gorm.DB) error { return fn([]*gorm.DB{db}) })
	}
	conn := d.Conn.WithContext(ctx)
	return d.inTurn(ctx, func() error {
		if d.Dialect == SQLite {
			return conn.Connection(func(own *gorm.DB) error { return d.liteReaders(conn, own.Session(&gorm.Session{NewDB: true}), fn) })
		}
		return d.readOnly(conn, func(first *gorm.DB) error {
			var state string
			if err := Scan(first.Raw("SELECT pg_export_snapshot()"), &state); err != nil {
				return err
			}
			return d.readOnly(conn, func(second *gorm.DB) error {
				if err := second.Exec("SET TRANSACTION SNAPSHOT '" + state + "'").Error; err != nil {
					return err
				}
				return fn([]*gorm.DB{first, second})
			})
		})
	})
}

// liteReaders runs fn with two handles on one state of a SQLite database. The second reads with the connection own, whose
// data_version changes with each commit of others. The first handle fixes its state between two looks at it, so that
// both have the same state if no commit was between them. Otherwise liteReaders begins again.
func (d *DB) liteReaders(conn, own *gorm.DB, fn func(readers []*gorm.DB) error) error {
	for {
		before, err := dataVersion(own)
		if err != nil {
			return err
		}
		apart := false
		err = d.readOnly(conn, func(first *gorm.DB) error {
			if _, err := dataVersion(first); err != nil {
				return err
			}
			return d.readOnly(own, func(second *gorm.DB) error {
				after, err := dataVersion(second)
				if apart = after != before; err != nil || apart {
					return err
				}
				return fn([]*gorm.DB{first, second})
			})
		})
		if err != nil || !apart {
			return err
		}
	}
}

func dataVersion(db *gorm.DB) (version int64, err error) {
	return version, Scan(db.Raw("PRAGMA data_version"), &version)
}

// Batches yields the items of all batches. All are read from one consistent state of the database, the next ones while
// one is consumed, and two at a time if ctx leaves Batches a second core, so that memory holds up to five ([parallel.Ahead]).
// prepare is called once with a handle on that state. next, which it returns, is called once at a time: it finds
// what comes after the last batch, and returns a function that reads it, or nil after the last batch. Both use the
// handle that next was called with. An error is yielded last.
//
// If ctx is one of [parallel.Background], Batches gives way to requests before each batch.
//
// Batches is a [DB.Snapshot]. Code that consumes the items must not wait for the network or
// for another snapshot, because that would keep other snapshots waiting.
func Batches[T any](
	ctx context.Context, d *DB, prepare func(db *gorm.DB) (next func(db *gorm.DB) (read func() ([]T, error), err error), err error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false // yield returned false and must not be called again
		err := d.readers(ctx, func(readers []*gorm.DB) error {
			next, err := prepare(readers[0])
			if err != nil {
				return err
			}
			batches := parallel.Ahead(ctx, readers, func(db *gorm.DB) (func() ([]T, error), error) {
				parallel.GiveWay(ctx)
				return next(db)
			})
			for batch, err := range batches {
				if err = cmp.Or(err, ctx.Err()); err != nil {
					return err
				}
				for _, item := range batch {
					if !yield(item, nil) {
						stopped = true
						return nil
					}
				}
			}
			return nil
		})
		if err != nil && !stopped {
			var none T
			yield(none, err)
		}
	}
}
