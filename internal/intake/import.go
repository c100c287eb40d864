package intake

import (
	"context"
	"errors"
	"iter"

	"annotate/internal/campaign"
	"annotate/internal/staging"
)

// ImportOptions name the import for the audit log, and say whether to keep it.
type ImportOptions = staging.Options

// eachLine adds the lines of an input. One that is a problem is told and left out;
// any other error, also that of ctx, ends it.
func eachLine[T any](ctx context.Context, lines iter.Seq2[T, error], problem func(*campaign.Problem), add func(T) error) error {
	for line, err := range lines {
		if p, ok := errors.AsType[*campaign.Problem](err); ok {
			problem(p)
			continue
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := add(line); err != nil {
			return err
		}
	}
	return nil
}
