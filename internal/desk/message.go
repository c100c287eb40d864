package desk

import (
	"context"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/work"
)

// The kinds of messages that a lead can choose, as the values of [MessageFilter.Kind].
const (
	AllMessages  = "all"
	ToAnswer     = "open"
	WithProblems = "problems"
	Questions    = "questions"
	Comments     = "comments"
)

// A MessageFilter chooses threads and comments on ratings.
type MessageFilter struct {
	Kind      string // one of the constants above; empty for [AllMessages]
	Login     string // of the annotator; empty for all
	SegmentID string // row id; empty for all
	Offset    int
	Limit     int
}

// A MessageList is a part of the threads and comments of a campaign, the latest first.
type MessageList struct {
	Threads []readmodel.Thread
	Counts  map[string]int // number of each kind for the filter's annotator and segment
	Total   int            // number of the filter's kind
}

// threadKinds has the SQL condition that the thread t is of a kind, for each kind except [Comments].
var threadKinds = map[string]string{
	AllMessages:  "",
	ToAnswer:     " AND (t.waits OR " + work.OpenProblem + ")",
	WithProblems: " AND EXISTS (SELECT 1 FROM problems p JOIN assignments a ON a.id = p.assignment_id WHERE p.segment_id = t.segment_id AND a.user_id = t.user_id)",
	Questions:    " AND EXISTS (SELECT 1 FROM messages m WHERE m.thread_id = t.id)",
}

// Messages lists threads and the comments that annotators gave with their ratings. A thread has the
// messages of an annotator and the leads about a segment, and the problems that the annotator
// reported.
func (s *Store) Messages(ctx context.Context, c campaign.Campaign, f MessageFilter) (MessageList, error) {
	db := s.db.Read(ctx)
	if f.Kind == "" {
		f.Kind = AllMessages
	}
	list, err := messages(db, c, f)
	return list, err
}

func messages(db *gorm.DB, c campaign.Campaign, f MessageFilter) (MessageList, error) {
	out := MessageList{Counts: map[string]int{}}
	who, by := "", []any{c.ID}
	if f.SegmentID != "" {
		who, by = who+" AND %.segment_id = ?", append(by, f.SegmentID)
	}
	if f.Login != "" {
		who, by = who+" AND %.user_id = (SELECT id FROM users WHERE login = ?)", append(by, f.Login)
	}
	threads := "FROM threads t WHERE t.campaign_id = ?" + strings.ReplaceAll(who, "%", "t")
	comments := "FROM assignments a WHERE a.campaign_id = ? AND a.comments > 0" + strings.ReplaceAll(who, "%", "a")
	for kind, condition := range threadKinds {
		var n int
		if err := database.Scan(db.Raw("SELECT count(*) "+threads+condition, by...), &n); err != nil {
			return out, err
		}
		out.Counts[kind] = n
	}
	var n int
	if err := database.Scan(db.Raw("SELECT count(*) "+comments, by...), &n); err != nil {
		return out, err
	}
	out.Counts[Comments] = n
	out.Counts[AllMessages] += n
	out.Total = out.Counts[f.Kind]

	const thread, comment = "SELECT t.id, '' AS assignment_id, t.changed_at AS at ", "SELECT '' AS id, a.id AS assignment_id, a.submitted_at AS at "
	query, args := thread+threads+threadKinds[f.Kind], by
	switch f.Kind {
	case Comments:
		query = comment + comments
	case AllMessages:
		query, args = thread+threads+" UNION ALL "+comment+comments, append(append([]any{}, by...), by...)
	}
	var keys []entryKey
	err := db.Raw(query+" ORDER BY at DESC, id DESC, assignment_id DESC LIMIT ? OFFSET ?",
		append(append([]any{}, args...), f.Limit, max(0, f.Offset))...).
		Scan(&keys).
		Error
	if err != nil {
		return out, err
	}
	out.Threads, err = readEntries(db, keys)
	return out, err
}

// An entryKey identifies a thread, or the comments of an assignment.
type entryKey struct {
	ID           string // of the thread; empty for comments
	AssignmentID string
}

