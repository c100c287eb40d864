package work

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// openThread returns the id of the thread of an annotator about a segment, and sets the time of its
// latest change to now. It makes the thread if there is none.
func openThread(tx *database.Tx, campaignID, segmentID, userID string) (id string, err error) {
	err = tx.Exec(`INSERT INTO threads (id, campaign_id, segment_id, user_id, changed_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (segment_id, user_id) DO UPDATE SET changed_at = excluded.changed_at`,
		database.NewID(), campaignID, segmentID, userID, database.InstantOf(tx.Now())).Error
	if err != nil {
		return "", err
	}
	err = database.Scan(tx.Raw("SELECT id FROM threads WHERE segment_id = ? AND user_id = ?", segmentID, userID), &id)
	return id, err
}

// settle stores that the annotator's thread about a segment waits for no answer.
func settle(tx *database.Tx, segmentID, userID string) error {
	return tx.Exec(
		"UPDATE threads SET waits = FALSE, changed_at = ? WHERE segment_id = ? AND user_id = ?", database.InstantOf(tx.Now()), segmentID, userID,
	).Error
}

// OpenProblem is the SQL condition that the annotator of the thread t has reported a problem with the
// thread's segment and no lead has resolved the problem.
const OpenProblem = `EXISTS (SELECT 1 FROM problems p JOIN assignments a ON a.id = p.assignment_id
	WHERE p.segment_id = t.segment_id AND p.resolved_at = 0 AND a.user_id = t.user_id)`

// Ask sends a message of an annotator about the segment of their assignment to the leads. The
// assignment stays as it is. The token identifies the message: a second call with the same token
// changes nothing, so a client can repeat a request whose answer was lost. The error is an
// ErrConflict if the assignment is an adjudication or the campaign is archived.
func (s *Store) Ask(ctx context.Context, c campaign.Campaign, userID, assignmentID, token, text string) error {
	text, err := records.CleanMessage("text", text)
	if err != nil {
		return err
	}
	if token == "" || len(token) > maxToken || token != database.Storable(token) {
		return campaign.Invalid("token", fmt.Sprintf("use a token of 1 to %d bytes", maxToken))
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		a, err := records.FindAssignment(tx.DB, c.ID, assignmentID, userID)
		if err != nil {
			return err
		}
		if a.State.Adjudicates() {
			return fmt.Errorf("an adjudication has no messages; ask the lead directly: %w", campaign.ErrConflict)
		}
		if err := records.RefuseArchived(tx.DB, c.ID); err != nil {
			return err
		}
		id, err := openThread(tx, c.ID, a.SegmentID, userID)
		if err != nil {
			return err
		}
		if sent, err := isSent(tx, id, token); err != nil || sent {
			return err
		}
		if err := say(tx, id, userID, false, text, token); err != nil {
			return err
		}
		return tx.Exec("UPDATE threads SET waits = TRUE WHERE id = ?", id).Error
	})
}

// maxToken is the largest length of the token of a message, in bytes.
const maxToken = 64

// isSent reports whether a thread has the message with a token. The caller must have called
// [openThread] in the same transaction, so that no other transaction adds the message meanwhile.
func isSent(tx *database.Tx, threadID, token string) (sent bool, err error) {
	err = database.Scan(tx.Raw("SELECT count(*) > 0 FROM messages WHERE thread_id = ? AND token = ?", threadID, token), &sent)
	return sent, err
}

// say adds a message to a thread.
func say(tx *database.Tx, threadID, authorID string, byLead bool, text, token string) error {
	return tx.Exec("INSERT INTO messages (id, thread_id, author_id, by_lead, text, token, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		database.NewID(), threadID, authorID, byLead, text, token, database.InstantOf(tx.Now())).Error
}

// A Reply is what a lead says to an annotator about a segment.
type Reply struct {
	SegmentID string // row id
	Login     string // of the annotator
	Text      string
	// Seen is the time of the last message that the lead has seen. If the annotator has written
	// after that time, the thread still waits for an answer.
	Seen time.Time
}

// token identifies the message by the lead, the text and the last message that the lead has seen. A
// form that is sent twice therefore adds one message.
func (r Reply) token(byID string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, byID, "\x00", r.Seen.UnixMicro(), "\x00", r.Text)))
}

