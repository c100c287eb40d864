package work

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/qualification"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// Next chooses the annotator's next assignment and returns its id: a second look first, then open
// assignments, then a released one whose segment still has a place, then a new segment
// ([campaign.Pick]). The error is ErrForbidden if the user is not an annotator of the campaign,
// ErrNotOpen, ErrNotAccepted, ErrNotQualified, ErrQuota or ErrNoWork. It is a *[records.CompletingError] while ratings of the user are
// being imported.
//
// A long document is handed out, released and taken up again in steps, each in a transaction of its
// own, so that no save waits for all of them. If the program is killed between two steps, the next
// call goes on.
func (s *Store) Next(ctx context.Context, campaignID, userID string) (assignmentID string, err error) {
	for assignmentID == "" && err == nil {
		assignmentID, err = s.nextStep(ctx, campaignID, userID)
	}
	return assignmentID, err
}

// nextStep does one step of [Store.Next]. assignmentID is empty if there is a further step.
func (s *Store) nextStep(ctx context.Context, campaignID, userID string) (assignmentID string, err error) {
	// none is ErrQuota or ErrNoWork. These must not fail the transaction, because the
	// assignments that it released stay released.
	var none error
	err = s.db.WriteInTurn(ctx, campaignID, func(tx *database.Tx) error {
		assignmentID, none = "", nil // Write may run this function twice
		c, err := records.LockEvenCompleting(tx, campaignID)
		if err != nil {
			return err
		}
		if err := records.MayAnnotate(tx.DB, c, userID); err != nil {
			return err
		}
		if err := qualification.MustAccept(tx.DB, c.ID, userID); err != nil {
			return err
		}
		if err := qualification.MustTrain(tx.DB, c, userID); err != nil {
			return err
		}
		if named, err := records.Completes(tx.DB, c.ID, userID); err != nil || named {
			return cmp.Or(err, records.RefuseCompleting(tx.DB, c.ID))
		}
		own, err := records.OwnWork(tx.DB, c)
		if err != nil {
			return err
		}
		for _, k := range own {
			if more, err := s.ReleaseIdle(tx, k); err != nil || more {
				return err
			}
		}
		if err := poolNewDocuments(tx, c.ID); err != nil {
			return err
		}
		assignmentID, err = s.next(tx, c, own, userID)
		if errors.Is(err, campaign.ErrQuota) || errors.Is(err, campaign.ErrNoWork) {
			none, err = err, nil
		}
		return err
	})
	return assignmentID, cmp.Or(err, none)
}

// next does one step for a user of c. own are the campaigns of [records.OwnWork].
func (s *Store) next(tx *database.Tx, c campaign.Campaign, own []campaign.Campaign, userID string) (assignmentID string, err error) {
	var documents []documentInWork
	ids := records.IDs(own)
	for _, k := range own {
		found, err := documentsInWork(tx.DB, k.ID, userID)
		if err != nil {
			return "", err
		}
		if more, err := s.completeDocuments(tx, k, userID, found); err != nil || more {
			return "", err
		}
		documents = append(documents, found...)
	}
	if assignmentID, err = inWork(tx.DB, ids, userID, documents); err != nil || assignmentID != "" {
		return assignmentID, err
	}
	for _, k := range own {
		if taken, more, err := s.takeUpAgain(tx, k, userID, nil); err != nil || more {
			return "", err
		} else if taken {
			return inWork(tx.DB, ids, userID, nil)
		}
	}
	done, err := ratingsSince(tx.DB, ids, userID, database.InstantOf(c.Settings.StartOfDay(tx.Now())))
	if err != nil {
		return "", err
	}
	if c.Settings.Quota > 0 && done >= c.Settings.Quota {
		return "", campaign.ErrQuota
	}
	if given, err := s.handOutCheck(tx, c, userID); err != nil || given {
		return "", err
	}
	if more, err := s.handOut(tx, c, userID); err != nil || more {
		return "", err
	}
	return inWork(tx.DB, ids, userID, nil)
}