// readEntries reads threads and comments in the order of their keys.
func readEntries(db *gorm.DB, keys []entryKey) ([]readmodel.Thread, error) {
	out := make([]readmodel.Thread, len(keys))
	at := map[string]int{}
	var threads, assignments []string
	for i, k := range keys {
		if k.ID != "" {
			threads, at[k.ID] = append(threads, k.ID), i
		} else {
			assignments, at[k.AssignmentID] = append(assignments, k.AssignmentID), i
		}
	}
	var rows []struct {
		ID, SegmentRowID, DocID, SegmentID, Source, Login string
		Waits                                             bool
		Round                                             int
		At                                                database.Instant
	}
	const columns = "g.id AS segment_row_id, d.doc_id, g.segment_id, g.source, u.login"
	if len(threads) > 0 {
		err := db.Raw("SELECT t.id, t.waits, t.changed_at AS at, "+columns+` FROM threads t JOIN segments g ON g.id = t.segment_id
			JOIN documents d ON d.id = g.document_id JOIN users u ON u.id = t.user_id WHERE t.id IN ?`, threads).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
	}
	if len(assignments) > 0 {
		more := rows[:0:0]
		err := db.Raw("SELECT a.id, a.round, a.submitted_at AS at, "+columns+` FROM assignments a JOIN segments g ON g.id = a.segment_id
			JOIN documents d ON d.id = g.document_id JOIN users u ON u.id = a.user_id WHERE a.id IN ?`, assignments).Scan(&more).Error
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	for _, r := range rows {
		out[at[r.ID]] = readmodel.Thread{
			ID:           r.ID,
			SegmentRowID: r.SegmentRowID,
			DocID:        r.DocID,
			SegmentID:    r.SegmentID,
			Source:       r.Source,
			Login:        r.Login,
			Waits:        r.Waits,
			Round:        r.Round,
			At:           r.At.Time(),
		}
	}
	said, err := work.MessagesOf(db, threads)
	if err != nil {
		return nil, err
	}
	for id, messages := range said {
		out[at[id]].Messages = messages
	}
	for _, id := range assignments {
		out[at[id]].ID = "" // the entry has comments and no thread
	}
	for i, t := range out {
		out[i].OpenProblem = openProblem(t.Messages)
		out[i].Waits = t.Waits || out[i].OpenProblem != ""
	}
	return out, addComments(db, assignments, func(id string) *readmodel.Thread { return &out[at[id]] })
}

// openProblem returns the id of the last problem if no lead has resolved it, and otherwise an empty
// string.
func openProblem(messages []readmodel.Message) (id string) {
	for _, m := range messages {
		switch {
		case m.Kind == readmodel.Reported:
			id = m.Problem
		case m.Kind == readmodel.Resolved && m.Problem == id:
			id = ""
		}
	}
	return id
}

// addComments reads the comments on the ratings and error spans of assignments. of returns the entry
// that gets the comments of an assignment.
func addComments(db *gorm.DB, assignments []string, of func(id string) *readmodel.Thread) error {
	if len(assignments) == 0 {
		return nil
	}
	var rows []struct{ AssignmentID, System, Spans, Comment string }
	err := db.Raw(`SELECT r.assignment_id, s.name AS system, r.spans, r.comment FROM ratings r JOIN translations t ON t.id = r.translation_id JOIN systems s ON s.id = t.system_id
		WHERE r.assignment_id IN ? AND `+records.Commented+" ORDER BY s.name", assignments).
		Scan(&rows).
		Error
	for _, r := range rows {
		t := of(r.AssignmentID)
		if r.Comment != "" {
			t.Comments = append(t.Comments, readmodel.Comment{System: r.System, Text: r.Comment})
		}
		for _, span := range records.DecodeSpans(r.Spans) {
			if span.Comment == "" {
				continue
			}
			var kind []string
			for _, part := range []string{span.Severity, span.Category, span.Subcategory} {
				if part != "" {
					kind = append(kind, part)
				}
			}
			t.Comments = append(t.Comments, readmodel.Comment{System: r.System, Words: span.Text, Error: strings.Join(kind, ", "), Text: span.Comment})
		}
	}
	return err
}

// SegmentThreads reads the threads about a segment, in order of the annotators' logins.
func (s *Store) SegmentThreads(ctx context.Context, segmentID string) ([]readmodel.Thread, error) {
	db := s.db.Read(ctx)
	var keys []entryKey
	err := db.Raw("SELECT t.id FROM threads t JOIN users u ON u.id = t.user_id WHERE t.segment_id = ? ORDER BY u.login", segmentID).Scan(&keys).Error
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	out, err := readEntries(db, keys)
	return out, err
}

// CountToAnswer counts the threads of a campaign in which an annotator waits for an answer.
func (s *Store) CountToAnswer(ctx context.Context, campaignID string) (n int, err error) {
	err = database.Scan(s.db.Read(ctx).Raw(`SELECT count(*) FROM (SELECT segment_id, user_id FROM threads WHERE campaign_id = ? AND waits
		UNION SELECT p.segment_id, a.user_id FROM problems p JOIN assignments a ON a.id = p.assignment_id WHERE p.campaign_id = ? AND p.resolved_at = 0) x`, campaignID, campaignID), &n)
	return n, err
}