// Reply sends a message of a lead to an annotator who has or had the segment. A problem that the
// annotator reported stays open. The error is an ErrNotFound if the annotator never had the segment.
func (s *Store) Reply(ctx context.Context, campaignID string, r Reply, byID string) error {
	text, err := records.CleanMessage("answer", r.Text)
	if err != nil {
		return err
	}
	return s.inThread(ctx, campaignID, r, "write to annotator", byID, text)
}

// SettleThread stores that the messages of an annotator that the lead has seen need no answer. It
// ignores the text of r.
func (s *Store) SettleThread(ctx context.Context, campaignID string, r Reply, byID string) error {
	return s.inThread(ctx, campaignID, r, "settle message", byID, "")
}

// inThread adds the message of a lead to a thread, unless the text is empty. Afterwards the thread
// waits only if the annotator has written something that the lead has not seen.
func (s *Store) inThread(ctx context.Context, campaignID string, r Reply, act, byID, text string) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		var user, segment string
		err := database.Scan(tx.Raw(`SELECT u.id, g.segment_id FROM users u JOIN assignments a ON a.user_id = u.id JOIN segments g ON g.id = a.segment_id
			WHERE u.login = ? AND g.id = ? AND g.campaign_id = ? AND `+records.Annotates+` LIMIT 1`, r.Login, r.SegmentID, c.ID), &user, &segment)
		if errors.Is(err, database.ErrNoRows) {
			return fmt.Errorf("%s has not had this segment: %w", r.Login, campaign.ErrNotFound)
		}
		if err != nil {
			return err
		}
		id, err := openThread(tx, c.ID, r.SegmentID, user)
		if err != nil {
			return err
		}
		if sent, err := isSent(tx, id, r.token(byID)); err != nil || sent && text != "" {
			return err
		}
		if text != "" {
			if err := say(tx, id, byID, true, text, r.token(byID)); err != nil {
				return err
			}
			if err := s.outbox.MailWork(tx, c.ID, user, s.outbox.Answer(c.Title, text, 1)); err != nil {
				return err
			}
		}
		err = tx.Exec("UPDATE threads SET waits = EXISTS (SELECT 1 FROM messages m WHERE m.thread_id = threads.id AND NOT m.by_lead AND m.at > ?) WHERE id = ?",
			database.InstantOf(r.Seen), id).Error
		if err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, byID, act, segment+" ("+r.Login+")", "")
	})
}

// MessagesOf reads the messages, the problems and their answers in threads, in order of time. The
// keys of the map are the ids of threads.
func MessagesOf(db *gorm.DB, threadIDs []string) (map[string][]readmodel.Message, error) {
	var rows []struct {
		ThreadID string
		Kind     readmodel.MessageKind
		Problem  string
		ByLead   bool
		Login    string
		Text     string
		At       database.Instant
	}
	out := map[string][]readmodel.Message{}
	if len(threadIDs) == 0 {
		return out, nil
	}
	const problems = ` FROM threads t JOIN problems p ON p.segment_id = t.segment_id JOIN assignments a ON a.id = p.assignment_id AND a.user_id = t.user_id JOIN users u ON u.id = t.user_id WHERE t.id IN ?`
	err := db.Raw(`SELECT * FROM (
			SELECT t.id AS thread_id, 'problem' AS kind, p.id AS problem, FALSE AS by_lead, u.login, p.text, p.reported_at AS at, 0 AS turn, p.id AS id`+problems+`
			UNION ALL SELECT t.id, 'answer', p.id, TRUE, '', p.answer, p.resolved_at, 1, p.id`+problems+` AND p.resolved_at > 0
			UNION ALL SELECT m.thread_id, 'message', '', m.by_lead, u.login, m.text, m.at, 0, m.id FROM messages m JOIN users u ON u.id = m.author_id WHERE m.thread_id IN ?
		) x ORDER BY at, turn, id`, threadIDs, threadIDs, threadIDs).Scan(&rows).Error
	for _, r := range rows {
		out[r.ThreadID] = append(
			out[r.ThreadID], readmodel.Message{Kind: r.Kind, Problem: r.Problem, ByLead: r.ByLead, Login: r.Login, Text: r.Text, At: r.At.Time()},
		)
	}
	return out, err
}

