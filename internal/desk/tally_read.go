package desk

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// SegmentCount is what is counted of a segment, with what puts it in order.
type SegmentCount struct {
	Counted
	ID       string
	Position int
	Round    int
	changed  database.Instant
}

// read reads what is counted of the segments s that a condition finds.
func (c *Counting) read(where string, args ...any) ([]*SegmentCount, error) {
	var found []*SegmentCount
	byID := map[string]*SegmentCount{}
	err := database.Each(c.db.Raw(`SELECT s.id, s.position, s.domain, s.status, s.round, (SELECT count(*) FROM translations t WHERE t.segment_id = s.id)
		FROM segments s WHERE `+where, args...), func(row *sql.Rows) error {
		seg := &SegmentCount{}
		if err := row.Scan(&seg.ID, &seg.Position, &seg.Domain, &seg.Status, &seg.Round, &seg.Size); err != nil {
			return err
		}
		seg.Gold, seg.Again = campaign.Status(seg.Status).InGold(), campaign.Status(seg.Status) == campaign.Reannotate
		found, byID[seg.ID] = append(found, seg), seg
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := c.readTurns(byID, where, args); err != nil {
		return nil, err
	}
	return found, c.readDecisions(byID, where, args)
}

// readTurns adds who submitted what, and whom a later round waits for.
func (c *Counting) readTurns(byID map[string]*SegmentCount, where string, args []any) error {
	type turnOf struct {
		seg *SegmentCount
		at  int // in Turns
	}
	turns := map[string]turnOf{}
	day, from, until := "", database.Instant(0), database.Instant(0) // the one last looked up
	err := database.Each(c.db.Raw(`SELECT a.id, a.segment_id, a.user_id, a.round, a.state, a.submitted_at, a.ratings, a.seconds, a.awaited, a.counts
		FROM segments s JOIN assignments a ON a.segment_id = s.id WHERE `+where, args...), func(row *sql.Rows) error {
		var id, segment, user, state string
		var round, ratings int
		var at database.Instant
		var seconds float64
		var awaited, counts bool
		if err := row.Scan(&id, &segment, &user, &round, &state, &at, &ratings, &seconds, &awaited, &counts); err != nil {
			return err
		}
		seg := byID[segment]
		if seg == nil {
			return nil
		}
		if state != string(campaign.Submitted) {
			if awaited {
				seg.Waiting++
			}
			return nil
		}
		turn := countedTurn{User: user, Round: round, Out: !counts, Ratings: ratings, Millis: int64(math.Round(seconds * 1000))}
		if at != 0 {
			if at < from || at >= until {
				start := c.c.Settings.StartOfDay(at.Time())
				day, from = start.Format(time.DateOnly), database.InstantOf(start)
				until = database.InstantOf(c.c.Settings.StartOfDay(start.Add(36 * time.Hour))) // a day has 23 to 25 hours
			}
			turn.Day = day
		}
		seg.Again = seg.Again || round > 1 && counts
		seg.changed = max(seg.changed, at)
		seg.Turns = append(seg.Turns, turn)
		turns[id] = turnOf{seg, len(seg.Turns) - 1}
		return nil
	})
	if err != nil || len(turns) == 0 {
		return err
	}
	given := map[*SegmentCount]map[string][]int64{} // by system, in the order of Turns
	// The time of a rating that came with an import is known where the file had one.
	err = database.Each(c.db.Raw(`SELECT a.id, t.system_id, r.gate_score, r.seconds, r.seconds > 0 OR a.submitted_at > a.started_at
		FROM segments s JOIN assignments a ON a.segment_id = s.id
		JOIN ratings r ON r.assignment_id = a.id JOIN translations t ON t.id = r.translation_id
		WHERE a.state = 'submitted' AND `+where, args...), func(row *sql.Rows) error {
		var assignment, system string
		var score, seconds float64
		var timed bool
		if err := row.Scan(&assignment, &system, &score, &seconds, &timed); err != nil {
			return err
		}
		turn, ok := turns[assignment]
		if !ok {
			return nil
		}
		if t := &turn.seg.Turns[turn.at]; timed {
			t.Paces = append(t.Paces, Pace(seconds))
		}
		systems := given[turn.seg]
		if systems == nil {
			systems = map[string][]int64{}
			given[turn.seg] = systems
		}
		scores := systems[system]
		if scores == nil {
			scores = slices.Repeat([]int64{missing}, len(turn.seg.Turns))
			systems[system] = scores
		}
		scores[turn.at] = c.Scale.Units(score)
		return nil
	})
	for seg, systems := range given {
		for system := range systems {
			seg.Systems = append(seg.Systems, system)
		}
		slices.Sort(seg.Systems)
		for i := range seg.Turns {
			scores := make([]int64, len(seg.Systems))
			for k, system := range seg.Systems {
				scores[k] = systems[system][i]
			}
			seg.Turns[i].Scores = scores
			slices.Sort(seg.Turns[i].Paces)
		}
	}
	for _, seg := range byID {
		seg.Order()
	}
	if err != nil {
		return err
	}
	return c.readSame(byID, where, args)
}

// readSame adds which translations of a segment are the same text.
func (c *Counting) readSame(byID map[string]*SegmentCount, where string, args []any) error {
	return database.Each(c.db.Raw(`SELECT s.id, t.system_id, o.system_id FROM segments s JOIN translations t ON t.segment_id = s.id
		JOIN translations o ON o.segment_id = s.id AND o.text = t.text AND o.system_id < t.system_id WHERE `+where, args...), func(row *sql.Rows) error {
		var segment, system, other string
		if err := row.Scan(&segment, &system, &other); err != nil {
			return err
		}
		seg := byID[segment]
		if seg == nil {
			return nil
		}
		i, known := slices.BinarySearch(seg.Systems, system)
		first, rated := slices.BinarySearch(seg.Systems, other)
		if !known || !rated {
			return nil
		}
		if seg.Same == nil {
			seg.Same = make([]int, len(seg.Systems))
			for k := range seg.Same {
				seg.Same[k] = k
			}
		}
		seg.Same[i] = min(seg.Same[i], first)
		return nil
	})
}

// readDecisions adds how round 1 is judged now, whether a round above it was asked
// for, and when a decision last said something else than the one before it: judged
// anew to the same end, as most are by another threshold, a segment has not changed.
func (c *Counting) readDecisions(byID map[string]*SegmentCount, where string, args []any) error {
	type verdict struct {
		segment string
		round   int
		passed  bool
		status  string
	}
	var last verdict
	firsts := map[string]string{} // pairs by segment
	err := database.Each(c.db.Raw(`SELECT x.segment_id, x.round, x.passed, x.status, CASE WHEN x.round = 1 AND x.current THEN x.pairs ELSE '' END, x.decided_at, x.current
		FROM segments s JOIN decisions x ON x.segment_id = s.id WHERE `+where+" ORDER BY x.segment_id, x.round, x.decided_at, x.id", args...), func(row *sql.Rows) error {
		var v verdict
		var pairs string
		var at database.Instant
		var current bool
		if err := row.Scan(&v.segment, &v.round, &v.passed, &v.status, &pairs, &at, &current); err != nil {
			return err
		}
		seg := byID[v.segment]
		if seg == nil {
			return nil
		}
		if current && v.round == 1 && seg.Status != string(campaign.Withdrawn) {
			seg.First, firsts[v.segment] = &firstRound{Passed: v.passed}, pairs
		}
		if current {
			seg.Again = seg.Again || v.round > 1 || v.status == string(campaign.Reannotate)
		}
		if v == last {
			return nil
		}
		seg.changed, last = max(seg.changed, at), v
		return nil
	})
	if err != nil {
		return err
	}
	for id, text := range firsts {
		var pairs []campaign.Pair
		if err := json.Unmarshal([]byte(text), &pairs); err != nil {
			return fmt.Errorf("decode pairs: %w", err)
		}
		seg := byID[id]
		seg.First.Pairs = len(pairs)
		for _, p := range pairs {
			if !p.Passed {
				seg.First.Failed = append(seg.First.Failed, string(p.Reason))
			}
		}
		slices.SortFunc(seg.First.Failed, strings.Compare)
	}
	return nil
}

// segmentTallyRow is a row of segment_tallies, but for the campaign.
type segmentTallyRow struct {
	SegmentID string
	Position  int
	Domain    string
	Status    string
	Round     int
	Lowest    float64
	ChangedAt database.Instant
	Counted   string
}

// RowOf is what a segment adds to the sums.
func (c *Counting) RowOf(seg *SegmentCount) segmentTallyRow {
	lowest := float64(undefinedR)
	for _, p := range seg.Pairs() {
		if !math.IsNaN(p.R) {
			lowest = min(lowest, p.R)
		}
	}
	return segmentTallyRow{seg.ID, seg.Position, seg.Domain, seg.Status, seg.Round, lowest, seg.changed, seg.Encode()}
}

// countedRows reads what was counted of the segments s that a condition finds.
func countedRows(db *gorm.DB, where string, args ...any) (map[string]segmentTallyRow, error) {
	out := map[string]segmentTallyRow{}
	err := database.Each(db.Raw(`SELECT k.segment_id, k.position, k.domain, k.status, k.round, k.lowest, k.changed_at, k.counted
		FROM segments s JOIN segment_tallies k ON k.segment_id = s.id WHERE `+where, args...), func(row *sql.Rows) error {
		var r segmentTallyRow
		err := row.Scan(&r.SegmentID, &r.Position, &r.Domain, &r.Status, &r.Round, &r.Lowest, &r.ChangedAt, &r.Counted)
		out[r.SegmentID] = r
		return err
	})
	return out, err
}

// pairRow is a row of segment_pairs, but for the campaign; R is undefinedR where
// there is none.
type pairRow struct {
	SegmentID  string
	UserID     string
	OtherID    string
	Round      int
	Shared     int
	Gold       bool
	R          float64
	SortR      float64
	Difference float64
}

func (p pairRow) compare(o pairRow) int {
	return cmp.Or(strings.Compare(p.UserID, o.UserID), strings.Compare(p.OtherID, o.OtherID))
}

func (c *Counting) pairRows(seg *SegmentCount) []pairRow {
	var out []pairRow
	for _, p := range seg.Pairs() {
		r := p.R
		if math.IsNaN(r) {
			r = undefinedR
		}
		out = append(out, pairRow{seg.ID, p.User, p.Other, p.Round, p.Shared, seg.Gold, r, r, c.Scale.Points(float64(p.Far)) / float64(p.Shared)})
	}
	return out
}
