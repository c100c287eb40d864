package database

import (
	"context"
	"database/sql"
	"iter"

	"gorm.io/gorm"
)

// maxSnapshots is how many long reads go on at a time. Each keeps a connection
// of the pool from beginning to end, and pages need the others.
const maxSnapshots = 3

// Snapshot runs fn on one consistent state of the database, without keeping
// writers waiting. It waits while maxSnapshots others are under way.
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
	return Translate(d.Conn.WithContext(ctx).Transaction(fn, opt))
}

// Batches yields what next returns, batch after batch, until it returns none. All of it is
// one consistent state of the database, and memory holds one batch. Prepare is called once,
// with a handle on that state; each call of next reads what follows the batch before.
// The error of either is yielded last. Batches waits as [DB.Snapshot] does, so a reader of
// one must not wait for the network, nor for another snapshot.
func Batches[T any](ctx context.Context, d *DB, prepare func(db *gorm.DB) (next func() ([]T, error), err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false // by the reader, who must not be called again
		err := d.Snapshot(ctx, func(db *gorm.DB) error {
			next, err := prepare(db)
			if err != nil {
				return err
			}
			for {
				batch, err := next()
				if err != nil || len(batch) == 0 {
					return err
				}
				for _, item := range batch {
					if !yield(item, nil) {
						stopped = true
						return nil
					}
				}
			}
		})
		if err != nil && !stopped {
			var none T
			yield(none, err)
		}
	}
}