// ownThread reads the annotator's thread about the segment of an assignment, without the logins of
// leads. An adjudication has no thread.
func ownThread(db *gorm.DB, a records.AssignmentRow) ([]readmodel.Message, error) {
	var id string
	var readAt database.Instant
	err := database.Scan(db.Raw("SELECT id, read_at FROM threads WHERE segment_id = ? AND user_id = ?", a.SegmentID, a.UserID), &id, &readAt)
	if errors.Is(err, database.ErrNoRows) || a.State.Adjudicates() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	of, err := MessagesOf(db, []string{id})
	for i, m := range of[id] {
		if m.ByLead {
			of[id][i].Login, of[id][i].New = "", m.At.After(readAt.Time())
		}
	}
	return of[id], err
}

// Thread reads the messages of an annotator and the leads about the segment of an assignment, in
// order of time, without the logins of leads.
func (s *Store) Thread(ctx context.Context, c campaign.Campaign, userID, assignmentID string) ([]readmodel.Message, error) {
	db := s.db.Read(ctx)
	a, err := records.FindAssignment(db, c.ID, assignmentID, userID)
	if err != nil {
		return nil, err
	}
	messages, err := ownThread(db, a)
	return messages, err
}

// ReadThread stores that an annotator has read the messages of leads about the segment of an
// assignment up to a time.
func (s *Store) ReadThread(ctx context.Context, c campaign.Campaign, userID, assignmentID string, until time.Time) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		a, err := records.FindAssignment(tx.DB, c.ID, assignmentID, userID)
		if err != nil {
			return err
		}
		at := database.InstantOf(until)
		return tx.Exec("UPDATE threads SET read_at = ? WHERE segment_id = ? AND user_id = ? AND read_at < ?", at, a.SegmentID, userID, at).Error
	})
}

// unread is the SQL condition that a lead has written in the thread t, or resolved a problem there,
// and the annotator has not read it.
const unread = `(EXISTS (SELECT 1 FROM messages m WHERE m.thread_id = t.id AND m.by_lead AND m.at > t.read_at)
	OR EXISTS (SELECT 1 FROM problems p JOIN assignments o ON o.id = p.assignment_id WHERE p.segment_id = t.segment_id AND p.resolved_at > t.read_at AND o.user_id = t.user_id))`

// UnreadThreads lists the threads of an annotator that have an answer of a lead that the annotator
// has not read. The thread with the oldest change comes first.
func (s *Store) UnreadThreads(ctx context.Context, campaignID, userID string) ([]readmodel.UnreadThread, error) {
	db := s.db.Read(ctx)
	ids, err := records.OwnIDs(db, campaignID)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		ID, AssignmentID, Source string
		ReadAt                   database.Instant
	}
	err = db.Raw(`SELECT t.id, t.read_at, g.source, (SELECT a.id FROM assignments a WHERE a.segment_id = t.segment_id AND a.user_id = t.user_id AND `+records.Annotates+` ORDER BY a.round DESC LIMIT 1) AS assignment_id
		FROM threads t JOIN segments g ON g.id = t.segment_id WHERE t.user_id = ? AND t.campaign_id IN ? AND `+unread+` ORDER BY t.changed_at, t.id`, userID, ids).
		Scan(&rows).
		Error
	if err != nil {
		return nil, err
	}
	var threads []string
	for _, r := range rows {
		threads = append(threads, r.ID)
	}
	messages, err := MessagesOf(db, threads)
	var out []readmodel.UnreadThread
	for _, r := range rows {
		isNew := func(m readmodel.Message) bool { return m.ByLead && m.At.After(r.ReadAt.Time()) }
		if i := slices.IndexFunc(messages[r.ID], isNew); i >= 0 && r.AssignmentID != "" {
			out = append(out, readmodel.UnreadThread{AssignmentID: r.AssignmentID, Source: r.Source, Answer: messages[r.ID][i].Text})
		}
	}
	return out, err
}
