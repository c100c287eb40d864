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
// segments of a campaign that are not in a lead's hands.
type SettingsPreview struct {
	Segments int          // that were formed anew; 0 where the change decides nothing anew
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

func (p *SettingsPreview) add(h campaign.History, o campaign.Outcome) {
	p.Segments++
	if h.Status == o.Status && h.Round == o.Round {
		return
	}
	at, found := slices.BinarySearchFunc(p.Moves, StatusMove{From: h.Status, To: o.Status}, func(a, b StatusMove) int {
		return cmp.Or(cmp.Compare(slices.Index(campaign.Statuses, a.From), slices.Index(campaign.Statuses, b.From)),
			cmp.Compare(slices.Index(campaign.Statuses, a.To), slices.Index(campaign.Statuses, b.To)))
	})
	if !found {
		p.Moves = slices.Insert(p.Moves, at, StatusMove{From: h.Status, To: o.Status})
	}
	p.Moves[at].N++
	for _, c := range []struct {
		n  *int
		is bool
	}{
		{&p.SentBack, o.Status == campaign.Reannotate && (h.Status != campaign.Reannotate || o.Round > h.Round)},
		{&p.Withdrawn, h.Status == campaign.Reannotate && o.Status != campaign.Pending && o.Round < h.Round},
		{&p.Discarded, o.Status == campaign.Discarded && h.Status != campaign.Discarded},
		{&p.ToGold, o.Status.InGold() && !h.Status.InGold()},
		{&p.OutOfGold, h.Status.InGold() && !o.Status.InGold()},
	} {
		if c.is {
			*c.n++
		}
	}
}

// decidesAnew reports whether a change of settings has every segment decided anew.
func decidesAnew(before, after campaign.Campaign) bool {
	a, b := before.Settings, after.Settings
	return a.Threshold != b.Threshold || a.Tolerance != b.Tolerance || a.Gate != b.Gate || a.Rounds != b.Rounds || weighDifferently(before.Rules, after.Rules)
}

// followChange forms anew what a change of settings has changed: every segment
// where the rule of the gate or the scores are other ones, those that a lower
// redundancy has completed where that is all.
func (s *Store) followChange(tx *gorm.DB, before, c campaign.Campaign) (SettingsPreview, error) {
	r, err := s.newReforming(tx, c)
	if err != nil {
		return r.effect, err
	}
	r.reads.rejudges = !weighDifferently(before.Rules, c.Rules)
	switch {
	case decidesAnew(before, c):
		r.reads.everybody = true
		err = r.all()
	case c.Settings.Redundancy < before.Settings.Redundancy:
		var ids []string
		if ids, err = completedAt(tx, c); err != nil {
			return r.effect, err
		}
		if err = lockSegments(tx, ids); err == nil {
			err = r.segments(ids, 1)
		}
	}
	return r.effect, err
}

// CompleteAt counts the pending segments that would be decided for good if a
// campaign asked for no more than so many annotators.
func (s *Store) CompleteAt(ctx context.Context, campaignID string, redundancy int) (n int, err error) {
	err = scan(s.read(ctx).Raw("SELECT count(*) FROM segments g WHERE "+completeAt, campaignID, redundancy), &n)
	return n, translate(err)
}

// completeAt is the condition for a pending segment g of a campaign to have
// enough ratings and nobody at it; parameters are the campaign and how many are
// enough.
const completeAt = `g.campaign_id = ? AND g.status = 'pending'
	AND (SELECT count(*) FROM assignments a WHERE a.segment_id = g.id AND a.round = 1 AND a.state = 'submitted') >= ?
	AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.round = 1 AND a.state IN ('open', 'problem'))`

// completedAt lists the segments that a lower redundancy has completed, by id:
// nobody would be given them any more.
func completedAt(db *gorm.DB, c campaign.Campaign) (ids []string, err error) {
	err = db.Raw("SELECT g.id FROM segments g WHERE "+completeAt, c.ID, c.Settings.Redundancy).Scan(&ids).Error
	slices.Sort(ids)
	return ids, err
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
		h, err := newHistorian(db, c.ID)
		if err != nil {
			return err
		}
		h.rejudges = true
		if weighDifferently(before.Rules, after.Rules) {
			h.rejudges = false
			if h.terms, err = newOwnTerms(after); err != nil {
				return err
			}
		}
		preview := func(ids []string) error {
			for part := range slices.Chunk(ids, reformBatch) {
				histories, err := h.of(part)
				if err != nil {
					return err
				}
				for _, seg := range histories {
					effect.add(seg.History, after.Settings.Reform(seg.History))
				}
			}
			return nil
		}
		switch {
		case decidesAnew(before, after):
			h.everybody = true
			return eachSegmentBatch(db, c.ID, reformBatch, preview)
		case after.Settings.Redundancy < before.Settings.Redundancy:
			ids, err := completedAt(db, after)
			if err != nil {
				return err
			}
			return preview(ids)
		}
		return nil
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
