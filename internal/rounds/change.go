package rounds

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// ChangeCampaign changes a campaign and writes the change to the audit log. userID is the
// user who made the change; it is empty for the command line. Once the campaign has
// segments, its languages can't be changed (ErrConflict), but a language that is not known
// yet can be set.
//
// The settings source_error and critical change the weights of errors, and so the scores of
// existing ratings. If a severity is no longer offered but existing ratings have it, it
// becomes the campaign's own severity and its errors weigh 0 until it is offered again.
//
// A change that was made from an older version of the settings is refused with a
// [campaign.CollisionError] if it would undo changes that others have made since. It keeps
// all other changes that others have made since.
//
// If scores, redundancy, threshold, tolerance, gate or the number of rounds change, the state
// of every segment is computed again ([campaign.Settings.Follow]). If there are many
// segments this is done in steps, which continue even if ctx is cancelled.
func (s *Store) ChangeCampaign(ctx context.Context, campaignID, userID string, change records.CampaignChange) error {
	_, err := s.ApplyChange(ctx, campaignID, userID, change)
	return err
}

// ApplyChange is [Store.ChangeCampaign]. It returns what the change did to the segments. If another program
// did the last step of many, only the audit log says what the change did.
func (s *Store) ApplyChange(ctx context.Context, campaignID, userID string, change records.CampaignChange) (readmodel.SettingsPreview, error) {
	b, err := s.beginChange(ctx, campaignID, userID, change)
	if err != nil || !b.underWay {
		return b.effect.preview(), err
	}
	j, err := s.finishJob(context.WithoutCancel(ctx), campaignID)
	if err != nil || j.ID == "" {
		return readmodel.SettingsPreview{}, err
	}
	e, err := effectOf(j)
	return e.preview(), err
}

// BeginChange is [Store.ChangeCampaign] without the steps for many segments. If underWay is
// true, the caller must call [Store.FollowSettings] for them.
func (s *Store) BeginChange(ctx context.Context, campaignID, userID string, change records.CampaignChange) (underWay bool, err error) {
	b, err := s.beginChange(ctx, campaignID, userID, change)
	return b.underWay, err
}

// A begunChange is a change of settings that is stored.
type begunChange struct {
	effect   settingsEffect
	underWay bool // the states of the segments do not follow the change yet
}

func (s *Store) beginChange(ctx context.Context, campaignID, userID string, change records.CampaignChange) (begun begunChange, err error) {
	used, err := s.noLongerOffered(ctx, campaignID, change)
	if err != nil {
		return begun, err
	}
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		begun = begunChange{}
		c, err := records.LockToChange(tx, campaignID)
		if err != nil {
			return err
		}
		tx.TouchCampaign(c.ID)
		before := c
		if change.Title != nil {
			c.Title = *change.Title
		}
		if change.SourceLang != nil {
			c.SourceLang = *change.SourceLang
		}
		if change.TargetLang != nil {
			c.TargetLang = *change.TargetLang
		}
		if change.State != nil {
			c.State = *change.State
		}
		if c.Settings, err = c.Settings.WithPairs(change.Settings); err != nil {
			return err
		}
		if err := records.CheckCampaign(c); err != nil {
			return err
		}
		// Only changed languages are checked: an older version of the program may have
		// stored one that the check refuses.
		if err := records.CheckLanguages(records.Changed(before.SourceLang, c.SourceLang),
			records.Changed(before.TargetLang, c.TargetLang)); err != nil {
			return err
		}
		if before.Settings.Apart != c.Settings.Apart {
			if err := records.ResolveApart(tx, c); err != nil {
				return err
			}
		}
		changes := before.ChangesTo(c)
		if err := records.CheckCollisions(tx.DB, before, change.FromVersion, changes); err != nil {
			return err
		}
		if len(changes) > 0 {
			c.SettingsVersion++
		}
		if records.LanguageChanged(before.SourceLang, c.SourceLang) || records.LanguageChanged(before.TargetLang, c.TargetLang) {
			var n int64
			if err := database.Scan(tx.Raw("SELECT count(*) FROM systems WHERE campaign_id = ?", c.ID), &n); err != nil {
				return err
			}
			if n > 0 {
				return fmt.Errorf("the languages can't be changed once segments are imported: %w", campaign.ErrConflict)
			}
		}
		if begun.effect, err = newRules(before, &c, used); err != nil {
			return err
		}
		err = tx.Exec("UPDATE campaigns SET title = ?, source_lang = ?, target_lang = ?, state = ?, settings = ?, own_terms = ?, settings_version = ? WHERE id = ?",
			c.Title, c.SourceLang, c.TargetLang, string(c.State), records.EncodeSettings(c.Settings), records.EncodeOwn(c.Own), c.SettingsVersion, c.ID).Error
		if err != nil {
			return err
		}
		if begun.effect, begun.underWay, err = s.followChange(tx, before, c, userID, begun.effect); err != nil {
			return err
		}
		if err := s.records.NoteChanges(tx, userID, c, changes); err != nil || begun.underWay {
			return err
		}
		return begun.effect.note(s, tx, c.ID, userID)
	})
	return begun, err
}

// decidesAnew reports whether a change of settings may change the states of segments.
func decidesAnew(before, after campaign.Campaign) bool {
	a, b := before.Settings, after.Settings
	return a.Threshold != b.Threshold || a.Tolerance != b.Tolerance || a.Gate != b.Gate || a.Rounds != b.Rounds ||
		a.Redundancy != b.Redundancy ||
		WeighDifferently(before.Rules, after.Rules)
}

// withSettings returns the campaign with other settings, and with the severities and the
// protocol that these settings give.
func withSettings(c campaign.Campaign, settings campaign.Settings) (campaign.Campaign, error) {
	base, err := records.BaseProtocol(c.Protocol, c.Definition)
	if err != nil {
		return c, err
	}
	c.Settings = settings
	c.Own = withoutOffered(c.Own, base.With(settings.Options(protocol.Own{})))
	c.Rules = base.With(settings.Options(c.Own))
	return c, nil
}
