// Package store keeps everything in SQLite or PostgreSQL and is the only place
// that knows GORM, drivers and migrations. It has one method per use case and
// one transaction per method, in which it asks package campaign for decisions.
//
// Start at [Open]. Every method takes values of package campaign or small
// structs of its own, and returns the errors of package campaign.
//
// On SQLite all writes pass through one goroutine that commits those waiting
// together (see write.go), so that a disk flush is shared; readers never wait.
package store

import (
	"context"
	"errors"
)

// A Store is an open database, with all that is done to it.
type Store struct {
	*DB
	visits *visits
}

// Open opens the database. A SQLite file that is missing or older is created or
// brought up to date, after a copy of it was made; a PostgreSQL database must be
// migrated already, else the error is [ErrOldSchema]. A database of a newer program
// is a [NewSchemaError].
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := OpenUnmigrated(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Driver == SQLite {
		err = s.MigrateUp(ctx)
	} else {
		err = s.checkSchema(ctx)
	}
	if err == nil {
		err = s.use(ctx)
	}
	if err == nil {
		err = s.Complete(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Complete computes what migrations and killed programs leave to be computed: the states
// and the sums of campaigns that have none, and what changes of members have begun.
// [Open] does so by itself.
func (s *Store) Complete(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.formNew, s.countNew, s.followLeft} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// OpenUnmigrated opens the database as it is, for the migrate commands.
func OpenUnmigrated(cfg Config) (*Store, error) {
	db, err := openDB(cfg)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: db}
	s.visits = newVisits(s.storeVisits, func(err error) { s.log.Warn("the last visits of sessions could not be stored", "error", err) })
	db.count, db.memberChanged = s.countTouched, s.followChanges
	return s, nil
}

// Close waits for writes under way and closes the database.
func (s *Store) Close() error {
	s.visits.wait()
	return s.DB.close()
}
