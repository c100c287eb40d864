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

// linkMemory is how long an expired link is stored after its end, so that its page can say that the
// link has been used or has expired.
const linkMemory = 60 * 24 * time.Hour

// Housekeep does the regular work that no request asks for. It releases idle assignments in open
// campaigns, which frees their places. It deletes expired sessions and links, and the rows of
// imports of programs that were killed, and of deleted campaigns. It takes back the acts on many segments of such programs,
// and completes their changes of settings and of annotators. Campaigns with the setting follow=auto take over what is ready. Annotators
// are mailed about due dates. A step that fails does not keep the
// others from being done; the error joins those of all steps. Housekeep waits while
// another server on the database does this work.
func (s *Store) Housekeep(ctx context.Context) error {
	return s.Jobs.Alone(ctx, "housekeeping", s.housekeep)
}

func (s *Store) housekeep(ctx context.Context) error {
	var errs []error
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"delete expired sessions", s.deleteExpired},
		{"forgive failures to sign in", s.Accounts.ForgiveFailures},
		{"delete the leases of servers that died", s.Jobs.DeleteExpired},
		{"forget jobs of programs", s.Jobs.DeletePrograms},
		{"delete old deliveries", s.Outbox.DeleteOld},
		{"complete deletions of campaigns", s.CompleteDeletions},
		{"drop imports that were killed", s.Intake.DropDead},
		{"take back acts that were killed", s.Rounds.TakeBackAbandoned},
		{"have segments follow changed settings and annotators", s.Rounds.GoOn},
		{"release idle assignments", s.releaseAllIdle},
		{"take over what campaigns hand on", s.takeOverAll},
		{"remind of due dates", s.remindAll},
	} {
		if err := step.do(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", step.name, err))
		}
	}
	return errors.Join(errs...)
}

// deleteExpired deletes sessions, tokens and links that have expired.
func (s *Store) deleteExpired(ctx context.Context) error {
	now := s.DB.Now()
	return s.DB.Write(ctx, func(tx *database.Tx) error {
		if err := tx.Exec("DELETE FROM sessions WHERE expires_at < ?", database.InstantOf(now)).Error; err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM tokens WHERE expires_at < ?", database.InstantOf(now.Add(-linkMemory))).Error; err != nil {
			return err
		}
		return tx.Exec("DELETE FROM sign_in_links WHERE expires_at < ?", database.InstantOf(now.Add(-linkMemory))).Error
	})
}

// eachOpen calls do for each open campaign, also after errors, and joins its errors.
func (s *Store) eachOpen(ctx context.Context, do func(campaign.Campaign) error) error {
	campaigns, err := s.Records.Campaigns(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range campaigns {
		if c.State != campaign.Open {
			continue
		}
		if err := do(c); err != nil {
			errs = append(errs, fmt.Errorf("campaign %q: %w", c.Slug, err))
		}
	}
	return errors.Join(errs...)
}

// releaseAllIdle releases the idle assignments of all open campaigns.
func (s *Store) releaseAllIdle(ctx context.Context) error {
	return s.eachOpen(ctx, func(c campaign.Campaign) (err error) {
		for more := true; more && err == nil; {
			err = s.DB.Write(ctx, func(tx *database.Tx) error {
				c, err := records.LockCampaign(tx, c.ID)
				if err != nil {
					return err
				}
				more, err = s.Work.ReleaseIdle(tx, c)
				return err
			})
		}
		if errors.Is(err, campaign.ErrBusy) { // the next run does a busy campaign
			return nil
		}
		return err
	})
}

// takeOverAll takes over what is ready for each open campaign whose setting follow is auto, in one import each.
func (s *Store) takeOverAll(ctx context.Context) error {
	return s.eachOpen(ctx, func(c campaign.Campaign) error {
		if c.Settings.TakesOver != "auto" {
			return nil
		}
		ready, err := s.Intake.Following(ctx, c)
		if err == nil && ready != nil && ready.Ready > 0 {
			if _, busy := s.Intake.StagedImport(ctx, c.ID); errors.Is(busy, campaign.ErrNotFound) { // another import is done first
				_, err = s.Intake.TakeOver(ctx, c.ID, "")
			}
		}
		if errors.Is(err, campaign.ErrBusy) || errors.Is(err, campaign.ErrConflict) { // somebody did it, or closed the campaign
			return nil
		}
		return err
	})
}

// remindAll has the annotators of all open campaigns mailed about due dates.
func (s *Store) remindAll(ctx context.Context) error {
	if !s.Outbox.Mails() {
		return nil
	}
	return s.eachOpen(ctx, func(c campaign.Campaign) error { return s.Plan.Remind(ctx, c) })
}
