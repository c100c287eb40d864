package work

import (
	"context"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// ReportProblem stores that a user can't rate the segment of their assignment, for a lead to answer.
// Until then the segment is not handed out. Drafts are kept. Reporting the same text again changes
// nothing while the problem is open, so that a request can be repeated if its answer was lost. The
// error is ErrConflict for submitted work and for an adjudication.
func (s *Store) ReportProblem(ctx context.Context, c campaign.Campaign, userID, assignmentID, text string) error {
	if strings.TrimSpace(text) == "" {
		return campaign.Invalid("text", "say in a few words what is wrong with the segment")
	}
	if len(text) > 10_000 {
		return campaign.Invalid("text", "use at most 10,000 bytes")
	}
	if err := database.CheckText("text", text); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		a, err := records.LockAssignment(tx, c.ID, assignmentID, userID)
		if err != nil {
			return err
		}
		if a.State.Adjudicates() {
			return fmt.Errorf("an adjudication has no problems to report; tell the lead what is wrong: %w", campaign.ErrConflict)
		}
		var reported int
		err = database.Scan(tx.Raw("SELECT count(*) FROM problems WHERE assignment_id = ? AND text = ? AND resolved_at = 0", a.ID, text), &reported)
		if err != nil || reported > 0 {
			return err
		}
		if err := maySave(tx.DB, c, a); err != nil {
			return err
		}
		if a.State == campaign.Submitted {
			return fmt.Errorf("this segment is submitted; revise it, or tell the lead: %w", campaign.ErrConflict)
		}
		err = tx.Exec("INSERT INTO problems (id, campaign_id, segment_id, assignment_id, text, reported_at) VALUES (?, ?, ?, ?, ?, ?)",
			database.NewID(), c.ID, a.SegmentID, a.ID, text, database.InstantOf(tx.Now())).Error
		if err != nil {
			return err
		}
		if _, err := openThread(tx, c.ID, a.SegmentID, a.UserID); err != nil {
			return err
		}
		if err := tx.Exec("UPDATE assignments SET state = 'problem', touched_at = ? WHERE id = ?",
			database.InstantOf(tx.Now()), a.ID).Error; err != nil {
			return err
		}
		if err := tx.Exec("UPDATE all_segments SET held = ? WHERE id = ?", true, a.SegmentID).Error; err != nil {
			return err
		}
		return rounds.RecountPlaces(tx, []string{a.SegmentID})
	})
}

// A ProblemFilter chooses reported problems.
type ProblemFilter struct {
	SegmentID string // row id; empty for all segments
	Offset    int
	Limit     int // 0 for all
}

// A ProblemList is a part of the problems of a campaign.
type ProblemList struct {
	Problems []readmodel.Problem
	Open     int // number of open problems that the filter chooses, whatever its limit
	Total    int // number of all problems that the filter chooses
}