// Asked is the SQL condition that an open assignment a is still to be done: its segment waits for it,
// or it was begun before its round was complete without it.
const Asked = "(a.work = 'asked' OR a.work = 'late' AND EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id))"

// inWork finds the open assignment that the user should do next; empty if there is none. A whole
// document of which the user has submitted a segment is finished first. Then come second looks. If the
// page shows whole documents, the segments of a document follow one another in its order. documents are those of [documentsInWork].
func inWork(db *gorm.DB, campaignIDs []string, userID string, documents []documentInWork) (id string, err error) {
	begun := []string{""} // without an id, some databases refuse the list
	for _, d := range documents {
		if d.Begun {
			begun = append(begun, d.ID)
		}
	}
	err = database.Scan(db.Raw(`SELECT a.id FROM assignments a JOIN segments s ON s.id = a.segment_id
		WHERE a.user_id = ? AND a.campaign_id IN ? AND a.state = 'open' AND s.held = FALSE AND `+Asked+`
		ORDER BY CASE WHEN a.whole AND s.document_id IN ? THEN 0 ELSE 1 END, a.round DESC,
			CASE WHEN a.context = 'document' THEN 0 ELSE a.started_at END,
			CASE WHEN a.context = 'document' THEN (SELECT min(f.position) FROM segments f WHERE f.document_id = s.document_id) ELSE 0 END, s.position LIMIT 1`,
		userID, campaignIDs, begun), &id)
	if errors.Is(err, database.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// IsTakenUpAgain is the SQL condition that the released assignment a of segment s is opened again when its
// annotator asks for work: a lead has asked for it, or the segment still has a place. Its parameter is the
// redundancy.
const IsTakenUpAgain = "a.state = 'released' AND NOT " + records.IsSkipped + " AND a.work = 'asked' AND s.held = FALSE AND (a.added OR " + records.HasPlace + ")"

// takeUpAgain opens a released assignment of the user again ([IsTakenUpAgain]). A second look is opened
// again by [rounds.Store.Follow]. If the whole document was handed out, its other released assignments are opened too, at most as
// many as belong to one step. If documents are given, only their assignments are. taken reports whether
// there was an assignment, and more whether there are further ones in the document.
func (s *Store) takeUpAgain(tx *database.Tx, c campaign.Campaign, userID string, documents []string) (taken, more bool, err error) {
	where, args := "", []any{userID, c.ID, c.Settings.Redundancy}
	if len(documents) > 0 {
		where, args = " AND a.whole AND s.document_id IN ?", append(args, documents)
	}
	var released []struct {
		ID, SegmentID, DocumentID string
		Whole                     bool
	}
	err = tx.Raw(`SELECT a.id, a.segment_id, s.document_id, a.whole FROM assignments a JOIN segments s ON s.id = a.segment_id
		WHERE a.user_id = ? AND a.campaign_id = ? AND `+IsTakenUpAgain+where+` ORDER BY a.round DESC, s.position`, args...).Scan(&released).Error
	if err != nil || len(released) == 0 {
		return false, false, err
	}
	first := released[0]
	var ids, segments []string
	for i, r := range released {
		if i == 0 || first.Whole && r.Whole && r.DocumentID == first.DocumentID {
			ids, segments = append(ids, r.ID), append(segments, r.SegmentID)
		}
	}
	if n := s.documentStep(); len(ids) > n {
		ids, segments, more = ids[:n], segments[:n], true
	}
	if err := records.LockSegments(tx, segments...); err != nil {
		return false, false, err
	}
	if err := rounds.EachPart(tx, ids, "UPDATE assignments SET state = 'open', touched_at = ? WHERE id IN ?",
		database.InstantOf(tx.Now())); err != nil {
		return false, false, err
	}
	return true, more, rounds.RecountPlaces(tx, segments)
}

// ratingsSince counts the ratings that a user has submitted in campaigns since a time.
func ratingsSince(db *gorm.DB, campaignIDs []string, userID string, since database.Instant) (n int, err error) {
	err = database.Scan(db.Raw(`SELECT coalesce(sum(ratings), 0) FROM assignments
		WHERE user_id = ? AND campaign_id IN ? AND state = 'submitted' AND submitted_at >= ?`, userID, campaignIDs, since), &n)
	return n, err
}

// Open is the SQL condition that segment s of a campaign waits for annotators. Its parameter is the redundancy. It says
// "held = FALSE" because SQLite does not use the index for "NOT held".
func Open(c campaign.Campaign) string {
	return " s.status = 'pending' AND s.held = FALSE AND " + records.HasPlace + " AND " + records.Annotatable(c)
}

// Available is the SQL condition, with its parameters, that segment s of a campaign can be given to a user: the segment
// is [Open], the user never had it, and the user never had a forebear of it in a campaign from which this one is kept
// apart.
func Available(c campaign.Campaign, userID string) (sql string, args []any) {
	sql, args = neverHad(c, userID)
	return Open(c) + " AND" + sql, append([]any{c.Settings.Redundancy}, args...)
}

// neverHad is the part of [Available] about the user. The segments from which the user is kept apart are found once per
// query.
func neverHad(c campaign.Campaign, userID string) (sql string, args []any) {
	sql, args = " NOT EXISTS (SELECT 1 FROM assignments mine WHERE mine.segment_id = s.id AND mine.user_id = ?)", []any{userID}
	if c.Settings.Apart != "" {
		sql, args = sql+" AND s.id NOT IN (SELECT k.segment_id FROM kept_apart k WHERE k.user_id = ?)", append(args, userID)
	}
	if chosen, chosenArgs := Chosen(c); chosen != "" {
		sql, args = sql+" AND s.id IN ("+chosen+")", append(args, chosenArgs...)
	}
	return sql, args
}

// Chosen is a query, with its parameters, for the ids of the segments that the filter of a campaign chooses
// ([campaign.Campaign.SourceFilter]). It is empty if the campaign has no filter. A segment without a score is not chosen.
func Chosen(c campaign.Campaign) (sql string, args []any) {
	f, ok := c.SourceFilter()
	if !ok {
		return "", nil
	}
	sign := ">="
	if f.Below {
		sign = "<="
	}
	limit := sign + " CAST(? AS DOUBLE PRECISION)"
	return `SELECT x.segment_id FROM metric_segment_scores x JOIN metrics m ON m.id = x.metric_id
		WHERE m.campaign_id = ? AND m.name = ? AND CASE WHEN x.scores = '-' THEN FALSE ELSE CAST(x.scores AS DOUBLE PRECISION) ` + limit + ` END
		UNION ALL SELECT t.segment_id FROM judges j JOIN judgements y ON y.judge_id = j.id JOIN translations t ON t.id = y.translation_id
		WHERE j.campaign_id = ? AND j.name = ? AND y.score ` + limit, []any{c.ID, f.Metric, f.Score, c.ID, f.Metric, f.Score}
}

// firstOfDocument is the SQL condition, with its parameters, that segment s is the first one of its document that is
// [Available]. It is not a NOT EXISTS, because PostgreSQL without statistics would compare every open segment with
// every other.
func firstOfDocument(c campaign.Campaign, userID string) (sql string, args []any) {
	sql, args = Available(c, userID)
	return "s.position = (SELECT e.position FROM segments e WHERE e.document_id = s.document_id AND" + strings.NewReplacer(" s.", " e.", "(s.", "(e.").
		Replace(sql) +
		" ORDER BY e.position LIMIT 1)", args
}

// untouchedDocument is the SQL condition that the user has no assignment in the document of segment s.
// Its parameter is the user's id.
const untouchedDocument = `NOT EXISTS (SELECT 1 FROM assignments mine JOIN segments e ON e.id = mine.segment_id
	WHERE e.document_id = s.document_id AND mine.user_id = ?)`

// maxCandidates is the largest number of equally covered segments among which the next one is chosen.
// It keeps handing out as fast in a large campaign as in a small one.
const maxCandidates = 100

// handOut picks a new segment, and assigns it or segments of its document to the user. more reports
// whether the user gets further segments of the document.
func (s *Store) handOut(tx *database.Tx, c campaign.Campaign, userID string) (more bool, err error) {
	segment, err := pick(tx, c, userID)
	if err != nil {
		return false, err
	}
	if c.Settings.Assign == "document" {
		return s.handOutDocument(tx, c, segment, userID)
	}
	return false, give(tx, c, userID, []string{segment}, false)
}

// give assigns segments to the user in round 1. They belong to one document if there are several. whole
// says that the user gets all of the document.
func give(tx *database.Tx, c campaign.Campaign, userID string, segments []string, whole bool) error {
	if err := records.LockSegmentsUnmarked(tx, segments); err != nil {
		return err
	}
	tx.TouchPlaces(segments...)
	order, err := records.CardOrderOf(tx.DB, c, segments[0], userID)
	if err != nil {
		return err
	}
	now := database.InstantOf(tx.Now())
	rows := make([]records.AssignmentRow, len(segments))
	for i, id := range segments {
		if order.Context != "document" {
			order.Seed = database.NewSeed()
		}
		rows[i] = records.AssignmentRow{
			ID: database.NewID(), CampaignID: c.ID, SegmentID: id, UserID: userID, Round: 1,
			State: campaign.InWork, CardOrder: order, StartedAt: now, TouchedAt: now, Work: campaign.WorkAsked, Whole: whole,
		}
	}
	if err := tx.CreateInBatches(rows, assignmentsAtOnce).Error; err != nil {
		return err
	}
	if err := rounds.CountMeetings(tx, c.ID, userID, segments); err != nil {
		return err
	}
	return rounds.RecountPlaces(tx, segments)
}

// assignmentsAtOnce is the number of assignments that one statement inserts. SQLite limits the number of
// parameters.
const assignmentsAtOnce = 100

// pick chooses a segment and locks it.
func pick(tx *database.Tx, c campaign.Campaign, userID string) (segmentID string, err error) {
	available, args := Available(c, userID)
	for {
		candidates, err := candidates(tx.DB, c, userID)
		if err != nil {
			return "", err
		}
		next, ok := campaign.Pick(candidates)
		if !ok {
			return "", campaign.ErrNoWork
		}
		if err := records.LockSegmentsUnmarked(tx, []string{next.SegmentID}); err != nil {
			return "", err
		}
		// On PostgreSQL another annotator may have taken its last place before the lock.
		var n int
		err = database.Scan(tx.Raw("SELECT count(*) FROM segments s WHERE s.id = ? AND "+available, append([]any{next.SegmentID}, args...)...), &n)
		if err != nil || n > 0 {
			return next.SegmentID, err
		}
	}
}

// candidates lists the segments that may come next for the user: the next segment of the document in work
// if there is one, otherwise what the plan says ([byPlan]), or without a plan the least covered segments.
func candidates(db *gorm.DB, c campaign.Campaign, userID string) ([]campaign.Candidate, error) {
	plan, err := readPlanRules(db, c.ID)
	if err != nil {
		return nil, err
	}
	begun, err := continuation(db, c, plan, userID)
	if err != nil || len(begun) > 0 {
		return begun, err
	}
	if c.Settings.Assign == "document" {
		if begun, err = missing(db, c, userID); err != nil || len(begun) > 0 {
			return begun, err
		}
	}
	if plan.Exists {
		return byPlan(db, c, plan, userID)
	}
	return leastCovered(db, c, userID, "")
}

// leastCovered lists the least covered segments among the first available ones of all documents. where,
// which begins with AND if it is not empty, is a further condition on segments s, with its parameters.
func leastCovered(db *gorm.DB, c campaign.Campaign, userID, where string, whereArgs ...any) ([]campaign.Candidate, error) {
	available, availableArgs := Available(c, userID)
	first, firstArgs := firstOfDocument(c, userID)
	among, args := available+" AND "+first+where, slices.Concat([]any{c.ID}, availableArgs, firstArgs, whereArgs)
	least := func(limit int) ([]campaign.Candidate, error) {
		return findCandidates(
			db.Raw("SELECT s.id, s.taken, s.position FROM segments s WHERE s.campaign_id = ? AND "+among+" ORDER BY s.taken, s.position"+database.Limit(limit), args...),
		)
	}
	if c.Settings.Assign == "document" {
		among, args = among+" AND "+NotReserved, append(args, userID, userID, c.Settings.Redundancy)
		rest, restArgs := among, args
		among, args = among+" AND "+untouchedDocument, append(slices.Clone(args), userID)
		if found, err := least(1); err != nil {
			return nil, err
		} else if len(found) == 0 {
			among, args = rest, restArgs // the rest of a document of which the user has a part
		}
	}
	found, err := least(1)
	if err != nil || len(found) == 0 || found[0].Coverage == 0 {
		return found, err // nobody has these segments yet, so the first one will do
	}
	if found, err = least(maxCandidates); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(found, func(f campaign.Candidate) bool { return f.Coverage > found[0].Coverage }); i > 0 {
		found = found[:i]
	}
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.SegmentID
	}
	met, err := meetings(db, c.ID, userID, ids)
	for i := range found {
		found[i].Met = met[found[i].SegmentID]
	}
	return found, err
}

// continuation finds the next available segment in the document that the user was given last: the first one
// after the latest segment, otherwise the first one of the document.
func continuation(db *gorm.DB, c campaign.Campaign, plan planRules, userID string) ([]campaign.Candidate, error) {
	var document string
	var position int
	err := database.Scan(db.Raw(`SELECT document_id, position FROM segments WHERE id = (SELECT segment_id FROM assignments
		WHERE user_id = ? AND campaign_id = ? AND round = 1 ORDER BY started_at DESC, id DESC LIMIT 1)`, userID, c.ID), &document, &position)
	if errors.Is(err, database.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	available, args := Available(c, userID)
	if c.Settings.Assign == "document" {
		available, args = available+" AND "+NotReserved, append(args, userID, userID, c.Settings.Redundancy)
	}
	rules, rulesArgs := plan.condition(c, userID)
	available, args = available+rules, append(args, rulesArgs...)
	for _, after := range []int{position, 0} {
		found, err := findCandidates(db.Raw(`SELECT s.id, s.taken, s.position FROM segments s WHERE s.document_id = ? AND s.position > ? AND `+available+`
			ORDER BY s.position LIMIT 1`, append([]any{document, after}, args...)...))
		if err != nil || len(found) > 0 {
			for i := range found {
				found[i].Begun = true
			}
			return found, err
		}
	}
	return nil, nil
}

// findCandidates runs a query for ids, taken places and positions of segments.
func findCandidates(query *gorm.DB) ([]campaign.Candidate, error) {
	var rows []struct {
		ID       string
		Taken    int
		Position int
	}
	err := query.Scan(&rows).Error
	out := make([]campaign.Candidate, len(rows))
	for i, r := range rows {
		out[i] = campaign.Candidate{SegmentID: r.ID, Coverage: r.Taken, Position: r.Position}
	}
	return out, err
}

// meetings returns [campaign.Candidate.Met] for each segment.
func meetings(db *gorm.DB, campaignID, userID string, segmentIDs []string) (map[string]int, error) {
	var rows []struct {
		SegmentID string
		Met       int
	}
	err := db.Raw(`SELECT a.segment_id, sum(m.segments) AS met FROM assignments a
		JOIN meetings m ON m.campaign_id = ? AND m.user_id = ? AND m.other_id = a.user_id
		WHERE a.segment_id IN ? AND a.round = 1 AND a.state IN ('open', 'submitted') GROUP BY a.segment_id`,
		campaignID, userID, segmentIDs).Scan(&rows).Error
	met := make(map[string]int, len(rows))
	for _, r := range rows {
		met[r.SegmentID] = r.Met
	}
	return met, err
}
