package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/wording"
	"annotate/internal/work"
)

// FinishedPlace is the place of the segment of an assignment among the segments that its
// annotator has submitted, from 1, in the order in which each was submitted first.
func (s *Store) FinishedPlace(ctx context.Context, campaignID, userID, assignmentID string) (int, error) {
	var n int
	db := s.db.Read(ctx)
	ids, err := records.OwnIDs(db, campaignID)
	if err != nil {
		return 0, err
	}
	// A segment was submitted first at this time or before if any of its assignments was, so the times of each segment need no comparison.
	err = database.Scan(db.Raw(`SELECT count(DISTINCT a.segment_id) FROM
			(SELECT b.segment_id, min(b.submitted_at) AS at FROM assignments o JOIN assignments b ON b.segment_id = o.segment_id AND b.user_id = o.user_id AND b.state = 'submitted'
				WHERE o.id = ? AND o.user_id = ? AND o.campaign_id IN ? GROUP BY b.segment_id) own
			CROSS JOIN assignments a
		WHERE a.user_id = ? AND a.campaign_id IN ? AND a.state = 'submitted'
			AND a.submitted_at <= own.at AND (a.submitted_at < own.at OR a.segment_id <= own.segment_id)`, assignmentID, userID, ids, userID, ids), &n)
	return max(1, n), err
}

// FinishedWork lists what an annotator has submitted, the latest first: at most
// limit after skipping offset, and how many there are in all.
func (s *Store) FinishedWork(ctx context.Context, c campaign.Campaign, userID string, offset, limit int) ([]readmodel.OwnSegment, int, error) {
	db := s.db.Read(ctx)
	campaigns, err := records.OwnIDs(db, c.ID)
	if err != nil {
		return nil, 0, err
	}
	var total int
	err = database.Scan(db.Raw("SELECT count(*) FROM assignments WHERE user_id = ? AND campaign_id IN ? AND state = 'submitted'", userID, campaigns), &total)
	if err != nil {
		return nil, 0, err
	}
	var ids []string
	err = db.Raw("SELECT id FROM assignments WHERE campaign_id IN ? AND state = 'submitted' AND user_id = ? ORDER BY submitted_at DESC, id DESC LIMIT ? OFFSET ?",
		campaigns, userID, limit, offset).
		Scan(&ids).
		Error
	if err != nil {
		return nil, 0, err
	}
	numbers, err := records.OwnDocuments(db, c, userID)
	if err != nil {
		return nil, 0, err
	}
	out, err := ownSegments(db, c.Rules, ids, numbers)
	return out, total, err
}

// An OwnFilter chooses segments of an annotator; empty fields choose all.
type OwnFilter struct {
	State    readmodel.OwnState
	Document string // part of the id of the document, or its number as in [records.OwnDocuments]
	Offset   int
	Limit    int
}

// An OwnList is a part of an annotator's own segments.
type OwnList struct {
	Segments []readmodel.OwnSegment     // one for each segment: the latest assignment, or the latest submitted if nothing is asked now
	Total    int                        // number of segments that the filter chooses
	Counts   map[readmodel.OwnState]int // number of segments by state, whatever the state of the filter
}

// ownState is an SQL expression for the [readmodel.OwnState] of the assignment a of segment g.
const ownState = `CASE CASE WHEN a.set_aside <> '' THEN a.set_aside ELSE a.state END
	WHEN 'submitted' THEN 'done' WHEN 'problem' THEN 'reported'
	WHEN 'released' THEN CASE WHEN ` + records.IsSkipped + ` THEN 'skipped' WHEN a.work = 'asked' THEN 'left' ELSE 'over' END
	ELSE CASE WHEN g.held OR NOT ` + work.Asked + ` THEN 'over'
		WHEN a.round > 1 AND ` + submittedBefore + ` THEN 'back'
		WHEN EXISTS (SELECT 1 FROM drafts x WHERE x.assignment_id = a.id) THEN 'begun' ELSE 'open' END END`

