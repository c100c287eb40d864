package intake

import (
	"maps"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/work"
)

// A stagedAdjudication is the adjudication of a segment.
type stagedAdjudication struct {
	userID, login string
	cards         []stagedRating
	seconds       float64          // of active time on all cards
	at            database.Instant // when it was submitted; 0: not known
}

// placeAdjudications makes acts of the staged ratings that are adjudications. The states
// that follow from the ratings of their segments are stored already.
func (s *Store) placeAdjudications(tx *database.Tx, c campaign.Campaign, from importOrigin, staged []stagedRating) error {
	bySegment := map[string]*stagedAdjudication{}
	for _, r := range staged {
		if r.Round != adjudicationRound {
			continue
		}
		all := bySegment[r.SegmentID]
		if all == nil {
			all = &stagedAdjudication{userID: r.UserID, login: r.Login}
			bySegment[r.SegmentID] = all
		}
		all.cards = append(all.cards, r)
		all.seconds += r.Seconds
		all.at = max(all.at, r.SubmittedAt)
	}
	if len(bySegment) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(bySegment))
	last := map[string]int{} // rounds
	var id string
	var round int
	for err := range database.EachRow(tx.Raw("SELECT segment_id, max(round) FROM assignments WHERE segment_id IN ? GROUP BY segment_id", ids),
		&id, &round) {
		if err != nil {
			return err
		}
		last[id] = round
	}
	return s.rounds.ActInBatch(
		tx, c, from.ID, ids, "import adjudication", "adjudication imported from "+from.File, from.ByID,
		func(a *rounds.ActPlan, g *rounds.Segment) (string, error) {
			all := bySegment[g.ID]
			importer, now := a.Request.ByID, a.Now
			a.Request.ByID = all.userID
			if all.at != 0 {
				a.Now = all.at
			}
			id := a.Add(g, campaign.Act{Kind: campaign.Adjudicate})
			for _, r := range all.cards {
				a.Enter(
					id, r.TranslationID, records.RatingColumns{Scores: r.Scores, Answers: r.Answers, Spans: r.Spans, Comment: r.Comment}, r.GateScore,
					r.Seconds,
				)
			}
			a.ImportAdjudication(g, all.userID, max(last[g.ID], work.AdjudicationRounds)+1, all.seconds)
			a.Request.ByID, a.Now = importer, now
			a.AnswerProblems(g)
			return all.login, nil
		},
	)
}
