package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// queued are the segments g of a campaign that were sent back and are not settled.
const queued = "g.campaign_id = ? AND g.status = 'reannotate'"

// discarded are the segments g of a campaign that are out of gold.
const discarded = "g.campaign_id = ? AND g.status = 'discarded'"

// isStranded is the condition for a queued segment g to be one of [strandedTurns].
var isStranded = "g.id IN (SELECT a.segment_id FROM " + strings.NewReplacer("segments g ON g.id", "segments h ON h.id", "g.round", "h.round", "g.status", "h.status").Replace(strandedTurns) + ")"

// Queue lists segments that were sent back and are not settled, or those that are
// discarded.
func (s *Store) Queue(ctx context.Context, c campaign.Campaign, f QueueFilter) (Queue, error) {
	db := s.read(ctx)
	var q Queue
	parts := []struct {
		only  string
		n     *int
		where string
		args  []any
	}{
		{"", &q.All, queued, []any{c.ID}},
		{QueueWaiting, &q.Waiting, queued + " AND g.held = FALSE AND NOT " + isStranded, []any{c.ID, c.ID}},
		{QueueStranded, &q.Stranded, queued + " AND " + isStranded, []any{c.ID, c.ID}},
		{QueueHeld, &q.Held, queued + " AND g.held = TRUE", []any{c.ID}},
		{QueueFailed, &q.Failed, discarded + " AND g.ruling = ''", []any{c.ID}},
		{QueueLeft, &q.Left, discarded + " AND g.ruling <> ''", []any{c.ID}},
	}
	chosen := parts[0]
	for _, p := range parts {
		if err := scan(db.Raw("SELECT count(*) FROM segments g WHERE "+p.where, p.args...), p.n); err != nil {
			return q, translate(err)
		}
		if p.only == f.Only {
			chosen = p
		}
	}
	q.Total = *chosen.n
	order := "since, g.position"
	switch f.Sort {
	case SortLowest:
		order = "lowest, g.position"
	case SortPosition:
		order = "g.position"
	}
	var rows []struct {
		ID        string
		DocID     string
		SegmentID string
		Domain    string
		Source    string
		Status    string
		Round     int
		Held      bool
		Since     instant
		Lowest    float64
	}
	err := db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.domain, g.source, g.status, g.round, g.held,
			coalesce((SELECT max(x.decided_at) FROM decisions x WHERE x.segment_id = g.id), 0) AS since,
			coalesce((SELECT k.lowest FROM segment_tallies k WHERE k.segment_id = g.id), ?) AS lowest
		FROM segments g JOIN documents d ON d.id = g.document_id WHERE `+chosen.where+" ORDER BY "+order+" LIMIT ? OFFSET ?",
		append(append([]any{undefinedR}, chosen.args...), f.Limit, max(0, f.Offset))...).Scan(&rows).Error
	if err != nil {
		return q, translate(err)
	}
	q.Entries = make([]QueueEntry, len(rows))
	ids, at := make([]string, len(rows)), map[string]int{}
	for i, r := range rows {
		ids[i], at[r.ID] = r.ID, i
		q.Entries[i] = QueueEntry{ID: r.ID, DocID: r.DocID, SegmentID: r.SegmentID, Domain: r.Domain, Source: r.Source,
			Status: campaign.Status(r.Status), Round: r.Round, Since: r.Since.time(), Held: r.Held, LowestR: math.NaN()}
	}
	if len(ids) == 0 {
		return q, nil
	}
	if err := q.addTurns(db, ids, at); err != nil {
		return q, translate(err)
	}
	return q, translate(q.addPairs(db, ids, at))
}

// addTurns fills in who has to look again.
func (q *Queue) addTurns(db *gorm.DB, ids []string, at map[string]int) error {
	var rows []struct {
		SegmentID string
		State     string
		User      userRow `gorm:"embedded"`
		Begun     bool
		Away      bool
	}
	err := db.Raw(`SELECT a.segment_id, a.state, u.*, a.state = 'submitted' OR EXISTS (SELECT 1 FROM drafts x WHERE x.assignment_id = a.id) AS begun,
			u.disabled OR m.removed AS away
		FROM assignments a JOIN segments g ON g.id = a.segment_id AND g.round = a.round JOIN users u ON u.id = a.user_id
		JOIN memberships m ON m.campaign_id = a.campaign_id AND m.user_id = a.user_id
		WHERE a.segment_id IN ? AND a.replaced = FALSE AND a.set_aside = ''`, ids).Scan(&rows).Error
	for _, r := range rows {
		e := &q.Entries[at[r.SegmentID]]
		state := campaign.AssignmentState(r.State)
		e.Turns = append(e.Turns, QueueTurn{User: r.User.user(), State: state, Begun: r.Begun, Stranded: r.Away && state != campaign.Submitted})
	}
	for _, e := range q.Entries {
		slices.SortFunc(e.Turns, func(a, b QueueTurn) int { return strings.Compare(a.User.Login, b.User.Login) })
	}
	return err
}

// addPairs fills in why the segments were sent back or discarded: the pairs that
// failed in the latest decision of the round before, or of the last one.
func (q *Queue) addPairs(db *gorm.DB, ids []string, at map[string]int) error {
	err := each(db.Raw(`SELECT x.segment_id, x.pairs FROM decisions x JOIN segments g ON g.id = x.segment_id AND x.round = CASE WHEN g.status = 'reannotate' THEN g.round - 1 ELSE g.round END
		WHERE x.segment_id IN ? ORDER BY x.segment_id, x.decided_at, x.id`, ids), func(row *sql.Rows) error {
		var segment, text string
		if err := row.Scan(&segment, &text); err != nil {
			return err
		}
		e := &q.Entries[at[segment]]
		e.Pairs = nil // the latest holds
		return json.Unmarshal([]byte(text), &e.Pairs)
	})
	if err != nil {
		return fmt.Errorf("read decisions: %w", err)
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
