package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// Queue lists segments that were sent back and are not settled, or those that are
// discarded.
func (s *Store) Queue(ctx context.Context, c campaign.Campaign, f QueueFilter) (Queue, error) {
	db := s.db.Read(ctx)
	var q Queue
	if err := q.count(db, c); err != nil {
		return q, err
	}
	w, err := s.readWaiting(db, c)
	if err != nil {
		return q, err
	}
	q.Counts[QueueFailed], q.Counts[QueueStuck], q.Counts[QueueLate], q.Counts[QueueOvertaken], q.Counts[QueueAsked] = w.Failed, w.Stuck, w.Late, w.Overtaken, w.ToAdjudicate
	q.Rejected = w.Rejected
	ids, err := s.queuedIDs(db, c, f)
	if err != nil || len(ids) == 0 {
		return q, err
	}
	at := map[string]int{}
	for i, id := range ids {
		at[id] = i
	}
	if err := q.addEntries(db, ids, at); err != nil {
		return q, err
	}
	if err := q.addTurns(db, ids, at); err != nil {
		return q, err
	}
	undecided, err := rounds.UndecidedOf(db, "u.segment_id IN ?", ids)
	for _, u := range undecided {
		q.Entries[at[u.ID]].Undecided = u.Questions
	}
	if err != nil {
		return q, err
	}
	return q, q.addPairs(db, ids, at)
}

// QueueIDs lists the row ids of the segments that [Store.Queue] would, in its order.
func (s *Store) QueueIDs(ctx context.Context, c campaign.Campaign, f QueueFilter) ([]string, error) {
	ids, err := s.queuedIDs(s.db.Read(ctx), c, f)
	return ids, err
}

// count fills in how many segments the second looks and what leads left out have.
func (q *Queue) count(db *gorm.DB, c campaign.Campaign) error {
	n, err := countQueued(db, c)
	if err != nil {
		return err
	}
	var problems, left int
	if err := database.Scan(db.Raw("SELECT count(*) FROM segments g WHERE "+held, c.ID), &problems); err != nil {
		return err
	}
	// As leftOut has it; the index has the withdrawn ones, and the acts name the others, so that no row of those that the gate has discarded is read.
	err = database.Scan(db.Raw("SELECT (SELECT count(*) FROM segments g WHERE g.campaign_id = ? AND g.status = 'withdrawn') + ("+discardedByLead+")", c.ID, c.ID), &left)
	q.Counts = map[string]int{"": n.all, QueueHeld: problems, QueueStranded: n.stranded, QueueWaiting: n.all - n.held - n.stranded + n.heldStranded, QueueLeft: left}
	return err
}

// queuedIDs finds the row ids of a part of the queue, in order.
func (s *Store) queuedIDs(db *gorm.DB, c campaign.Campaign, f QueueFilter) ([]string, error) {
	where, args := queued, []any{c.ID}
	switch f.Only {
	case QueueHeld:
		where = held
	case QueueStranded:
		where += " AND " + isStranded(c)
	case QueueWaiting:
		where += " AND g.held = FALSE AND NOT " + isStranded(c)
	case QueueFailed:
		where = discarded + " AND " + discardedByGate
	case QueueStuck:
		where, args = stuckIn(c)
	case QueueLate:
		where, args = queued+" AND "+isLate, append(args, s.lateSince(c))
	case QueueOvertaken:
		where = isOvertaken
	case QueueAsked:
		where = isToAdjudicate
	case QueueLeft:
		where = leftOut
	}
	order := queuedSince + ", g.position"
	switch f.Sort {
	case SortLowest:
		order = "coalesce((SELECT k.lowest FROM segment_tallies k WHERE k.segment_id = g.id), ?), g.position"
		args = append(args, undefinedR)
	case SortPosition:
		order = "g.position"
	}
	var ids []string
	err := db.Raw("SELECT g.id FROM segments g WHERE "+where+" ORDER BY "+order+" LIMIT ? OFFSET ?", append(args, f.Limit, max(0, f.Offset))...).
		Scan(&ids).
		Error
	return ids, err
}

