package accounts

import (
	"context"
	"errors"
	"sync"

	"annotate/internal/database"
	"annotate/migrations"
)

// access keeps in memory whom a session signs in, and what this person may do in a campaign, because every request asks for
// both. An answer is kept as long as the value of [migrations.AccessVersion] is the one that was read before the answer.
type access struct {
	mu      sync.Mutex
	version int64
	answers map[any]any // by question
}

// maxAnswers is the largest number of answers that are kept.
const maxAnswers = 4_000

// versionKey is the key of the version in a context; see [Store.AsOfNow].
type versionKey struct{}

// AsOfNow reads the version once for all questions of a request. With the context that it returns, [Store.Visit] and [Store.CampaignFor]
// do not read the version themselves. Only the beginning of a request may use this context, because a change that the request makes does not
// count with it.
func (s *Store) AsOfNow(ctx context.Context) (context.Context, error) {
	if s.db.Dialect == database.Postgres {
		return ctx, nil
	}
	version, err := s.accessVersion(ctx)
	return context.WithValue(ctx, versionKey{}, version), err
}

// accessVersion returns the version of a context, or else reads the present one.
func (s *Store) accessVersion(ctx context.Context) (version int64, err error) {
	if known, ok := ctx.Value(versionKey{}).(int64); ok {
		return known, nil
	}
	// Without cancellation, because the driver starts a goroutine for each query that can be cancelled.
	db := s.db.Read(context.WithoutCancel(ctx))
	err = database.Scan(database.Query(db, "SELECT value FROM application_values WHERE name = ?", migrations.AccessVersion), &version)
	if errors.Is(err, database.ErrNoRows) { // before the first change
		return 0, nil
	}
	return version, err
}

// ask returns the kept answer to a question, or that of read. On PostgreSQL nothing is kept. Errors are not kept.
func ask[A any](ctx context.Context, s *Store, question any, read func() (A, error)) (answer A, err error) {
	if s.db.Dialect == database.Postgres {
		return read()
	}
	version, err := s.accessVersion(ctx)
	if err != nil {
		return answer, err
	}
	kept := s.access
	kept.mu.Lock()
	if version > kept.version || len(kept.answers) >= maxAnswers {
		kept.version = max(version, kept.version)
		clear(kept.answers)
	}
	known, ok := kept.answers[question]
	ok = ok && version == kept.version
	kept.mu.Unlock()
	if ok {
		return known.(A), nil
	}
	if answer, err = read(); err != nil {
		return answer, err
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if version == kept.version {
		kept.answers[question] = answer
	}
	return answer, nil
}
