package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// A SettingsPreview is what a change of settings does, or would do, to the
// segments of a campaign.
type SettingsPreview struct {
	Segments int          // that were looked at; 0 where the change decides nothing
	Moves    []StatusMove // in the order of campaign.Statuses
	SentBack int          // get a further look
	// Withdrawn second looks: nobody has begun them, and their segment is decided
	// without.
	Withdrawn int
	Discarded int
	ToGold    int // get into gold
	OutOfGold int // leave it
	// Rescored says what another weight of errors did to the scores of ratings; empty
	// where nothing was to be done, and in a preview.
	Rescored string
}

// A StatusMove counts the segments that go from one status to another. From and
// To are equal where only the round changes.
type StatusMove struct {
	From, To campaign.Status
	N        int
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
	if status == o.Status && round == o.Round {
		return
	}
	at, found := slices.BinarySearchFunc(p.Moves, StatusMove{From: status, To: o.Status}, func(a, b StatusMove) int {
		return cmp.Or(cmp.Compare(slices.Index(campaign.Statuses, a.From), slices.Index(campaign.Statuses, b.From)),
			cmp.Compare(slices.Index(campaign.Statuses, a.To), slices.Index(campaign.Statuses, b.To)))
	})
	if !found {
		p.Moves = slices.Insert(p.Moves, at, StatusMove{From: status, To: o.Status})
	}
	p.Moves[at].N++
	for _, c := range []struct {
		n  *int
		is bool
	}{
		{&p.SentBack, o.Status == campaign.Reannotate && (status != campaign.Reannotate || o.Round > round)},
		{&p.Withdrawn, status == campaign.Reannotate && o.Status != campaign.Pending && o.Status != campaign.Reannotate},
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
		weighDifferently(before.Rules, after.Rules)
}

// followChange follows every segment where a change of settings may decide anew.
func (s *Store) followChange(tx *gorm.DB, before, c campaign.Campaign) (SettingsPreview, error) {
	if !decidesAnew(before, c) {
		return SettingsPreview{}, nil
	}
	f, err := s.newFollowing(tx, c)
	if err != nil {
		return SettingsPreview{}, err
	}
	err = f.all()
	return f.effect, err
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
	err = s.snapshot(ctx, func(db *gorm.DB) error {
		before, err := readCampaign(db, c.ID)
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
		facts, err := newFactReader(db, c.ID)
		if err != nil {
			return err
		}
		if weighDifferently(before.Rules, after.Rules) {
			if facts.terms, err = newOwnTerms(after); err != nil {
				return err
			}
		}
		return eachSegmentBatch(db, c.ID, followBatch, func(ids []string) error {
			segments, err := facts.of(ids)
			for _, seg := range segments {
				effect.add(seg.status, seg.round, after.Settings.Follow(seg.Facts))
			}
			return err
		})
	})
	return effect, err
}

// withSettings is a campaign with other settings, and the rules that follow.
func withSettings(c campaign.Campaign, settings campaign.Settings) (campaign.Campaign, error) {
	base, err := baseProtocol(c.Protocol, c.Definition)
	if err != nil {
		return c, err
	}
	c.Settings = settings
	c.Own = withoutOffered(c.Own, base.With(settings.Options(protocol.Own{})))
	c.Rules = base.With(settings.Options(c.Own))
	return c, nil
}