func (q *Queue) addEntries(db *gorm.DB, ids []string, at map[string]int) error {
	var rows []struct {
		ID        string
		DocID     string
		SegmentID string
		Domain    string
		Source    string
		Status    string
		Round     int
		Held      bool
		Since     database.Instant
	}
	err := db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.domain, g.source, g.status, g.round, g.held,
			`+queuedSince+` AS since
		FROM segments g JOIN documents d ON d.id = g.document_id WHERE g.id IN ?`, ids).Scan(&rows).Error
	q.Entries = make([]readmodel.QueueEntry, len(ids))
	for _, r := range rows {
		q.Entries[at[r.ID]] = readmodel.QueueEntry{ID: r.ID, DocID: r.DocID, SegmentID: r.SegmentID, Domain: r.Domain, Source: r.Source,
			Status: campaign.Status(r.Status), Round: r.Round, Since: r.Since.Time(), Held: r.Held, LowestR: math.NaN()}
	}
	return err
}

// addTurns fills in who has to look again.
func (q *Queue) addTurns(db *gorm.DB, ids []string, at map[string]int) error {
	var rows []struct {
		SegmentID string
		State     string
		Work      string
		User      accounts.UserRow `gorm:"embedded"`
		Begun     bool
		Away      bool
	}
	err := db.Raw(`SELECT a.segment_id, a.state, a.work, u.*, a.state = 'submitted' OR EXISTS (SELECT 1 FROM drafts x WHERE x.assignment_id = a.id) AS begun,
			NOT (`+records.ActiveMember+`) AS away
		FROM assignments a JOIN segments g ON g.id = a.segment_id AND g.round = a.round JOIN users u ON u.id = a.user_id
		JOIN memberships m ON m.campaign_id = a.campaign_id AND m.user_id = a.user_id
		WHERE a.segment_id IN ? AND a.replaced = FALSE AND a.set_aside = ''`, ids).Scan(&rows).Error
	for _, r := range rows {
		e := &q.Entries[at[r.SegmentID]]
		state := campaign.AssignmentState(r.State)
		e.Turns = append(
			e.Turns,
			readmodel.QueueTurn{
				Login:    r.User.Login,
				State:    state,
				Work:     campaign.Work(r.Work),
				Begun:    r.Begun,
				Stranded: r.Away && state != campaign.Submitted,
			},
		)
	}
	for _, e := range q.Entries {
		slices.SortFunc(e.Turns, func(a, b readmodel.QueueTurn) int { return strings.Compare(a.Login, b.Login) })
	}
	return err
}

// addPairs fills in why the segments were sent back or discarded: the pairs that
// failed in the latest decision of the round before, or of the last one.
func (q *Queue) addPairs(db *gorm.DB, ids []string, at map[string]int) error {
	var segment, text string
	for err := range database.EachRow(db.Raw(`SELECT x.segment_id, x.pairs FROM decisions x JOIN segments g ON g.id = x.segment_id AND x.round = g.complete AND x.current
		WHERE x.segment_id IN ? ORDER BY x.segment_id, x.decided_at, x.id`, ids), &segment, &text) {
		if err != nil {
			return fmt.Errorf("read decisions: %w", err)
		}
		e := &q.Entries[at[segment]]
		e.Pairs = nil // the latest holds
		if err := json.Unmarshal([]byte(text), &e.Pairs); err != nil {
			return fmt.Errorf("read decisions: %w", err)
		}
	}
	for i := range q.Entries {
		e := &q.Entries[i]
		for _, p := range e.Pairs {
			if p.R != nil && (math.IsNaN(e.LowestR) || *p.R < e.LowestR) {
				e.LowestR = *p.R
			}
		}
		e.Pairs = slices.DeleteFunc(e.Pairs, func(p campaign.Pair) bool { return p.Passed })
	}
	return nil
}
