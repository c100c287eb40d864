package rounds

import (
	"context"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// PreviewChange computes what a change of settings would do to the segments of a campaign.
// pairs are "key=value" texts. It stores nothing, and no other change waits for it. A wrong
// setting is a *campaign.InvalidError.
func (s *Store) PreviewChange(ctx context.Context, c campaign.Campaign, pairs []string) (readmodel.SettingsPreview, error) {
	var effect readmodel.SettingsPreview
	settings, err := c.Settings.WithPairs(pairs)
	if err != nil {
		return effect, err
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		before, err := records.ReadCampaign(db, c.ID)
		if err != nil {
			return err
		}
		after, err := withSettings(before, settings)
		if err != nil {
			return err
		}
		if !decidesAnew(before, after) {
			return nil
		}
		facts := NewFactReader(db, c.ID)
		if WeighDifferently(before.Rules, after.Rules) {
			if facts.terms, err = records.NewOwnTerms(after); err != nil {
				return err
			}
		}
		return EachSegmentBatch(db, c.ID, FollowBatch, func(ids []string) error {
			segments, err := facts.Of(ids)
			for _, seg := range segments {
				effect.Add(seg.Stored.Status, seg.Stored.Round, after.Settings.Follow(seg.Facts))
			}
			return err
		})
	})
	return effect, err
}
