// Package store puts the rooms of what is stored together: the database below, the
// records of campaigns, the rounds that follow from them, the accounts, the work of
// annotators, the desk of leads, and the intake of imports. Each room builds on those
// before it, so that a [Store] has the methods of all of them.
//
// Here are also what keeps a whole database well: [Store.Doctor], [Store.Housekeep]
// and [Restore].
package store

import (
	"context"
	"errors"

	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/work"
)

// A Store is an open database, with all that is done to it.
type Store struct{ *intake.Store }

// Open opens the database. A SQLite file that is missing or older is created or
// brought up to date, after a copy of it was made; a PostgreSQL database must be
// migrated already, else the error is [database.ErrOldSchema]. A database of a newer
// program is a [database.NewSchemaError].
func Open(ctx context.Context, cfg database.Config) (*Store, error) {
	s, err := OpenUnmigrated(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Driver == database.SQLite {
		err = s.MigrateUp(ctx)
	} else {
		err = s.CheckSchema(ctx)
	}
	if err == nil {
		err = s.Use(ctx)
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
// and the sums of campaigns that have none, and what changes of settings and members have begun.
// [Open] does so by itself.
func (s *Store) Complete(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.FollowNewRules, s.CountNew, s.ResumeSettingsChanges, s.ResumeMemberChanges} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// OpenUnmigrated opens the database as it is, for the migrate commands.
func OpenUnmigrated(cfg database.Config) (*Store, error) {
	db, err := database.Open(cfg)
	if err != nil {
		return nil, err
	}
	return &Store{intake.New(desk.New(work.New(accounts.New(rounds.New(records.New(db))))))}, nil
}

// Close waits for writes under way and closes the database.
func (s *Store) Close() error {
	s.Wait()
	return s.DB.Close()
}
