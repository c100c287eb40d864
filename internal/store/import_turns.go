package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// addToTurns makes the ratings of a batch part of their annotators' submitted
// assignments, which are found or made.
func (im *ratingImport) addToTurns(batch []soundRating) error {
	turns, err := im.turnsOf(batch)
	if err != nil {
		return err
	}
	assignments := make([]string, len(batch)) // empty after a problem
	for i, r := range batch {
		if assignments[i], err = im.turn(turns, r); err != nil {
			return err
		}
	}
	rated, err := im.rated(batch, assignments)
	if err != nil {
		return err
	}
	for i, r := range batch {
		if assignments[i] == "" {
			continue
		}
		key := ratingKey{assignments[i], r.of.translation}
		if rated[key] {
			im.refuse(r.at, "annotator", fmt.Sprintf("%s has rated this translation in round %d already; ratings are never replaced, so leave the line out or import into a new campaign", r.rating.Annotator, r.rating.Round))
			continue
		}
		rated[key] = true
		if seg := im.touched[r.of.segment]; !slices.Contains(seg.turns, key.assignment) {
			seg.turns = append(seg.turns, key.assignment)
		}
		gate, _ := im.terms.rules.GateScore(r.rating.Rating)
		im.pending.add(newID(), key.assignment, key.translation, encodeScores(r.rating.Scores), encodeSpans(r.rating.Spans), gate, r.rating.Comment, encodeOutcomes(r.rating.Suggestions), max(0, r.rating.Seconds), instantOf(r.rating.SubmittedAt))
		im.count++
	}
	return nil
}

type ratingKey struct{ assignment, translation string }

// rated says which of the ratings are there already.
func (im *ratingImport) rated(batch []soundRating, assignments []string) (map[ratingKey]bool, error) {
	var keys []any
	for i, r := range batch {
		if assignments[i] != "" {
			keys = append(keys, assignments[i], r.of.translation)
		}
	}
	out := map[ratingKey]bool{}
	if len(keys) == 0 {
		return out, nil
	}
	var rows []struct{ AssignmentID, TranslationID string }
	err := im.tx.Raw(`SELECT r.assignment_id, r.translation_id FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(keys)/2), ",")+`) AS v
		JOIN ratings r ON r.assignment_id = v.column1 AND r.translation_id = v.column2`, keys...).Scan(&rows).Error
	for _, r := range rows {
		out[ratingKey{r.AssignmentID, r.TranslationID}] = true
	}
	return out, err
}

// turnsOf lists all assignments of the segments of a batch, by segment: of all
// rounds, since the cards keep their order, and of everybody, since they meet.
func (im *ratingImport) turnsOf(batch []soundRating) (map[string][]assignmentRow, error) {
	turns := map[string][]assignmentRow{}
	for _, r := range batch {
		turns[r.of.segment] = nil
	}
	var rows []assignmentRow
	err := im.tx.Raw("SELECT id, segment_id, user_id, round, state, seed FROM assignments WHERE segment_id IN ?", slices.Collect(maps.Keys(turns))).Scan(&rows).Error
	for _, a := range rows {
		turns[a.SegmentID] = append(turns[a.SegmentID], a)
	}
	return turns, err
}

// turn finds or makes the submitted assignment that a rating belongs to; empty
// after a problem.
func (im *ratingImport) turn(turns map[string][]assignmentRow, r soundRating) (string, error) {
	at, segment, round := instantOf(r.rating.SubmittedAt), r.of.segment, r.rating.Round
	row := assignmentRow{ // submitted at 0: not known, and no day's quota is used up
		ID: newID(), CampaignID: im.c.ID, SegmentID: segment, UserID: r.user, Round: round,
		State: string(campaign.Submitted), Seed: newSeed(), StartedAt: at, TouchedAt: at, SubmittedAt: at,
	}
	for i := range turns[segment] {
		a := &turns[segment][i]
		switch {
		case a.UserID != r.user:
		case a.Round != round:
			row.Seed = a.Seed
		case a.State == string(campaign.Submitted):
			return a.ID, nil
		default:
			taken, err := im.takeOver(a, r)
			if err != nil || !taken {
				return "", err
			}
			return a.ID, nil
		}
	}
	if round == 1 {
		for _, a := range turns[segment] {
			if a.Round == 1 {
				im.met[[2]string{r.user, a.UserID}]++
				im.met[[2]string{a.UserID, r.user}]++
			}
		}
	}
	turns[segment] = append(turns[segment], row)
	im.made.add(row.ID, row.CampaignID, row.SegmentID, row.UserID, row.Round, row.State, row.Seed, row.StartedAt, row.TouchedAt, row.SubmittedAt, true, string(campaign.WorkAsked))
	return row.ID, nil
}

// takeOver makes an assignment that is not submitted the one that a rating is
// imported to. A second look opens as soon as the first round is in, be the second
// in a file as well; so it is taken over, unless the annotator has begun it. It
// reports whether that could be done, and notes a problem if not.
func (im *ratingImport) takeOver(a *assignmentRow, r soundRating) (bool, error) {
	who := fmt.Sprintf("%s has this segment in work in round %d", r.rating.Annotator, a.Round)
	switch {
	case a.Round == 1:
		im.refuse(r.at, "annotator", who+"; the rating can't be imported beside it")
		return false, nil
	case a.State == string(campaign.Reported):
		im.refuse(r.at, "annotator", who+" and has reported a problem; answer it first, or leave these ratings out of the file")
		return false, nil
	}
	at := instantOf(r.rating.SubmittedAt)
	res := im.tx.Exec(`UPDATE assignments SET state = 'submitted', imported = TRUE, started_at = ?, touched_at = ?, submitted_at = ?
		WHERE id = ? AND state IN ('open', 'released') AND NOT EXISTS (SELECT 1 FROM drafts WHERE assignment_id = assignments.id)`, at, at, at, a.ID)
	if res.Error != nil {
		return false, res.Error
	}
	if res.RowsAffected == 0 {
		im.refuse(r.at, "annotator", who+" and has saved drafts, which an import does not replace; leave these ratings out of the file, and wait until the work is submitted or let a lead withdraw the segment")
		return false, nil
	}
	a.State = string(campaign.Submitted)
	return true, nil
}

// saveMeetings counts who has met whom through the new turns.
func (im *ratingImport) saveMeetings() error {
	pairs := slices.SortedFunc(maps.Keys(im.met), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	met := newRows("meetings", "campaign_id", "user_id", "other_id", "segments")
	for _, p := range pairs {
		met.add(im.c.ID, p[0], p[1], im.met[p])
	}
	return met.write(im.tx, " ON CONFLICT (campaign_id, user_id, other_id) DO UPDATE SET segments = meetings.segments + excluded.segments")
}

// sumTurns brings the sums of assignments up to date.
func sumTurns(tx *gorm.DB, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.Exec(`UPDATE assignments SET
		ratings = (SELECT count(*) FROM ratings WHERE assignment_id = assignments.id),
		seconds = (SELECT coalesce(sum(seconds), 0) FROM ratings WHERE assignment_id = assignments.id),
		submitted_at = CASE WHEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) > 0
			THEN (SELECT max(submitted_at) FROM ratings WHERE assignment_id = assignments.id) ELSE submitted_at END
		WHERE id IN ?`, ids).Error
}
