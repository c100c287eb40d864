package rounds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// ChangeCampaign applies a change and writes it to the audit log under the name
// of the user, who may be empty for the command line. A language can't be
// changed once segments are in (ErrConflict), but one can be given that neither
// the campaign nor the import named.
//
// A setting that changes what errors cost (source_error, critical) changes the
// scores of the ratings that are in. A severity that is no longer offered but
// used stays the campaign's own, and costs nothing until it is offered again.
//
// A change made from an older version of the settings is refused with a
// [campaign.CollisionError] where it would undo what others have changed since. The
// other values that others have changed since stay as they are.
//
// Where scores change, and with another redundancy, threshold, tolerance, gate or
// number of rounds, the state of every segment follows anew from its facts
// ([campaign.Settings.Follow]). Many segments follow in steps. Once the settings are stored,
// that goes on although ctx is cancelled.
func (s *Store) ChangeCampaign(ctx context.Context, campaignID, userID string, change records.CampaignChange) error {
	_, err := s.ApplyChange(ctx, campaignID, userID, change)
	return err
}

// ApplyChange is [Store.ChangeCampaign], and tells what became of the segments.
func (s *Store) ApplyChange(ctx context.Context, campaignID, userID string, change records.CampaignChange) (SettingsPreview, error) {
	b, err := s.beginChange(ctx, campaignID, userID, change)
	if err != nil || !b.underWay {
		return b.effect.preview(), err
	}
	ctx = context.WithoutCancel(ctx)
	if err := s.FollowSettings(ctx, campaignID); err != nil {
		return SettingsPreview{}, err
	}
	return s.effectOf(ctx, campaignID, b.version)
}

// BeginChange is [Store.ChangeCampaign], but leaves it to [Store.FollowSettings] to have
// many segments follow, and reports whether they are many.
func (s *Store) BeginChange(ctx context.Context, campaignID, userID string, change records.CampaignChange) (underWay bool, err error) {
	b, err := s.beginChange(ctx, campaignID, userID, change)
	return b.underWay, err
}

// A begunChange is a change of settings that is stored.
type begunChange struct {
	effect   settingsEffect
	underWay bool // the segments are still to follow
	version  int  // of the settings
}

func (s *Store) beginChange(ctx context.Context, campaignID, userID string, change records.CampaignChange) (begun begunChange, err error) {
	used, err := s.noLongerOffered(ctx, campaignID, change)
	if err != nil {
		return begun, err
	}
	err = s.Write(ctx, func(tx *database.Tx) error {
		begun = begunChange{}
		c, err := records.LockCampaign(tx, campaignID)
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
		// A language that is there may be older than the rule for tags.
		if err := records.CheckLanguages(records.Changed(before.SourceLang, c.SourceLang), records.Changed(before.TargetLang, c.TargetLang)); err != nil {
			return err
		}
		changes := before.ChangesTo(c)
		if err := records.CheckCollisions(tx.DB, before, change.FromVersion, changes); err != nil {
			return err
		}
		if len(changes) > 0 {
			c.SettingsVersion++
		}
		if records.OtherThan(before.SourceLang, c.SourceLang) || records.OtherThan(before.TargetLang, c.TargetLang) {
			var n int64
			if err := database.Scan(tx.Raw("SELECT count(*) FROM systems WHERE campaign_id = ?", c.ID), &n); err != nil {
				return err
			}
			if n > 0 {
				return fmt.Errorf("the languages can't be changed once segments are imported: %w", campaign.ErrConflict)
			}
		}
		begun.version = c.SettingsVersion
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
		if err := s.NoteChanges(tx, userID, c, changes); err != nil || begun.underWay {
			return err
		}
		return begun.effect.note(s, tx, c.ID, userID)
	})
	return begun, err
}

// A SettingsPreview is what a change of settings does, or would do, to the
// segments of a campaign.
type SettingsPreview struct {
	Segments int                    // that were looked at; 0 where the change decides nothing
	Moves    []readmodel.StatusMove // in the order of campaign.Statuses
	SentBack int                    // get a further look
	// Withdrawn second looks are not needed any more. What is begun of them is kept.
	Withdrawn int
	Discarded int
	ToGold    int // get into gold
	OutOfGold int // leave it
	// Rescored says what another weight of errors did to the scores of ratings; empty
	// where nothing was to be done, and in a preview.
	Rescored string
}

