package rounds

import (
	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"
)

// A SettingsPreview is what a change of settings does, or would do, to the
// segments of a campaign.
type SettingsPreview struct {
	Segments  int                    // number of segments whose state was computed again; 0 if the change affects no state
	Moves     []readmodel.StatusMove // in the order of campaign.Statuses
	SentBack  int                    // segments that get another round of annotation
	Withdrawn int                    // segments whose second looks are no longer needed; what is begun of them is kept
	Discarded int                    // segments that become discarded
	ToGold    int                    // segments that get into gold
	OutOfGold int                    // segments that leave gold
	// Rescored describes how the scores of existing ratings changed. It is empty if the
	// weights of errors did not change, and in a preview.
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

// String describes the preview in one line, such as "3 of 200 segments change: 2 agreed ->
// reannotate, 1 discarded -> agreed".
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

// add counts a segment that has a status and a round now, and will have outcome o.
func (p *SettingsPreview) add(status campaign.Status, round int, o campaign.Outcome) {
	p.Segments++
	// Another round changes nothing for a segment that a lead or an adjudicator decided.
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

// PreviewChange computes what a change of settings would do to the segments of a campaign.
// pairs are "key=value" texts. It stores nothing, and no other change waits for it. A wrong
// setting is a *campaign.InvalidError.
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
