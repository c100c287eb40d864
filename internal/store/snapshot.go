package store

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

// maxSnapshots is how many long reads go on at a time. Each keeps a connection
// of the pool from beginning to end, and pages need the others.
const maxSnapshots = 3

// snapshot runs fn on one consistent state of the database, without keeping
// writers waiting. It waits while maxSnapshots others are under way.
func (s *Store) snapshot(ctx context.Context, fn func(db *gorm.DB) error) error {
	select {
	case s.snapshots <- struct{}{}:
		defer func() { <-s.snapshots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	opt := &sql.TxOptions{ReadOnly: true}
	if s.driver == Postgres {
		opt.Isolation = sql.LevelRepeatableRead
	}
	return translate(s.db.WithContext(ctx).Transaction(fn, opt))
}
