package desk

import (
	"context"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/work"
)

// queued are the segments g of a campaign that were sent back and are not settled.
const queued = "g.campaign_id = ? AND g.status = 'reannotate'"

// held are the segments g of a campaign with a reported problem that waits for a lead. The condition on the status, which
// holds for all, lets the databases use the index that begins with campaign and status.
var held = "g.campaign_id = ? AND g.held = TRUE AND g.status IN (" + anyStatus + ")"

// anyStatus lists all statuses, quoted.
var anyStatus = func() string {
	var quoted []string
	for _, s := range campaign.Statuses {
		quoted = append(quoted, "'"+string(s)+"'")
	}
	return strings.Join(quoted, ", ")
}()

// discarded are the segments g of a campaign that are out of gold.
const discarded = "g.campaign_id = ? AND g.status = 'discarded'"

// leftOut are the segments g of a campaign that a lead has withdrawn or discarded.
const leftOut = "g.campaign_id = ? AND g.status IN ('discarded', 'withdrawn') AND (g.status = 'withdrawn' OR NOT " + discardedByGate + ")"

// discardedByGate is the condition for a discarded segment g not to be discarded by a
// lead: failing another look that a lead asked for is the gate's verdict.
const discardedByGate = "NOT EXISTS (SELECT 1 FROM acts c WHERE c.id = g.holding AND c.kind = 'discard')"

// discardedByLead is a query that counts the segments of a campaign that a lead has discarded.
const discardedByLead = "SELECT count(*) FROM acts c CROSS JOIN segments g WHERE c.campaign_id = ? AND c.kind = 'discard' AND g.id = c.segment_id AND g.holding = c.id AND g.status = 'discarded'"

// isStuck is the condition for a pending segment g to wait for what no active annotator
// can give: each of them has had it, or skipped it, and has nothing of it in work, or the
// plan does not let them have it.
const isStuck = `g.campaign_id = ? AND g.status = 'pending' AND g.held = FALSE
	AND NOT (` + leavesPlaces + ` AND EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = g.campaign_id AND ` + isNewTo + ` AND ` + inPool + `))
	AND NOT EXISTS (SELECT 1 FROM plan_turns t JOIN memberships m ON m.campaign_id = t.campaign_id AND m.user_id = t.user_id JOIN users u ON u.id = m.user_id
		WHERE t.document_id = g.document_id AND ` + isNewTo + `)
	AND NOT EXISTS (SELECT 1 FROM assignments a JOIN memberships m ON m.campaign_id = a.campaign_id AND m.user_id = a.user_id JOIN users u ON u.id = m.user_id
		WHERE a.segment_id = g.id AND ` + records.ActiveMember + ` AND a.state IN ('open', 'released') AND a.work <> 'over' AND NOT ` + records.IsSkipped + `)`

// stuckIn is [isStuck] with its parameters, without the segments that the filter of the campaign leaves out.
func stuckIn(c campaign.Campaign) (sql string, args []any) {
	out, args := isFilteredOut(c)
	if out == "" {
		return isStuck, []any{c.ID}
	}
	return isStuck + " AND NOT (" + out + ")", append([]any{c.ID}, args...)
}

// isNewTo is the condition that member m, who is user u, is an active annotator who never had
// segment g and is not kept apart from it.
const isNewTo = records.ActiveMember + ` AND NOT EXISTS (SELECT 1 FROM assignments x WHERE x.segment_id = g.id AND x.user_id = m.user_id)
	AND NOT EXISTS (SELECT 1 FROM kept_apart k WHERE k.segment_id = g.id AND k.user_id = m.user_id)`

// leavesPlaces is the condition that annotators may have segment g without being planned for it:
// there is no plan, or the plan leaves free places to anyone who asks.
const leavesPlaces = `NOT EXISTS (SELECT 1 FROM plans p WHERE p.campaign_id = g.campaign_id AND NOT p.pull)`

// inPool is the condition that the document of segment g is in no pool, or in one that has member m.
const inPool = `NOT EXISTS (SELECT 1 FROM plan_documents d WHERE d.document_id = g.document_id AND d.pool <> ''
	AND NOT EXISTS (SELECT 1 FROM plan_pool_members k WHERE k.campaign_id = d.campaign_id AND k.pool = d.pool AND k.user_id = m.user_id))`

// isLate is the condition for a queued segment g to wait for somebody who has not touched
// it since a time, which is its parameter.
const isLate = "EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.awaited AND a.touched_at < ?)"

