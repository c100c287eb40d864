package database

import (
	"cmp"
	"context"
	"database/sql"
	"iter"

	"gorm.io/gorm"

	"annotate/internal/parallel"
)

// maxSnapshots is the largest number of snapshots that are read at the same time. Each keeps a
// connection of the pool until its end, and pages need the other connections.
const maxSnapshots = 3

// Snapshot runs fn on one consistent state of the database. Writers do not wait for it. It
// waits while maxSnapshots others are being read.
func (d *DB) Snapshot(ctx context.Context, fn func(db *gorm.DB) error) error {
	select {
	case d.snapshots <- struct{}{}:
		defer func() { <-d.snapshots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	opt := &sql.TxOptions{ReadOnly: true}
	if d.Dialect == Postgres {
		opt.Isolation = sql.LevelRepeatableRead
	}
	return translate(d.Conn.WithContext(ctx).Transaction(fn, opt))
}

// Batches yields the items of all batches that next returns, until it returns an empty one. All
// batches are read from one consistent state of the database, the next ones while one is consumed
// ([parallel.Ahead]), so that memory holds up to three. prepare is called once with a handle on that state. Each call of next reads the batch
// after the last one. An error of either is yielded last.
//
// If ctx is one of [parallel.Background], Batches gives way to requests before each batch.
//
// Batches is a [DB.Snapshot]. Code that consumes the items must not wait for the network or
// for another snapshot, because that would keep other snapshots waiting.
func Batches[T any](ctx context.Context, d *DB, prepare func(db *gorm.DB) (next func() ([]T, error), err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false // yield returned false and must not be called again
		err := d.Snapshot(ctx, func(db *gorm.DB) error {
			next, err := prepare(db)
			if err != nil {
				return err
			}
			batches := parallel.Ahead(ctx, func() ([]T, error) {
				parallel.GiveWay(ctx)
				return next()
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
