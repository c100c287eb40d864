package readmodel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
)

// A SettingsPreview is what a change of settings does, or would do, to the
// segments of a campaign.
type SettingsPreview struct {
	Segments  int          // number of segments whose state was computed again; 0 if the change affects no state
	Moves     []StatusMove // in the order of campaign.Statuses
	SentBack  int          // segments that get another round of annotation
	Withdrawn int          // segments whose second looks are no longer needed; what is begun of them is kept
	Discarded int          // segments that become discarded
	ToGold    int          // segments that get into gold
	OutOfGold int          // segments that leave gold
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

// String describes the preview in one line, such as "3 of 200 segments change: 2 agreed -> second
// look, 1 discarded -> agreed".
func (p SettingsPreview) String() string {
	if p.Segments == 0 {
		return "no segment is decided anew"
	}
	if len(p.Moves) == 0 {
		return fmt.Sprintf("none of %d segments changes", p.Segments)
	}
	moves := make([]string, len(p.Moves))
	for i, m := range p.Moves {
		moves[i] = fmt.Sprintf("%d %s -> %s", m.N, m.From.Words(), m.To.Words())
	}
	return fmt.Sprintf("%d of %d segments change: %s", p.Changed(), p.Segments, strings.Join(moves, ", "))
}

// Add counts a segment that has a status and a round now, and will have outcome o.
func (p *SettingsPreview) Add(status campaign.Status, round int, o campaign.Outcome) {
	p.Segments++
	// Another round changes nothing for a segment that a lead or an adjudicator decided.
	if status == o.Status && (round == o.Round || o.DecidingAct != "") {
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