// Problems lists reported problems of a campaign, open ones first, then the latest.
func (s *Store) Problems(ctx context.Context, campaignID string, f ProblemFilter) (ProblemList, error) {
	var out ProblemList
	where, args := " FROM problems p WHERE p.campaign_id = ?", []any{campaignID}
	if f.SegmentID != "" {
		where, args = where+" AND p.segment_id = ?", append(args, f.SegmentID)
	}
	db := s.db.Read(ctx)
	err := database.Scan(db.Raw("SELECT count(*), coalesce(sum(CASE WHEN p.resolved_at = 0 THEN 1 ELSE 0 END), 0)"+where, args...), &out.Total, &out.Open)
	if err != nil {
		return out, err
	}
	if f.Limit <= 0 {
		f.Limit = max(1, out.Total)
	}
	var rows []struct {
		ID         string
		SegmentID  string
		DocID      string
		Segment    string
		Source     string
		Login      string
		Text       string
		Answer     string
		ReportedAt database.Instant
		ResolvedAt database.Instant
	}
	const order = " ORDER BY CASE WHEN p.resolved_at = 0 THEN 0 ELSE 1 END, p.reported_at DESC, p.id DESC"
	err = db.Raw(`SELECT p.id, p.segment_id, d.doc_id, g.segment_id AS segment, g.source, u.login, p.text, p.answer, p.reported_at, p.resolved_at
		FROM (SELECT p.*`+where+order+` LIMIT ? OFFSET ?) p JOIN segments g ON g.id = p.segment_id JOIN documents d ON d.id = g.document_id
		JOIN assignments a ON a.id = p.assignment_id JOIN users u ON u.id = a.user_id`+order, append(args, f.Limit, max(0, f.Offset))...).Scan(&rows).Error
	out.Problems = make([]readmodel.Problem, len(rows))
	for i, r := range rows {
		out.Problems[i] = readmodel.Problem{
			ID:           r.ID,
			SegmentRowID: r.SegmentID,
			DocID:        r.DocID,
			SegmentID:    r.Segment,
			Source:       r.Source,
			Login:        r.Login,
			Text:         r.Text,
			Answer:       r.Answer,
			ReportedAt:   r.ReportedAt.Time(),
			ResolvedAt:   r.ResolvedAt.Time(),
		}
	}
	return out, err
}

// ResolveProblem answers a problem. The answer is a message ([records.CleanMessage]), and the reason in
// the audit log. The segment is either withdrawn from the campaign or goes back to work: the assignment
// of the annotator who reported the problem becomes open again, unless the annotator is not active.
func (s *Store) ResolveProblem(ctx context.Context, campaignID, problemID, answer string, withdraw bool, byID string) error {
	answer, err := records.CleanMessage("answer", answer)
	if err != nil {
		return err
	}
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		var p struct {
			SegmentID    string
			AssignmentID string
			UserID       string // of the annotator who reported it
			Segment      string
		}
		err = tx.Raw(`SELECT p.segment_id, p.assignment_id, a.user_id, g.segment_id AS segment
			FROM problems p JOIN segments g ON g.id = p.segment_id JOIN assignments a ON a.id = p.assignment_id
			WHERE p.id = ? AND p.campaign_id = ? AND p.resolved_at = 0`, problemID, campaignID).Take(&p).Error
		if err != nil {
			return err
		}
		if err := records.LockSegments(tx, p.SegmentID); err != nil {
			return err
		}
		if withdraw {
			if err := s.rounds.WithdrawIn(tx, c, p.SegmentID, answer, byID); err != nil {
				return err
			}
			return settle(tx, p.SegmentID, p.UserID)
		}
		if err := s.outbox.MailWork(tx, c.ID, p.UserID, s.outbox.Answer(c.Title, answer, 1)); err != nil {
			return err
		}
		err = tx.Exec("UPDATE problems SET resolved_at = ?, answer = ? WHERE id = ?", database.InstantOf(tx.Now()), answer, problemID).Error
		if err != nil {
			return err
		}
		var open int
		err = database.Scan(tx.Raw("SELECT count(*) FROM problems WHERE segment_id = ? AND resolved_at = 0", p.SegmentID), &open)
		if err != nil {
			return err
		}
		if err := tx.Exec("UPDATE all_segments SET held = ? WHERE id = ?", open > 0, p.SegmentID).Error; err != nil {
			return err
		}
		err = tx.Exec(
			"UPDATE assignments SET state = 'open', touched_at = ? WHERE id = ? AND state = 'problem'", database.InstantOf(tx.Now()), p.AssignmentID,
		).Error
		if err != nil {
			return err
		}
		// If the annotator's work is set aside, the assignment becomes open when it is restored.
		err = tx.Exec("UPDATE assignments SET set_aside = 'open' WHERE id = ? AND set_aside = 'problem'", p.AssignmentID).Error
		if err != nil {
			return err
		}
		if err := s.rounds.Follow(tx, c, p.SegmentID); err != nil {
			return err
		}
		if err := settle(tx, p.SegmentID, p.UserID); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, byID, "put segment back to work", p.Segment, answer)
	})
}
