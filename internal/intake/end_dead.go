package intake

import (
	"context"
	"errors"
	"time"

	"annotate/internal/campaign"
)

// A watch is on the import that another program has under way in a campaign.
type watch struct {
	s          *Store
	campaignID string
	other      stagedRow
	seen       time.Time // when other last changed
}

// wait waits a moment for the import, if there is one. If its program was killed, wait ends it.
func (w *watch) wait(ctx context.Context) error {
	now, err := w.s.StagedImport(ctx, w.campaignID)
	switch {
	case errors.Is(err, campaign.ErrNotFound):
		return nil
	case err != nil:
		return err
	case now != w.other:
		w.other, w.seen = now, time.Now()
	}
	if w.other.Dropped || time.Since(w.seen) >= w.s.db.DeadAfter {
		return w.s.endDead(ctx, w.other)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(200*time.Millisecond, w.s.db.DeadAfter)):
		return nil
	}
}

// endDead ends an import whose program was killed. One that was being completed is
// completed, any other one dropped.
func (s *Store) endDead(ctx context.Context, i stagedRow) error {
	if err := s.completeImport(ctx, i.CampaignID, i.ID, func(placement, int) {}); err != nil {
		return err
	}
	return s.DropStaged(ctx, i)
}

// DropDead ends imports whose program was killed, and likewise undoing.
func (s *Store) DropDead(ctx context.Context) error {
	var before []stagedRow
	if err := s.db.Read(ctx).Raw("SELECT * FROM staged_imports").Scan(&before).Error; err != nil {
		return err
	}
	if len(before) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.db.DeadAfter):
		}
	}
	for _, was := range before {
		is, err := s.StagedImport(ctx, was.CampaignID)
		switch {
		case errors.Is(err, campaign.ErrNotFound):
			continue
		case err != nil:
			return err
		case is == was || is.Dropped:
			if err := s.endDead(ctx, is); err != nil {
				return err
			}
		}
	}
	return nil
}
