package work

import (
	"context"
	"errors"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// contextSegments is the number of segments of the document that are shown on each side of a
// segment. nearSegments is the number of these that are shown with their translations.
const contextSegments, nearSegments = 20, 2

// A Neighbour is another segment of a document, as the page of a segment shows it.
type Neighbour struct {
	Place  int // in the document, from 1
	Source string
	// Translations are by the systems of the cards, in the order of the cards. A text is
	// empty if the system has none. Translations is nil if the campaign shows single
	// segments, and for segments that are not near.
	Translations []string
}

// neighbourRow is a segment of a document.
type neighbourRow struct{ ID, Source string }

// loadDocument adds the surroundings of a segment in its document. cards are the cards of the
// segment, in their order.
func (w *Work) loadDocument(db *gorm.DB, a records.AssignmentRow, documentID string, position int, cards []CardRow) error {
	var before int
	err := database.Scan(db.Raw(`SELECT coalesce(sum(CASE WHEN position < ? THEN 1 ELSE 0 END), 0), count(*) FROM segments WHERE document_id = ?`,
		position, documentID), &before, &w.DocumentLen)
	if err != nil {
		return err
	}
	w.InDocument = before + 1
	earlier, later, err := neighboursOf(db, documentID, position)
	if err != nil {
		return err
	}
	near := map[string][]string{}
	if a.Context == "document" {
		ids := make([]string, 0, 2*nearSegments)
		for _, n := range slices.Concat(earlier[:min(nearSegments, len(earlier))], later[:min(nearSegments, len(later))]) {
			ids = append(ids, n.ID)
		}
		if near, err = translationsOn(db, ids, cards); err != nil {
			return err
		}
	}
	for i, n := range earlier {
		w.Before = append(w.Before, Neighbour{Place: w.InDocument - 1 - i, Source: n.Source, Translations: near[n.ID]})
	}
	slices.Reverse(w.Before)
	for i, n := range later {
		w.After = append(w.After, Neighbour{Place: w.InDocument + 1 + i, Source: n.Source, Translations: near[n.ID]})
	}
	if a.State.Adjudicates() {
		return nil
	}
	return w.loadTurns(db, a, documentID, position)
}

// neighboursOf reads the segments around a position of a document, those before it with the nearest first.
func neighboursOf(db *gorm.DB, documentID string, position int) (earlier, later []neighbourRow, err error) {
	if err := db.Raw("SELECT id, source FROM segments WHERE document_id = ? AND position < ? ORDER BY position DESC"+database.Limit(contextSegments),
		documentID, position).Scan(&earlier).Error; err != nil {
		return nil, nil, err
	}
	err = db.Raw("SELECT id, source FROM segments WHERE document_id = ? AND position > ? ORDER BY position"+database.Limit(contextSegments),
		documentID, position).
		Scan(&later).
		Error
	return earlier, later, err
}

// TrainingDocument reads the sources before and after a training segment, in the order of the document: that of
// the campaign if the segment was copied from it, and otherwise that of the training set.
func (s *Store) TrainingDocument(ctx context.Context, c campaign.Campaign, segmentID string) (before, after []string, err error) {
	db := s.db.Read(ctx)
	var documentID string
	var position int
	err = database.Scan(db.Raw(`SELECT h.document_id, h.position FROM segments g JOIN documents d ON d.id = g.document_id
		JOIN documents e ON e.doc_id = d.doc_id JOIN segments h ON h.document_id = e.id AND h.segment_id = g.segment_id AND h.source = g.source
		WHERE g.id = ? AND e.campaign_id IN (?, g.campaign_id) ORDER BY CASE WHEN h.id = g.id THEN 1 ELSE 0 END LIMIT 1`, segmentID, c.ID), &documentID, &position)
	if err != nil {
		return nil, nil, err
	}
	earlier, later, err := neighboursOf(db, documentID, position)
	for _, n := range slices.Backward(earlier) {
		before = append(before, n.Source)
	}
	for _, n := range later {
		after = append(after, n.Source)
	}
	return before, after, err
}

// translationsOn reads the translations of segments by the systems of cards: by id of the segment,
// in the order of the cards.
func translationsOn(db *gorm.DB, segmentIDs []string, cards []CardRow) (map[string][]string, error) {
	place := make(map[string]int, len(cards))
	for i, card := range cards {
		place[card.SystemID] = i
	}
	out := make(map[string][]string, len(segmentIDs))
	for _, id := range segmentIDs {
		out[id] = make([]string, len(cards))
	}
	for part := range slices.Chunk(segmentIDs, database.MaxParameters) {
		var rows []struct{ SegmentID, SystemID, Text string }
		if err := db.Raw("SELECT segment_id, system_id, text FROM translations WHERE segment_id IN ?", part).Scan(&rows).Error; err != nil {
			return nil, err
		}
		for _, r := range rows {
			if i, ok := place[r.SystemID]; ok {
				out[r.SegmentID][i] = r.Text
			}
		}
	}
	return out, nil
}

// canOpen is the SQL condition that an annotator can open the assignment a of segment s from
// another segment of the document.
const canOpen = "a.state IN ('open', 'submitted') AND s.held = FALSE"

// loadTurns adds the assignments that the user can go to in the document.
func (w *Work) loadTurns(db *gorm.DB, a records.AssignmentRow, documentID string, position int) error {
	for into, side := range map[*string]string{&w.Previous: "s.position < ? ORDER BY s.position DESC", &w.Next: "s.position > ? ORDER BY s.position"} {
		err := database.Scan(db.Raw(`SELECT a.id FROM segments s JOIN assignments a ON a.segment_id = s.id
			WHERE s.document_id = ? AND a.user_id = ? AND `+canOpen+` AND `+side+`, a.round DESC LIMIT 1`, documentID, a.UserID, position), into)
		if err != nil && !errors.Is(err, database.ErrNoRows) {
			return err
		}
	}
	return nil
}

// A DocumentPart is a segment of a document in the list of its segments.
type DocumentPart struct {
	Neighbour
	// AssignmentID is the user's latest assignment for the segment. It is empty if the user
	// has none, or can't open it.
	AssignmentID string
	State        campaign.AssignmentState
	Begun        bool // it has drafts and is not submitted
	Changed      bool // it is submitted, and its drafts were changed since
	Decided      bool // it is submitted and can't be changed any more
	// Marks are the errors that the user has marked on the translation by the system of the
	// card, in the round of the assignment. A mark has no id if no error can be linked to it:
	// its id is not unique in the document, or it was imported without one.
	Marks []protocol.ErrorSpan
	// Written is the translation that the user has submitted, under a protocol that asks for one.
	Written string
}

// Document lists the segments of the document of an assignment. If the campaign shows whole
// documents and cardID is not empty, it adds the translations by the system of that card, with the
// user's own marks on them. The error is ErrNotFound if the user has no such assignment, and
// ErrOutdated if it has no such card.
func (s *Store) Document(ctx context.Context, c campaign.Campaign, assignmentID, userID, cardID string) ([]DocumentPart, error) {
	db := s.db.Read(ctx)
	a, err := records.FindAssignment(db, c.ID, assignmentID, userID)
	if err != nil {
		return nil, err
	}
	var system []CardRow
	if cardID != "" && a.Context == "document" {
		cards, err := cardRows(db, c, a)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(cards, func(r CardRow) bool { return r.CardID == cardID })
		if i < 0 {
			return nil, campaign.ErrOutdated
		}
		system = cards[i : i+1]
	}
	var rows []struct {
		ID, Source, AssignmentID, State, Work string
		Begun, Changed                        bool
	}
	err = db.Raw(`SELECT s.id, s.source, coalesce(a.id, '') AS assignment_id, coalesce(a.state, '') AS state, coalesce(`+records.OwnWorkState+`, '') AS work,
			coalesce(a.state, '') = 'open' AND EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id) AS begun,
			EXISTS (SELECT 1 FROM drafts d JOIN ratings r ON r.assignment_id = d.assignment_id AND r.translation_id = d.translation_id WHERE d.assignment_id = a.id
				AND d.saved_at >= r.submitted_at AND (d.scores <> r.scores OR d.answers <> r.answers OR d.spans <> r.spans OR d.comment <> r.comment OR d.suggestions <> r.suggestions)) AS changed
		FROM segments s LEFT JOIN assignments a ON a.id = (SELECT x.id FROM assignments x WHERE x.segment_id = s.id AND x.user_id = ?
			AND x.state IN ('open', 'submitted') AND s.held = FALSE ORDER BY x.round DESC LIMIT 1)
		WHERE s.document_id = (SELECT document_id FROM segments WHERE id = ?) ORDER BY s.position`, userID, a.SegmentID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	texts, marks := map[string][]string{}, map[string][]protocol.ErrorSpan{}
	if system != nil {
		if texts, err = translationsOn(db, ids, system); err != nil {
			return nil, err
		}
		if marks, err = marksOn(db, c, a, system[0].SystemID); err != nil {
			return nil, err
		}
	}
	var assignments []string
	for _, r := range rows {
		if r.AssignmentID != "" {
			assignments = append(assignments, r.AssignmentID)
		}
	}
	written, err := writtenIn(db, c.Rules, assignments)
	if err != nil {
		return nil, err
	}
	out := make([]DocumentPart, len(rows))
	for i, r := range rows {
		out[i] = DocumentPart{
			Neighbour:    Neighbour{Place: i + 1, Source: r.Source, Translations: texts[r.ID]},
			AssignmentID: r.AssignmentID, State: campaign.AssignmentState(r.State), Begun: r.Begun, Changed: r.Changed, Marks: marks[r.ID],
			Written: written[r.AssignmentID],
			Decided: r.State == string(campaign.Submitted) && r.Work != string(campaign.WorkAsked),
		}
	}
	return out, nil
}

// writtenIn returns the translation that the submitted rating of each assignment has, by id of the assignment: the answer that begins
// with a candidate or with the reference.
func writtenIn(db *gorm.DB, rules *protocol.Protocol, assignmentIDs []string) (map[string]string, error) {
	i := slices.IndexFunc(rules.Questions, func(q protocol.Question) bool {
		return q.Kind == protocol.Text && q.Begin != "" && q.Begin != protocol.BeginSource
	})
	if i < 0 || !rules.OfSegments() {
		return nil, nil
	}
	out := make(map[string]string, len(assignmentIDs))
	for part := range slices.Chunk(assignmentIDs, database.MaxParameters) {
		var rows []struct{ AssignmentID, Answers string }
		if err := db.Raw("SELECT assignment_id, answers FROM ratings WHERE assignment_id IN ?", part).Scan(&rows).Error; err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.AssignmentID] = records.RatingColumns{Answers: r.Answers}.Rating().Answers[rules.Questions[i].Name].Text
		}
	}
	return out, nil
}
