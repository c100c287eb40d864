package store

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// importLines runs an import in one transaction, all or nothing: it locks the
// campaign, refuses a closed one, makes the problems that the act collects its
// error, and writes the audit log. The act returns what it brought, for the log.
func (s *Store) importLines(ctx context.Context, campaignID, name string, opt ImportOptions, act func(*gorm.DB, campaign.Campaign, *campaign.Problems) (string, error)) error {
	err := s.writeLong(ctx, func(tx *gorm.DB) error {
		c, err := lockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		if c.State == campaign.Closed {
			return fmt.Errorf("campaign %q is closed; open it before importing: %w", c.Slug, campaign.ErrConflict)
		}
		var problems campaign.Problems
		brought, err := act(tx, c, &problems)
		if err != nil {
			return err
		}
		if problems.Count() > 0 {
			problems.Sort()
			return &problems
		}
		if opt.Check {
			return errCheckOnly
		}
		if err := noteImport(tx, campaignID); err != nil {
			return err
		}
		return s.audit(tx, campaignID, opt.ByID, name, fmt.Sprintf("%s: %s", opt.File, brought), "")
	})
	if errors.Is(err, errCheckOnly) {
		err = nil
	}
	return err
}

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
