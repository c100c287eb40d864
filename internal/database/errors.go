package database

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"annotate/internal/campaign"
)

// translate turns errors of GORM and of both drivers into those of package campaign. A missing
// row becomes ErrNotFound, a row that exists already ErrConflict, a lock that another
// transaction or program holds for too long ErrBusy, a full disk [ErrDiskFull], and a file that can't be written [ErrReadOnly]. A text that
// PostgreSQL can't store becomes ErrNotFound: it can only come from a search, because
// [CheckText] refuses such texts before they are stored. The error of the driver stays within.
//
// GORM calls it for each of its errors, [Scan] and [EachRow] for theirs, and a write for the commit, so
// that rooms need not. Another call changes nothing.
func translate(err error) error {
	for _, known := range []error{campaign.ErrNotFound, campaign.ErrConflict, campaign.ErrBusy, ErrDiskFull, ErrReadOnly} {
		if errors.Is(err, known) {
			return err
		}
	}
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, ErrNoRows) {
		return fmt.Errorf("%w (%w)", campaign.ErrNotFound, err)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "23505": // unique_violation
			return &existsError{err}
		case "55P03": // lock_not_available
			return fmt.Errorf("%w (%w)", campaign.ErrBusy, err)
		case "22021": // character_not_in_repertoire
			return fmt.Errorf("%w (%w)", campaign.ErrNotFound, err)
		case "53100": // disk_full
			return fmt.Errorf("%w (%w)", ErrDiskFull, err)
		}
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() {
		case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
			return &existsError{err}
		case sqlite3.SQLITE_FULL:
			return fmt.Errorf("%w (%w)", ErrDiskFull, err)
		}
		if lite.Code()&0xff == sqlite3.SQLITE_READONLY {
			return fmt.Errorf("%w (%w)", ErrReadOnly, err)
		}
		if IsBusy(err) {
			return fmt.Errorf("%w (%w)", campaign.ErrBusy, err)
		}
	}
	return err
}

// An existsError is the ErrConflict of a row that exists already. Its message is for people,
// so it leaves out the words of the driver.
type existsError struct{ err error }

func (e *existsError) Error() string { return "this exists already or was changed meanwhile" }

func (e *existsError) Unwrap() error { return e.err }

func (e *existsError) Is(target error) bool { return target == campaign.ErrConflict }

// retriable reports whether PostgreSQL ended a transaction that may succeed if it is run
// again.
func retriable(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40P01" || pg.Code == "40001") // deadlock_detected, serialization_failure
}

// IsBusy reports whether SQLite could not get a lock.
func IsBusy(err error) bool {
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && lite.Code()&0xff == sqlite3.SQLITE_BUSY
}

// IsReferred reports whether a row could not be deleted because other rows refer to it.
func IsReferred(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23503" // foreign_key_violation
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && lite.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}
