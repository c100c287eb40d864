package work

import (
	"context"
	"maps"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// Submit stores the cards of a user's assignment as ratings and brings the state of the segment in
// line with them, in one transaction. revisions are those of the cards that the annotator saw, by id
// of the card. The error is ErrOutdated if the assignment has other cards, a *[ConflictError] if a
// revision is not current, and a *[campaign.IncompleteError] if a card is not finished, breaks the
// present rules, or has an error that is linked to one that the annotator has removed since.
//
// Submitting the same again, with nothing saved since, changes nothing and is never an error,
// because the page may not have received the first answer. Changed work may be submitted again until
// its round is complete; after that the error is ErrDecided. If the annotator's place in round 1 was
// given to somebody else, the submission is still accepted and counts like any other.
//
// The cards of a training segment become its answer or a result, and can't be changed afterwards.
// The cards of an adjudication become the gold of the segment, by an act of adjudication.
func (s *Store) Submit(ctx context.Context, c campaign.Campaign, userID, assignmentID string, revisions map[string]int) error {
	return s.db.WriteWaitedFor(ctx, func(tx *database.Tx) error {
		a, err := records.FindAssignment(tx.DB, c.ID, assignmentID, userID)
		if err != nil {
			return err
		}
		if a.State.Adjudicates() {
			return s.submitAdjudication(tx, a, revisions)
		}
		if a, err = a.Lock(tx); err != nil {
			return err
		}
		if c, err = records.ReadCampaign(tx.DB, c.ID); err != nil {
			return err
		}
		sub, err := readSubmission(tx, c, a, revisions)
		if err != nil || sub == nil {
			return err
		}
		if err := s.storeRatings(tx, c, a, *sub); err != nil {
			return err
		}
		if c.Side == campaign.Training {
			if err := s.training.JudgeTraining(tx, c, a, sub.ratings(), sub.order()); err != nil {
				return err
			}
		}
		return s.rounds.Follow(tx, c, a.SegmentID)
	})
}

// A submission holds the cards of an assignment that is being submitted, with their rows.
type submission struct {
	rows  []CardRow
	cards []Card
}

// order lists the ids of the translations in the order of the cards.
func (s submission) order() []string {
	ids := make([]string, len(s.rows))
	for i, row := range s.rows {
		ids[i] = row.ID
	}
	return ids
}

// ratings are those of the cards, by the id of the translation.
func (s submission) ratings() map[string]protocol.Rating {
	out := make(map[string]protocol.Rating, len(s.rows))
	for i, row := range s.rows {
		out[row.ID] = s.cards[i].Rating
	}
	return out
}

// readSubmission reads the cards of an assignment and checks that they can be submitted. Its errors
// are those of [Store.Submit]. It returns nil if the same was submitted already. The caller has
// locked the segment.
func readSubmission(tx *database.Tx, c campaign.Campaign, a records.AssignmentRow, revisions map[string]int) (*submission, error) {
	rows, err := cardRows(tx.DB, c, a)
	if err != nil || isRepeated(a, rows, revisions) {
		return nil, err
	}
	if err := maySave(tx.DB, c, a); err != nil {
		return nil, err
	}
	cards, err := finished(c, rows, revisions)
	return &submission{rows, cards}, err
}

// isRepeated reports whether the same was submitted already: the assignment is submitted with these
// revisions, and nothing was saved since. After an adjudication is submitted nothing can be saved in
// it.
func isRepeated(a records.AssignmentRow, rows []CardRow, revisions map[string]int) bool {
	if a.State != campaign.Submitted && a.State != campaign.HasAdjudicated || len(revisions) != len(rows) {
		return false
	}
	return !slices.ContainsFunc(rows, func(r CardRow) bool {
		revision, ok := revisions[r.CardID]
		return !ok || revision != r.revision() || a.State == campaign.Submitted && !r.submitted()
	})
}

// finished returns the cards if they are those that the annotator saw, nothing is missing and nothing
// breaks the rules. A card can break the rules because a setting was changed after it was saved, or
// because it starts from an imported rating.
func finished(c campaign.Campaign, rows []CardRow, revisions map[string]int) ([]Card, error) {
	if len(revisions) != len(rows) || slices.ContainsFunc(rows, func(r CardRow) bool { _, ok := revisions[r.CardID]; return !ok }) {
		return nil, campaign.ErrOutdated
	}
	cards := make([]Card, len(rows))
	var missing campaign.IncompleteError
	for i, row := range rows {
		cards[i] = row.card(c)
		if cards[i].Revision != revisions[row.CardID] {
			return nil, &ConflictError{Index: i, Card: row.pageCard(c)}
		}
		texts := row.texts()
		r, v := protocol.Decide(row.Suggested, c.Rules.Finished(cards[i].Rating, texts))
		cards[i].Rating = r
		if v = append(c.Rules.Check(r, texts), v...); len(v) > 0 {
			missing.Cards = append(missing.Cards, campaign.IncompleteCard{ID: row.CardID, Index: i, Reason: "a change: " + v[0].Msg})
		} else if n := protocol.Undecided(row.Suggested, r); n > 0 {
			// Treating undecided suggestions as accepted or as rejected would bias the data.
			missing.Cards = append(missing.Cards, campaign.IncompleteCard{ID: row.CardID, Index: i, Reason: protocol.UndecidedText(n)})
		} else if m := c.Rules.Missing(cards[i].Rating); m != "" {
			missing.Cards = append(missing.Cards, campaign.IncompleteCard{ID: row.CardID, Index: i, Reason: m})
		}
	}
	if len(missing.Cards) > 0 {
		return nil, &missing
	}
	return cards, nil
}

// storeRatings stores the ratings of a submission in place of those of an earlier one, and updates the
// row of the assignment. submitted_at stays that of the first submission, which decides the day that
// the ratings count for.
func (s *Store) storeRatings(tx *database.Tx, c campaign.Campaign, a records.AssignmentRow, sub submission) error {
	now := database.InstantOf(tx.Now())
	seconds, share, comments := 0.0, sub.secondsShare(tx, a), 0
	ratings := database.NewRows(
		"ratings", "id", "assignment_id", "translation_id", "scores", "answers", "spans", "gate_score", "comment", "suggestions", "seconds",
		"submitted_at",
	)
	for i, card := range sub.cards {
		card.Seconds *= share
		gate, _ := c.Rules.GateScoreOf(card.Rating, sub.rows[i].Candidates)
		given := records.ColumnsOf(card.Rating)
		ratings.Add(database.NewID(), a.ID, sub.rows[i].ID, given.Scores, given.Answers, given.Spans, gate, given.Comment,
			given.Suggestions, card.Seconds, now)
		seconds += card.Seconds
		if card.Rating.Commented() {
			comments++
		}
	}
	err := ratings.Write(
		tx,
		` ON CONFLICT (assignment_id, translation_id) DO UPDATE SET scores = excluded.scores, answers = excluded.answers, spans = excluded.spans, gate_score = excluded.gate_score,
		comment = excluded.comment, suggestions = excluded.suggestions, seconds = excluded.seconds, submitted_at = excluded.submitted_at`,
	)
	if err != nil {
		return err
	}
	if err := storeAsSubmitted(tx, a, sub); err != nil {
		return err
	}
	first := a.SubmittedAt
	if first == 0 {
		first = now
	}
	// That the ratings are new is stored with the segment, too, when its state follows.
	return tx.Exec(`UPDATE assignments SET state = 'submitted', submitted_at = ?, touched_at = ?, ratings = ?, seconds = ?, comments = ?,
		rated = (SELECT g.rated + 1 FROM all_segments g WHERE g.id = assignments.segment_id) WHERE id = ?`, first, now, len(sub.cards), seconds, comments, a.ID).Error
}

// storeAsSubmitted makes the drafts of an assignment equal to what is submitted, without a new revision: a draft lacks a
// text that the annotator left as it began. Answers and scores that are no longer asked for stay in the draft, and come back
// with their question. What another window has saved meanwhile stays.
func storeAsSubmitted(tx *database.Tx, a records.AssignmentRow, sub submission) error {
	for i, row := range sub.rows {
		if row.Revision == nil {
			continue
		}
		r, draft := sub.cards[i].Rating, row.Draft.Rating()
		r.Answers, r.Scores = over(draft.Answers, r.Answers), over(draft.Scores, r.Scores)
		given := records.ColumnsOf(r)
		if given.NoErrors = row.Draft.NoErrors; row.Draft == given {
			continue
		}
		err := tx.Exec("UPDATE drafts SET scores = ?, answers = ?, spans = ?, comment = ?, suggestions = ? WHERE assignment_id = ? AND translation_id = ? AND revision = ?",
			given.Scores, given.Answers, given.Spans, given.Comment, given.Suggestions, a.ID, row.ID, row.Revision).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// over returns the entries of two maps, and where both have one that of the second.
func over[V any](below, above map[string]V) map[string]V {
	if len(below) == 0 {
		return above
	}
	out := maps.Clone(below)
	maps.Copy(out, above)
	return out
}

// secondsShare is a factor from 0 to 1 for the active times of the cards. It keeps their sum from
// exceeding the time since the assignment was started.
func (s submission) secondsShare(tx *database.Tx, a records.AssignmentRow) float64 {
	passed, sum := tx.Now().Sub(a.StartedAt.Time()).Seconds(), 0.0
	for _, card := range s.cards {
		sum += card.Seconds
	}
	if sum <= passed || sum == 0 {
		return 1
	}
	return max(0, passed) / sum
}
