package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// linkMemory is how long a spent or expired link is remembered, so that its
// page can say which it is.
const linkMemory = 60 * 24 * time.Hour

// Housekeep does what no request asks for: it frees the places of assignments
// that were left idle in open campaigns, so that a segment does not wait for
// somebody to come by. It deletes sessions and links that have long expired, and the rows
// of imports that were killed. It takes back acts on many segments that were killed, and
// completes changes of settings and of annotators that were.
func (s *Store) Housekeep(ctx context.Context) error {
	now := s.Now()
	err := s.Write(ctx, func(tx *database.Tx) error {
		if err := tx.Exec("DELETE FROM sessions WHERE expires_at < ?", database.InstantOf(now)).Error; err != nil {
			return err
		}
		return tx.Exec("DELETE FROM sign_in_links WHERE expires_at < ?", database.InstantOf(now.Add(-linkMemory))).Error
	})
	if err != nil {
		return fmt.Errorf("delete expired sessions: %w", err)
	}
	if err := s.DropDead(ctx); err != nil {
		return fmt.Errorf("drop imports that were killed: %w", err)
	}
	if err := s.TakeBackAbandoned(ctx); err != nil {
		return fmt.Errorf("take back acts that were killed: %w", err)
	}
	if err := s.ResumeSettingsChanges(ctx); err != nil {
		return fmt.Errorf("have segments follow changed settings: %w", err)
	}
	if err := s.ResumeMemberChanges(ctx); err != nil {
		return fmt.Errorf("decide the segments of annotators anew: %w", err)
	}
	campaigns, err := s.Campaigns(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range campaigns {
		if c.State != campaign.Open {
			continue
		}
		err := s.Write(ctx, func(tx *database.Tx) error {
			c, err := records.LockCampaign(tx, c.ID)
			if err != nil {
				return err
			}
			return s.ReleaseIdle(tx, c)
		})
		if err != nil && !errors.Is(err, campaign.ErrBusy) { // then at the next time
			errs = append(errs, fmt.Errorf("release idle assignments of %q: %w", c.Slug, err))
		}
	}
	return errors.Join(errs...)
}
