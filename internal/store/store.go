// Package store opens a database with all packages that store data. Each of them is a field of a [Store], and
// reads and writes one part: [accounts], [rounds], [work] and so on.
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
	"annotate/internal/jobs"
	"annotate/internal/judgeruns"
	"annotate/internal/outbox"
	"annotate/internal/qualification"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/secrets"
	"annotate/internal/work"
)

// A Store is an open database with all that can be done with it.
type Store struct {
	DB        *database.DB
	Records   *records.Store
	Rounds    *rounds.Store
	Accounts  *accounts.Store
	Plan      *work.Plans
	Training  *qualification.Store
	Work      *work.Store
	Desk      *desk.Store
	Intake    *intake.Store
	JudgeRuns *judgeruns.Store
	Outbox    *outbox.Store
	Secrets   *secrets.Box
	Jobs      *jobs.Store
}

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
		err = s.DB.MigrateUp(ctx)
	} else {
		err = s.DB.CheckSchema(ctx)
	}
	if err == nil {
		err = s.DB.CheckMoved(ctx)
	}
	if err == nil {
		err = s.DB.Use(ctx)
	}
	if err == nil {
		err = s.Desk.CountUncounted(ctx)
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
func (s *Store) Complete(ctx context.Context) error { return s.Rounds.GoOn(ctx) }

// OpenUnmigrated opens the database without migrating it, for the migrate commands.
func OpenUnmigrated(cfg database.Config) (*Store, error) {
	db, err := database.Open(cfg)
	if err != nil {
		return nil, err
	}
	db.OnTouched = desk.CountTouched
	r := records.New(db)
	box := secrets.New(db)
	o := outbox.New(db, r, box)
	f := rounds.New(db, r, o)
	a := accounts.New(db, r, f, box, o)
	t := qualification.New(db, r, f)
	return &Store{DB: db, Records: r, Rounds: f, Accounts: a, Plan: work.NewPlans(db, r, o), Training: t, Work: work.New(db, r, f, t, o),
		Desk: desk.New(db, r, f), Intake: intake.New(db, r, f, a, o), JudgeRuns: judgeruns.New(db, r, o), Outbox: o, Secrets: box, Jobs: jobs.New(db)}, nil
}

// Close waits for writes under way and closes the database.
func (s *Store) Close() error {
	s.Accounts.Wait()
	return s.DB.Close()
}