// OwnSegments lists the segments that an annotator was ever given, by document: in the order of import, or
// in the order in which the documents were handed out if annotators see numbers of documents.
func (s *Store) OwnSegments(ctx context.Context, c campaign.Campaign, userID string, f OwnFilter) (OwnList, error) {
	out := OwnList{Counts: map[readmodel.OwnState]int{}}
	db := s.db.Read(ctx)
	campaigns, err := records.OwnIDs(db, c.ID)
	if err != nil {
		return out, err
	}
	numbers, err := records.OwnDocuments(db, c, userID)
	if err != nil {
		return out, err
	}
	where, args := "", []any{userID, campaigns}
	if f.Document != "" && numbers == nil {
		like, pattern := s.contains(f.Document)
		where = " AND a.in_document IN (SELECT id FROM documents WHERE campaign_id = ? AND doc_id" + like + ")"
		args = append(args, c.ID, pattern)
	}
	latest := map[string]*ownRow{} // by id of the segment
	documents := map[string]*ownDocument{}
	add := func(r ownRow, segment, document string) {
		d := documents[document]
		if d == nil {
			d = &ownDocument{number: numbers[document], first: r.position}
			documents[document] = d
		}
		d.first = min(d.first, r.position)
		if f.Document != "" && numbers != nil && f.Document != strconv.Itoa(d.number) {
			return
		}
		r.document = d
		if before := latest[segment]; before == nil {
			latest[segment] = &r
		} else if r.follows(*before) {
			*before = r
		}
	}
	// An index has all that the first query reads, of most assignments. Nobody has an assignment for a segment that is not visible
	// yet, so the second can read from all_segments, which is quicker than from segments.
	const columns, own = "SELECT a.id, a.segment_id, a.round, a.in_document, a.at_position", " WHERE a.user_id = ? AND a.campaign_id IN ? AND "
	var segment, document string
	r := ownRow{state: readmodel.OwnDone}
	for err := range database.EachRow(db.Raw(columns+" FROM assignments a"+own+"a.state = 'submitted'"+where, args...),
		&r.id, &segment, &r.round, &document, &r.position) {
		if err != nil {
			return out, err
		}
		add(r, segment, document)
	}
	for err := range database.EachRow(
		db.Raw(columns+", "+ownState+" FROM assignments a JOIN all_segments g ON g.id = a.segment_id"+own+"a.state IN ('open', 'released', 'problem')"+where, args...),
		&r.id, &segment, &r.round, &document, &r.position, &r.state) {
		if err != nil {
			return out, err
		}
		add(r, segment, document)
	}
	found := make([]*ownRow, 0, len(latest))
	for _, r := range latest {
		out.Counts[r.state]++
		if f.State == "" || r.state == f.State {
			found = append(found, r)
		}
	}
	out.Total = len(found)
	slices.SortFunc(found, func(a, b *ownRow) int {
		if n := cmp.Or(a.document.number-b.document.number, a.document.first-b.document.first, a.position-b.position); n != 0 {
			return n
		}
		return strings.Compare(a.id, b.id)
	})
	var ids []string
	for _, r := range found[min(f.Offset, len(found)):min(f.Offset+f.Limit, len(found))] {
		ids = append(ids, r.id)
	}
	out.Segments, err = ownSegments(db, c.Rules, ids, numbers)
	return out, err
}

// An ownRow places an assignment in an annotator's own list.
type ownRow struct {
	id       string
	round    int
	state    readmodel.OwnState
	document *ownDocument
	position int // of the segment, in the order of import
}

// An ownDocument places a document in an annotator's own list.
type ownDocument struct {
	number int // the annotator's number of the document; 0 for all if annotators see ids
	first  int // the least position of the segments of it that the annotator was given
}

// follows reports whether the list shows r instead of b, another assignment of the same segment: the
// later of the two, unless nothing is asked in it and b is submitted.
func (r ownRow) follows(b ownRow) bool {
	switch {
	case r.state == readmodel.OwnOver && b.state == readmodel.OwnDone:
		return false
	case r.state == readmodel.OwnDone && b.state == readmodel.OwnOver:
		return true
	}
	return r.round > b.round
}

