package intake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// newStagedRatings are rows for the ratings of an import.
func newStagedRatings() *database.Rows {
	return database.NewRows(
		"staged_ratings", "campaign_id", "segment_id", "user_id", "round", "translation_id", "scores", "answers",
		"spans", "gate_score", "comment",
		"suggestions", "seconds", "submitted_at",
	)
}

// stageRatings stages the ratings of a batch, less those that are there already or
// whose annotators have the segment in work.
func (im *ratingImport) stageRatings(batch []soundRating) error {
	turns, err := im.turnsOf(batch)
	if err != nil {
		return err
	}
	rated, err := im.rated(batch, turns)
	if err != nil {
		return err
	}
	pending := newStagedRatings()
	for _, r := range batch {
		if free, err := im.mayRate(turns, r); err != nil || !free {
			if err != nil {
				return err
			}
			continue
		}
		key := ratingKey{r.user, r.rating.Round, r.of.Translation}
		if rated[key] {
			im.refuseKind(
				campaign.RatedAlready, r.at, "annotator",
				fmt.Sprintf(
					"%s has rated this translation in round %d already; ratings are never replaced, so leave the line out or import into a new campaign",
					r.rating.Annotator, r.rating.Round,
				),
			)
			continue
		}
		rated[key] = true
		im.stageRating(pending, r.at, r.of, r.user, r.rating.Round, r.rating.Rating, r.rating.Seconds, r.rating.SubmittedAt)
	}
	return im.insertStaged(pending)
}

// stageRating adds a rating to the rows of the next step.
func (im *ratingImport) stageRating(
	pending *database.Rows, at ratingPlace, of foundTarget, user string, round int, given protocol.Rating,
	seconds float64, submitted time.Time,
) {
	gate, _ := im.terms.Rules.GateScoreOf(given, of.Texts.Candidates)
	columns := records.ColumnsOf(given)
	pending.Add(
		im.c.ID, of.Segment, user, round, of.Translation, columns.Scores, columns.Answers, columns.Spans, gate,
		columns.Comment, columns.Suggestions,
		max(0, seconds), database.InstantOf(submitted),
	)
	im.count++
	if len(given.LinksElsewhere()) > 0 {
		im.linking[ratingKey{user, round, of.Translation}] = linkingRating{of.Segment, at}
	}
}

// insertStaged stages rows.
func (im *ratingImport) insertStaged(pending *database.Rows) error {
	if pending.Len() == 0 {
		return nil
	}
	return im.st.Step(im.ctx, func(tx *database.Tx) error {
		copied := *pending // for a transaction that is tried again
		if err := copied.Insert(tx); err != nil {
			return err
		}
		return im.growth.Note(tx, im.count)
	})
}

// A ratingKey says which rating of a translation is meant.
type ratingKey struct {
	user        string
	round       int
	translation string
}

// rated says which of the ratings of a batch are there already or are staged.
func (im *ratingImport) rated(batch []soundRating, turns map[string][]records.AssignmentRow) (map[ratingKey]bool, error) {
	out := map[ratingKey]bool{}
	var keys []any
	for _, r := range batch {
		for _, a := range turns[r.of.Segment] {
			if a.UserID == r.user && a.Round == r.rating.Round && a.State == campaign.Submitted {
				keys = append(keys, a.ID, r.of.Translation)
			}
		}
	}
	var rows []struct {
		UserID        string
		Round         int
		TranslationID string
	}
	note := func() {
		for _, r := range rows {
			out[ratingKey{r.UserID, r.Round, r.TranslationID}] = true
		}
	}
	if len(keys) > 0 {
		err := im.db.Raw(`SELECT a.user_id, a.round, r.translation_id FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(keys)/2), ",")+`) AS v
			JOIN ratings r ON r.assignment_id = v.column1 AND r.translation_id = v.column2 JOIN assignments a ON a.id = r.assignment_id`, keys...).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		note()
	}
	rows = nil
	err := im.db.Raw("SELECT user_id, round, translation_id FROM staged_ratings WHERE campaign_id = ? AND segment_id IN ?",
		im.c.ID, slices.Collect(maps.Keys(turns))).
		Scan(&rows).
		Error
	note()
	return out, err
}

// turnsOf lists all assignments of the segments of a batch, by segment.
func (im *ratingImport) turnsOf(batch []soundRating) (map[string][]records.AssignmentRow, error) {
	ids := make([]string, len(batch))
	for i, r := range batch {
		ids[i] = r.of.Segment
	}
	slices.Sort(ids)
	return turnsOfSegments(im.db, slices.Compact(ids))
}

// turnsOfSegments lists all assignments of segments, by segment: of all rounds, and of
// everybody. Each segment has an entry.
func turnsOfSegments(db *gorm.DB, ids []string) (map[string][]records.AssignmentRow, error) {
	turns := make(map[string][]records.AssignmentRow, len(ids))
	for _, id := range ids {
		turns[id] = nil
	}
	var rows []records.AssignmentRow
	err := db.Raw("SELECT id, segment_id, user_id, round, state, seed, context FROM assignments WHERE segment_id IN ?", ids).Scan(&rows).Error
	for _, a := range rows {
		turns[a.SegmentID] = append(turns[a.SegmentID], a)
	}
	return turns, err
}

// mayRate reports whether a rating can be imported beside the assignments of its
// segment, and notes a problem if not. A second look opens as soon as the first round
// is in, be the second in a file as well; so it is taken over, unless the annotator has
// begun it.
func (im *ratingImport) mayRate(turns map[string][]records.AssignmentRow, r soundRating) (bool, error) {
	i := slices.IndexFunc(turns[r.of.Segment], func(a records.AssignmentRow) bool { return a.UserID == r.user && a.Round == r.rating.Round })
	if i < 0 {
		return true, nil
	}
	a := &turns[r.of.Segment][i]
	who := fmt.Sprintf("%s has this segment in work in round %d", r.rating.Annotator, a.Round)
	switch {
	case a.State == campaign.Submitted:
		return true, nil
	case a.Round == 1:
		im.refuse(
			r.at, "annotator",
			who+", and a rating can't be imported beside that; leave these ratings out of the file, or import them into another campaign",
		)
		return false, nil
	case a.State == campaign.Reported:
		im.refuse(r.at, "annotator", who+" and has reported a problem; answer it first, or leave these ratings out of the file")
		return false, nil
	}
	var free int
	err := database.Scan(
		im.db.Raw(
			"SELECT count(*) FROM assignments WHERE id = ? AND state IN ('open', 'released') AND NOT EXISTS (SELECT 1 FROM drafts WHERE assignment_id = assignments.id)",
			a.ID,
		),
		&free,
	)
	if err != nil {
		return false, err
	}
	if free == 0 {
		im.refuse(
			r.at, "annotator",
			who+" and has saved drafts, which an import does not replace; leave these ratings out of the file, and wait until the work is submitted or let a lead withdraw the segment",
		)
		return false, nil
	}
	a.State = campaign.Submitted // for the next rating of the batch
	return true, nil
}
