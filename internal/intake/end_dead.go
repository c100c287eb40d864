package intake

import (
	"context"
	"errors"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// stage begins an import into a campaign, as [Store.StageImport] does.
func (s *Store) stage(ctx context.Context, campaignID string, of stagedKind) (*stagedImport, campaign.Campaign, error) {
	return s.StageImport(ctx, campaignID, of, s.endDead)
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
		return database.Translate(err)
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
