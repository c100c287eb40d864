package intake

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// placedSegments is of how many segments one step places the ratings at first.
const placedSegments = 20

// A placement says what placing some staged ratings did.
type placement struct {
	ratings int
	moves   []readmodel.StatusMove
}

// placeRatings makes the staged ratings of a campaign's next segments ratings, stores
// what follows for these segments, and deletes the staged rows. It places none where
// none are staged. The caller holds the lock of the campaign.
func (s *Store) placeRatings(tx *database.Tx, c campaign.Campaign, segments int) (placement, error) {
	var ids []string
	err := tx.Raw("SELECT DISTINCT segment_id FROM staged_ratings WHERE campaign_id = ? ORDER BY segment_id LIMIT ?", c.ID, segments).Scan(&ids).Error
	if err != nil || len(ids) == 0 {
		return placement{}, err
	}
	if err := records.LockSegments(tx, ids...); err != nil {
		return placement{}, err
	}
	p := ratingPlacing{
		tx: tx, c: c, met: map[[2]string]int{}, rated: map[string]bool{},
		made:    database.NewRows("assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "started_at", "touched_at", "submitted_at", "imported", "work"),
		ratings: database.NewRows("ratings", "id", "assignment_id", "translation_id", "scores", "spans", "gate_score", "comment", "suggestions", "seconds", "submitted_at"),
	}
	n, err := p.place(ids)
	if err != nil {
		return placement{}, err
	}
	f, err := s.NewFollowing(tx, c)
	if err != nil {
		return placement{}, err
	}
	if err := f.Segments(ids); err != nil {
		return placement{}, err
	}
	err = tx.Exec("DELETE FROM staged_ratings WHERE campaign_id = ? AND segment_id IN ?", c.ID, ids).Error
	return placement{n, f.Effect.Moves}, err
}

// ratingPlacing writes ratings as submitted work of their annotators.
type ratingPlacing struct {
	tx      *database.Tx
	c       campaign.Campaign
	turns   map[string][]records.AssignmentRow // by segment
	made    *database.Rows                     // assignments
	ratings *database.Rows
	met     map[[2]string]int // segments that two users share for the first time, by their ids
	rated   map[string]bool   // assignments that get ratings
}

// A stagedRating is a row of staged_ratings.
type stagedRating struct {
	SegmentID, UserID    string
	Round                int
	TranslationID        string
	Scores, Spans        string
	GateScore            float64
	Comment, Suggestions string
	Seconds              float64
	SubmittedAt          database.Instant
}

// place places the staged ratings of segments, and brings the sums of their turns up to
// date.
func (p *ratingPlacing) place(ids []string) (int, error) {
	var staged []stagedRating
	err := p.tx.Raw("SELECT * FROM staged_ratings WHERE campaign_id = ? AND segment_id IN ? ORDER BY segment_id, user_id, round, translation_id", p.c.ID, ids).Scan(&staged).Error
	if err != nil {
		return 0, err
	}
	if p.turns, err = turnsOfSegments(p.tx.DB, ids); err != nil {
		return 0, err
	}
	for _, r := range staged {
		turn, err := p.turn(r)
		if err != nil {
			return 0, err
		}
		p.rated[turn] = true
		p.ratings.Add(database.NewID(), turn, r.TranslationID, r.Scores, r.Spans, r.GateScore, r.Comment, r.Suggestions, r.Seconds, r.SubmittedAt)
	}
	if err := p.made.Insert(p.tx); err != nil {
		return 0, err
	}
	if err := p.ratings.Insert(p.tx); err != nil {
		return 0, err
	}
	if err := p.saveMeetings(); err != nil {
		return 0, err
	}
	err = rounds.EachPart(p.tx, ids, `UPDATE all_segments SET rated = rated + 1,
		imported = (SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND a.round = 1 AND a.imported) WHERE id IN ?`)
	if err != nil {
		return 0, err
	}
	return len(staged), sumTurns(p.tx, slices.Sorted(maps.Keys(p.rated)))
}

// turn finds or makes the submitted assignment that a rating belongs to. The cards keep
// the order that the annotator knows from another round.
func (p *ratingPlacing) turn(r stagedRating) (string, error) {
	row := records.AssignmentRow{ // submitted at 0: not known, and no day's quota is used up
		ID: database.NewID(), CampaignID: p.c.ID, SegmentID: r.SegmentID, UserID: r.UserID, Round: r.Round,
		State: campaign.Submitted, Seed: database.NewSeed(), StartedAt: r.SubmittedAt, TouchedAt: r.SubmittedAt, SubmittedAt: r.SubmittedAt,
	}
	turns := p.turns[r.SegmentID]
	for i := range turns {
		a := &turns[i]
		switch {
		case a.UserID != r.UserID:
		case a.Round != r.Round:
			row.Seed = a.Seed
		case a.State == campaign.Submitted:
			return a.ID, nil
		default: // a second look that nobody has begun
			a.State = campaign.Submitted
			return a.ID, p.tx.Exec("UPDATE assignments SET state = 'submitted', imported = TRUE, started_at = ?, touched_at = ?, submitted_at = ? WHERE id = ?",
				r.SubmittedAt, r.SubmittedAt, r.SubmittedAt, a.ID).Error
		}
	}
	if r.Round == 1 {
		for _, a := range turns {
			if a.Round == 1 {
				p.met[[2]string{r.UserID, a.UserID}]++
				p.met[[2]string{a.UserID, r.UserID}]++
			}
		}
	}
	p.turns[r.SegmentID] = append(turns, row)
	p.made.Add(row.ID, row.CampaignID, row.SegmentID, row.UserID, row.Round, row.State, row.Seed, row.StartedAt, row.TouchedAt, row.SubmittedAt, true, string(campaign.WorkAsked))
	return row.ID, nil
}

// saveMeetings counts who has met whom through the new turns.
func (p *ratingPlacing) saveMeetings() error {
	pairs := slices.SortedFunc(maps.Keys(p.met), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	met := database.NewRows("meetings", "campaign_id", "user_id", "other_id", "segments")
	for _, pair := range pairs {
		met.Add(p.c.ID, pair[0], pair[1], p.met[pair])
	}
	return met.Write(p.tx, " ON CONFLICT (campaign_id, user_id, other_id) DO UPDATE SET segments = meetings.segments + excluded.segments")
}

// sumTurns brings the sums of assignments up to date, and notes when their ratings came
// among those of their segments.
func sumTurns(tx *database.Tx, ids []string) error {
	return rounds.EachPart(tx, ids, `UPDATE assignments SET
		rated = (SELECT g.rated FROM all_segments g WHERE g.id = assignments.segment_id),
		ratings = (SELECT count(*) FROM ratings WHERE assignment_id = assignments.id),
		seconds = (SELECT coalesce(sum(seconds), 0) FROM ratings WHERE assignment_id = assignments.id),
		submitted_at = CASE WHEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) > 0
			THEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) ELSE submitted_at END
		WHERE id IN ?`)
}