// isOvertaken is the condition for a segment g to have ratings that came after the act of
// a lead that decides it, as [campaign.Facts.RatedAfterDecision] has it.
const isOvertaken = `g.campaign_id = ? AND g.holding <> '' AND EXISTS (SELECT 1 FROM acts c JOIN assignments a ON a.segment_id = c.segment_id
	WHERE c.id = g.holding AND c.segment_id = g.id AND a.state = 'submitted' AND (c.kind <> 'another look' OR a.round <> c.round)
		AND a.rated > (SELECT max(x.rated) FROM acts x WHERE x.segment_id = g.id AND (x.id = g.holding OR x.kind = 'looked at' AND NOT x.undone)))`

// isToAdjudicate is the condition for a segment g to wait for an adjudicator, as
// [rounds.Segment.WaitsForAdjudicator] has it: the answers to a question have no gold, or an act that asks for an
// adjudicator is followed by no deciding act that stands.
const isToAdjudicate = `g.campaign_id = ? AND (EXISTS (SELECT 1 FROM undecided u WHERE u.segment_id = g.id)
	OR g.status <> 'withdrawn' AND EXISTS (SELECT 1 FROM acts q WHERE q.segment_id = g.id AND q.kind = 'ask for adjudication' AND NOT q.undone
	AND NOT EXISTS (SELECT 1 FROM acts x WHERE x.segment_id = g.id AND x.seq > q.seq AND NOT x.undone AND x.kind IN ('another look', 'accept mean', 'adjudicate', 'discard', 'withdraw')
		AND NOT EXISTS (SELECT 1 FROM acts y WHERE y.segment_id = g.id AND y.kind = 'restore' AND y.restores = x.id AND NOT y.undone))))`

// queuedSince is when a segment g came to where it stands: the time of the act of a lead
// that decides it, else of the last decision, which sent it back or discarded it; 0 where
// there is none.
const queuedSince = "CASE WHEN g.holding <> '' THEN (SELECT c.at FROM acts c WHERE c.id = g.holding) ELSE coalesce((SELECT max(x.decided_at) FROM decisions x WHERE x.segment_id = g.id), 0) END"

// readWaiting counts what waits in a campaign, but for what is stranded.
func (s *Store) readWaiting(db *gorm.DB, c campaign.Campaign) (w readmodel.Waiting, err error) {
	notReady, unreferenced := records.Unready(c)
	stuck, args := stuckIn(c)
	followers := 0
	counts := "(" + notReady + "), (" + unreferenced + "), (SELECT count(*) FROM follows WHERE from_id = ?)"
	for range strings.Count(counts, "?") {
		args = append(args, c.ID)
	}
	err = database.Scan(db.Raw("SELECT (SELECT count(*) FROM segments g WHERE "+stuck+"), "+counts, args...),
		&w.Stuck, &w.NotReady, &w.Unreferenced, &followers)
	if err != nil {
		return w, err
	}
	// The query finds what isLate finds, by the index of awaited assignments. Only segments that
	// are sent back have such assignments. The plus sign before a column keeps SQLite from
	// choosing the index of that column.
	err = database.Scan(
		db.Raw("SELECT count(DISTINCT a.segment_id) FROM assignments a WHERE a.campaign_id = ? AND +a.touched_at < ? AND a.awaited", c.ID, s.lateSince(c)),
		&w.Late,
	)
	if err != nil {
		return w, err
	}
	if w.ToAdjudicate, w.Adjudicating, err = toAdjudicate(db, c); err != nil {
		return w, err
	}
	if w.Failed, err = failed(db, c.ID); err != nil {
		return w, err
	}
	if w.LeftOut, err = filteredOut(db, c); err != nil {
		return w, err
	}
	if followers > 0 {
		if w.Rejected, err = s.countRejected(db, c); err != nil {
			return w, err
		}
	}
	// SQLite reads the tables of a CROSS JOIN in their order: acts are few, segments many.
	err = database.Scan(
		db.Raw(
			"SELECT count(*) FROM acts h CROSS JOIN segments g WHERE h.campaign_id = ? AND g.id = h.segment_id AND g.holding = h.id AND "+isOvertaken,
			c.ID, c.ID,
		),
		&w.Overtaken,
	)
	return w, err
}

// FilteredOut counts the segments that the filter of a campaign leaves out and that nobody was handed.
func (s *Store) FilteredOut(ctx context.Context, c campaign.Campaign) (int, error) {
	n, err := filteredOut(s.db.Read(ctx), c)
	return n, err
}

func filteredOut(db *gorm.DB, c campaign.Campaign) (n int, err error) {
	if is, args := isFilteredOut(c); is != "" {
		err = database.Scan(db.Raw("SELECT count(*) FROM segments g WHERE g.campaign_id = ? AND "+is, append([]any{c.ID}, args...)...), &n)
	}
	return n, err
}