// Changed is the number of segments that get another status or round.
func (p SettingsPreview) Changed() int {
	n := 0
	for _, m := range p.Moves {
		n += m.N
	}
	return n
}

// String tells it in one line: "3 of 200 segments change: 2 agreed -> reannotate,
// 1 discarded -> agreed".
func (p SettingsPreview) String() string {
	if p.Segments == 0 {
		return "no segment is decided anew"
	}
	if len(p.Moves) == 0 {
		return fmt.Sprintf("none of %d segments changes", p.Segments)
	}
	moves := make([]string, len(p.Moves))
	for i, m := range p.Moves {
		moves[i] = fmt.Sprintf("%d %s -> %s", m.N, m.From, m.To)
	}
	return fmt.Sprintf("%d of %d segments change: %s", p.Changed(), p.Segments, strings.Join(moves, ", "))
}

// add counts what becomes of a segment that has a status and is in a round.
func (p *SettingsPreview) add(status campaign.Status, round int, o campaign.Outcome) {
	p.Segments++
	// What a lead or an adjudicator has decided is the same in another round.
	if status == o.Status && (round == o.Round || o.Holding != "") {
		return
	}
	at, found := slices.BinarySearchFunc(p.Moves, readmodel.StatusMove{From: status, To: o.Status}, func(a, b readmodel.StatusMove) int {
		return cmp.Or(cmp.Compare(slices.Index(campaign.Statuses, a.From), slices.Index(campaign.Statuses, b.From)),
			cmp.Compare(slices.Index(campaign.Statuses, a.To), slices.Index(campaign.Statuses, b.To)))
	})
	if !found {
		p.Moves = slices.Insert(p.Moves, at, readmodel.StatusMove{From: status, To: o.Status})
	}
	p.Moves[at].N++
	for _, c := range []struct {
		n  *int
		is bool
	}{
		{&p.SentBack, o.Status == campaign.Reannotate && (status != campaign.Reannotate || o.Round > round)},
		{&p.Withdrawn, status == campaign.Reannotate && o.Status != campaign.Reannotate},
		{&p.Discarded, o.Status == campaign.Discarded && status != campaign.Discarded},
		{&p.ToGold, o.Status.InGold() && !status.InGold()},
		{&p.OutOfGold, status.InGold() && !o.Status.InGold()},
	} {
		if c.is {
			*c.n++
		}
	}
}

// decidesAnew reports whether the states of segments may follow differently from a
// change of settings.
func decidesAnew(before, after campaign.Campaign) bool {
	a, b := before.Settings, after.Settings
	return a.Threshold != b.Threshold || a.Tolerance != b.Tolerance || a.Gate != b.Gate || a.Rounds != b.Rounds || a.Redundancy != b.Redundancy ||
		WeighDifferently(before.Rules, after.Rules)
}

// PreviewChange computes what a change of settings, "key=value" each, would do to
// the segments of a campaign, without doing it and without keeping anybody
// waiting. A wrong setting is a *campaign.InvalidError.
func (s *Store) PreviewChange(ctx context.Context, c campaign.Campaign, pairs []string) (SettingsPreview, error) {
	var effect SettingsPreview
	settings, err := c.Settings.WithPairs(pairs)
	if err != nil {
		return effect, err
	}
	err = s.Snapshot(ctx, func(db *gorm.DB) error {
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
		facts, err := NewFactReader(db, c.ID)
		if err != nil {
			return err
		}
		if WeighDifferently(before.Rules, after.Rules) {
			if facts.terms, err = records.NewOwnTerms(after); err != nil {
				return err
			}
		}
		return EachSegmentBatch(db, c.ID, FollowBatch, func(ids []string) error {
			segments, err := facts.Of(ids)
			for _, seg := range segments {
				effect.add(seg.Status, seg.round, after.Settings.Follow(seg.Facts))
			}
			return err
		})
	})
	return effect, err
}

// withSettings is a campaign with other settings, and the rules that follow.
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