// ownSegments reads what the list of an annotator's own segments shows of assignments, in the order of
// their ids. Documents have the given numbers instead of their ids, unless numbers is nil.
func ownSegments(db *gorm.DB, p *protocol.Protocol, ids []string, numbers map[string]int) ([]readmodel.OwnSegment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []struct {
		ID                 string
		State              readmodel.OwnState
		DocID, DocumentID  string
		Place              int
		SegmentID          string
		Source             string
		Round              int
		Seconds            float64
		campaign.CardOrder `gorm:"embedded"`
		SubmittedAt        database.Instant
		Decided            bool
		Changed            int
	}
	err := db.Raw(`SELECT a.id, `+ownState+` AS state, d.doc_id, g.document_id, g.segment_id, g.source, a.round, a.seed, a.context, a.seconds, a.submitted_at, `+records.OwnWorkState+` <> 'asked' AS decided,
			(SELECT count(*) FROM segments e WHERE e.document_id = g.document_id AND e.position <= g.position) AS place,
			(SELECT count(*) FROM drafts x JOIN ratings r ON r.assignment_id = x.assignment_id AND r.translation_id = x.translation_id
				WHERE x.assignment_id = a.id AND x.saved_at >= r.submitted_at AND (x.scores <> r.scores OR x.answers <> r.answers OR x.spans <> r.spans OR x.comment <> r.comment OR x.suggestions <> r.suggestions)) AS changed
		FROM assignments a JOIN segments g ON g.id = a.segment_id JOIN documents d ON d.id = g.document_id WHERE a.id IN ?`, ids).
		Scan(&rows).
		Error
	if err != nil {
		return nil, err
	}
	var given []struct {
		AssignmentID  string
		TranslationID string
		SystemID      string
		Given         records.RatingColumns `gorm:"embedded"`
	}
	err = db.Raw("SELECT r.assignment_id, r.translation_id, t.system_id, r.scores, r.answers, r.spans, r.comment FROM ratings r JOIN translations t ON t.id = r.translation_id WHERE r.assignment_id IN ?", ids).
		Scan(&given).
		Error
	if err != nil {
		return nil, err
	}
	cards := make(map[string][]work.CardRow, len(ids))
	comments := make(map[string]int, len(ids))
	for _, g := range given {
		cards[g.AssignmentID] = append(cards[g.AssignmentID], work.CardRow{ID: g.TranslationID, SystemID: g.SystemID, Text: inWords(p, g.Given.Rating())})
		if g.Given.Comment != "" {
			comments[g.AssignmentID]++
		}
	}
	of := make(map[string]readmodel.OwnSegment, len(ids))
	for _, r := range rows {
		own := readmodel.OwnSegment{
			AssignmentID: r.ID,
			State:        r.State,
			DocID:        r.DocID,
			Place:        r.Place,
			SegmentID:    r.SegmentID,
			Source:       r.Source,
			Round:        r.Round,
			Seconds:      r.Seconds,
			SubmittedAt:  r.SubmittedAt.Time(),
			Decided:      r.Decided,
			Changed:      r.Changed > 0 && !r.Decided,
			Comments:     comments[r.ID],
		}
		if numbers != nil {
			own.DocID, own.SegmentID = strconv.Itoa(numbers[r.DocumentID]), ""
		}
		for _, card := range work.InOrder(cards[r.ID], r.CardOrder) {
			own.Scores = append(own.Scores, card.Text)
		}
		of[r.ID] = own
	}
	out := make([]readmodel.OwnSegment, len(ids))
	for i, id := range ids {
		out[i] = of[id]
	}
	return out, nil
}

// inWords writes what was given on a card under p: the answers to choices, then the score as "3", or "80/75" where there
// are several scores, by name of the score, then the number of errors or terms that are marked: "Keep, 4", "80, 2 errors".
// It says "no errors" where nothing else is there, and the beginning of a text, or "–", where p asks for neither. It leaves out which
// candidate was chosen, since annotators do not see names of systems.
func inWords(p *protocol.Protocol, r protocol.Rating) string {
	var parts, scores []string
	for _, q := range p.Questions {
		if a, ok := r.Answers[q.Name]; ok && q.Kind == protocol.Choice && !q.Several {
			parts = append(parts, q.Words(a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Scores)) {
		scores = append(scores, strconv.FormatFloat(r.Scores[name], 'f', -1, 64))
	}
	if len(scores) > 0 {
		parts = append(parts, strings.Join(scores, "/"))
	}
	switch n := len(r.Spans); {
	case n > 0:
		parts = append(parts, wording.Counted(n, p.Spans.Noun()))
	case len(parts) == 0 && p.Spans != nil:
		parts = append(parts, "no "+p.Spans.Noun()+"s")
	case len(parts) == 0:
		parts = append(parts, textInWords(p, r))
	}
	return strings.Join(parts, ", ")
}

// textInWords is the beginning of the last text of a rating; "–" if there is none.
func textInWords(p *protocol.Protocol, r protocol.Rating) string {
	const length = 40 // code points
	for _, q := range slices.Backward(p.Questions) {
		if text := []rune(r.Answers[q.Name].Text); q.Kind == protocol.Text && len(text) > 0 {
			if len(text) > length {
				return string(text[:length]) + "…"
			}
			return string(text)
		}
	}
	return "–"
}