// isFilteredOut is the condition, with its parameters, for a segment g that the filter of c leaves out and that nobody was handed. It
// is empty if c has no filter.
func isFilteredOut(c campaign.Campaign) (sql string, args []any) {
	chosen, args := work.Chosen(c)
	if chosen == "" {
		return "", nil
	}
	return "g.status = 'pending' AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id) AND g.id NOT IN (" + chosen + ")", args
}

// toAdjudicate counts the segments that wait for an adjudicator, and the segments among them that an
// adjudicator has begun.
func toAdjudicate(db *gorm.DB, c campaign.Campaign) (waiting, inWork int, err error) {
	err = database.Scan(
		db.Raw(`SELECT count(*), coalesce(sum(CASE WHEN EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id AND a.state = 'adjudicating'
		AND EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id)) THEN 1 ELSE 0 END), 0)
		FROM (SELECT segment_id FROM acts WHERE campaign_id = ? AND kind = 'ask for adjudication' UNION SELECT segment_id FROM undecided WHERE campaign_id = ?) h
		CROSS JOIN segments g WHERE g.id = h.segment_id AND `+isToAdjudicate, c.ID, c.ID, c.ID),
		&waiting,
		&inWork,
	)
	return waiting, inWork, err
}

// CountFailed counts the segments of a campaign that the gate has discarded.
func (s *Store) CountFailed(ctx context.Context, campaignID string) (int, error) {
	n, err := failed(s.db.Read(ctx), campaignID)
	return n, err
}

// failed counts the segments of a campaign that the gate has discarded: those that are discarded, by the kept sums,
// without those that a lead has discarded, which the acts name.
func failed(db *gorm.DB, campaignID string) (n int, err error) {
	err = database.Scan(db.Raw(`SELECT (SELECT coalesce(sum(n), 0) FROM tallies WHERE campaign_id = ? AND kind = ? AND name LIKE 'discarded/%')
		- (`+discardedByLead+")",
		campaignID, kindStatus, campaignID), &n)
	return n, err
}

// lateSince is the time before which a second look that nobody has touched is late; of a
// campaign without release_hours none is.
func (s *Store) lateSince(c campaign.Campaign) database.Instant {
	if c.Settings.ReleaseHours <= 0 {
		return 0
	}
	return database.InstantOf(s.db.Now().Add(-time.Duration(c.Settings.ReleaseHours * float64(time.Hour))))
}

// isStranded is the condition for a queued segment g of c to wait for what active
// annotators cannot give: none of them is asked, or those who are asked and those whose
// ratings count are fewer than a look needs.
func isStranded(c campaign.Campaign) string {
	return `(SELECT CASE WHEN count(CASE WHEN NOT a.counts THEN 1 END) = 0 THEN 0 ELSE count(*) END
	FROM assignments a WHERE a.segment_id = g.id AND a.round = g.round AND (a.counts OR a.work = 'asked' AND a.state <> 'submitted'
		AND (a.campaign_id, a.user_id) IN (SELECT m.campaign_id, m.user_id FROM memberships m JOIN users u ON u.id = m.user_id WHERE ` + records.ActiveMember + `))) < ` + strconv.Itoa(c.Settings.LookersNeeded())
}

// A queuedCount counts queued segments of a campaign.
type queuedCount struct {
	all, held              int // held: with a problem reported
	stranded, heldStranded int
}

// countQueued counts the queued segments of c.
func countQueued(db *gorm.DB, c campaign.Campaign) (n queuedCount, err error) {
	// A queued segment is not stranded if enough active annotators are awaited for it. The index of awaited assignments counts these segments; no
	// others have awaited assignments. Mostly they are all, and then no queued segment need be read.
	const active = "SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ? AND " + records.ActiveMember
	attended := "SELECT a.segment_id FROM assignments a WHERE a.campaign_id = ? AND a.awaited AND a.user_id IN (" + active + `)
		GROUP BY a.segment_id HAVING count(*) >= ` + strconv.Itoa(c.Settings.LookersNeeded())
	const counts = "count(*), coalesce(sum(CASE WHEN g.held THEN 1 ELSE 0 END), 0)"
	var enough int
	err = database.Scan(db.Raw("SELECT (SELECT count(*) FROM ("+attended+") x), "+counts+" FROM segments g WHERE "+queued, c.ID, c.ID, c.ID), &enough, &n.all, &n.held)
	if err != nil || enough == n.all {
		return n, err
	}
	err = database.Scan(db.Raw("SELECT "+counts+" FROM segments g WHERE "+queued+" AND g.id NOT IN ("+attended+") AND "+isStranded(c), c.ID, c.ID, c.ID), &n.stranded, &n.heldStranded)
	return n, err
}
