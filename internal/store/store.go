// Package store joins the packages that store data: database, records, rounds, accounts, planning,
// qualification, work, desk, imports, staging, intake and runs. Each of them builds on the one before, so a [Store] has the
// methods of all of them.
//
// It also looks after a database as a whole: [Store.Doctor], [Store.Housekeep] and [Restore].
package store

import (
	"context"
	"errors"

	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/judging"
	"annotate/internal/planning"
	"annotate/internal/qualification"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/work"
)

// A Store is an open database with all operations on it.
type Store struct{ *judging.Store }

// Open opens the database. It makes a missing SQLite file, and migrates an older one after copying
// it. A PostgreSQL database must have been migrated before, otherwise the error is
// [database.ErrOldSchema]. If this program cannot use the schema of the database, the error is a
// *[database.SchemaError].
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

// Complete completes changes of settings and of members that killed programs have left. [Open] calls
// it.
func (s *Store) Complete(ctx context.Context) error {
	if err := s.ResumeSettingsChanges(ctx); err != nil {
		return err
	}
	return s.ResumeMemberChanges(ctx)
}

// OpenUnmigrated opens the database without migrating it, for the migrate commands.
func OpenUnmigrated(cfg database.Config) (*Store, error) {
	db, err := database.Open(cfg)
	if err != nil {
		return nil, err
	}
	db.OnTouched = desk.CountTouched
	return &Store{judging.New(intake.New(desk.New(work.New(qualification.New(planning.New(accounts.New(rounds.New(records.New(db)))))))))}, nil
}

// Close waits for writes under way and closes the database.
func (s *Store) Close() error {
	s.Wait()
	return s.DB.Close()
}
