package report_test

import (
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// judged adds the decisions that follow from their ratings to segments that have none.
func judged(c campaign.Campaign, segments iter.Seq2[campaign.Segment, error]) iter.Seq2[campaign.Segment, error] {
	return func(yield func(campaign.Segment, error) bool) {
		for seg, err := range segments {
			if seg.Agreement == nil {
				rated := judgedSegment(c, seg)
				seg.Agreement = &rated
			}
			if !yield(seg, err) {
				return
			}
		}
	}
}

func judgedSegment(c campaign.Campaign, seg campaign.Segment) campaign.Rated {
	out := storetest.Rated(c.Rules, seg)
	var f campaign.Facts
	for _, r := range out.Given {
		i := slices.IndexFunc(f.Turns, func(t campaign.Turn) bool { return t.Annotator == r.Annotator && t.Round == r.Round })
		if i < 0 {
			i = len(f.Turns)
			f.Turns = append(f.Turns, campaign.Turn{Annotator: r.Annotator, Round: r.Round, Submitted: true, Imported: true, Scores: map[string]float64{}})
		}
		f.Turns[i].Scores[r.System] = r.Score
	}
	if seg.Status != campaign.Pending && seg.Status != campaign.Withdrawn {
		out.Decisions = c.Settings.Follow(f).Decisions
	}
	return out
}
