package accounts

import (
	"context"
	"time"

	"annotate/internal/database"
)

// A FailureLimit says how often a subject, such as an address, may fail to sign in: Burst times at once, and once more
// whenever the time Every has passed.
type FailureLimit struct {
	Every time.Duration
	Burst int
}

// An Attempt to sign in counts against the limit of a subject.
type Attempt struct {
	Subject string // a keyed hash; what a visitor typed may be a password
	Limit   FailureLimit
}

// failuresLeft is the number of failures of a row that are not forgiven at the time excluded.at. Its parameter is the time
// in which one is forgiven, in microseconds.
const failuresLeft = `(CASE WHEN excluded.at - sign_in_failures.at < 0 THEN sign_in_failures.failures
	WHEN sign_in_failures.failures > (excluded.at - sign_in_failures.at) / CAST(? AS DOUBLE PRECISION) THEN sign_in_failures.failures - (excluded.at - sign_in_failures.at) / CAST(? AS DOUBLE PRECISION)
	ELSE 0 END)`

// CountAttempts counts attempts as failures, up to the first whose subject has too many, and returns how many it has counted.
// An attempt under way counts as a failure until [Store.TakeBackAttempts], so that many at the same time do not slip through.
func (s *Store) CountAttempts(ctx context.Context, attempts ...Attempt) (counted int, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		counted = 0
		for _, a := range attempts {
			every := a.Limit.Every.Microseconds()
			r := tx.Exec(`INSERT INTO sign_in_failures (subject, failures, at) VALUES (?, 1, ?) ON CONFLICT (subject) DO UPDATE
				SET failures = `+failuresLeft+` + 1, at = excluded.at WHERE `+failuresLeft+` + 1 <= ?`,
				a.Subject, database.InstantOf(tx.Now()), every, every, every, every, a.Limit.Burst)
			if r.Error != nil || r.RowsAffected == 0 {
				return r.Error
			}
			counted++
		}
		return nil
	})
	return counted, err
}

// TakeBackAttempts takes back what [Store.CountAttempts] counted, since the attempts succeeded.
func (s *Store) TakeBackAttempts(ctx context.Context, attempts ...Attempt) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		for _, a := range attempts {
			err := tx.Exec("UPDATE sign_in_failures SET failures = CASE WHEN failures > 1 THEN failures - 1 ELSE 0 END WHERE subject = ?", a.Subject).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// forgiven is the time after which every failure is forgiven, whatever the limit was.
const forgiven = time.Hour

// ForgiveFailures deletes the rows of failures that are all forgiven.
func (s *Store) ForgiveFailures(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM sign_in_failures WHERE failures <= 0 OR at < ?", database.InstantOf(tx.Now().Add(-forgiven))).Error
	})
}
