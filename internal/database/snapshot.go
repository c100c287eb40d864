package database

import (
	"context"
	"database/sql"

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
