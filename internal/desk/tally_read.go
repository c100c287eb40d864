package desk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

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
	kept     segmentTallyRow // what was counted before; the zero value if nothing was
	alike    string          // pairs of systems with the same text, as ids joined by =, the lower one last
}

// read reads what is counted of the segments s that a condition finds.
func (c *Counting) read(where string, args ...any) ([]*SegmentCount, error) {
	found, err := c.readSegments(where, args)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*SegmentCount, len(found))
	for _, seg := range found {
		byID[seg.ID] = seg
	}
	if err := c.readTurns(byID, where, args); err != nil {
		return nil, err
	}
	return found, c.readSettled(byID)
}

// readTurns adds who submitted what, and whom a later round waits for.
func (c *Counting) readTurns(byID map[string]*SegmentCount, where string, args []any) error {
	type rated struct {
		seg    *SegmentCount
		turn   int // in seg.Turns
		system string
		units  int64
	}
	var ratings []rated
	var turn countedTurn                                             // of the row
	var last string                                                  // id of the assignment of the row before
	day, from, until := "", database.Instant(0), database.Instant(0) // the one last looked up
	// The time of a rating that came with an import is known where the file had one.
	var id, segment, state, system string
	var at database.Instant
	var seconds, score, activeTime float64
	var awaited, counts, timed bool
	for err := range database.EachRow(c.db.Raw(`SELECT a.id, a.segment_id, a.user_id, a.round, a.state, a.submitted_at, a.ratings, a.seconds, a.awaited, a.counts,
			coalesce(t.system_id, ''), coalesce(r.gate_score, 0), coalesce(r.seconds, 0), coalesce(r.seconds, 0) > 0 OR a.submitted_at > a.started_at
		FROM segments s JOIN assignments a ON a.segment_id = s.id
		LEFT JOIN ratings r ON r.assignment_id = a.id AND a.state = 'submitted' LEFT JOIN translations t ON t.id = r.translation_id
		WHERE `+where+" ORDER BY a.id", args...),
		&id, &segment, &turn.User, &turn.Round, &state, &at, &turn.Ratings, &seconds, &awaited, &counts, &system, &score,
		&activeTime, &timed) {
		if err != nil {
			return err
		}
		seg := byID[segment]
		if seg == nil {
			continue
		}
		if state != string(campaign.Submitted) {
			if awaited {
				seg.Waiting++
			}
			continue
		}
		if id != last {
			last, turn.Out, turn.Millis, turn.Day = id, !counts, int64(math.Round(seconds*1000)), ""
			if at != 0 {
				if at < from || at >= until {
					start := c.c.Settings.StartOfDay(at.Time())
					day, from = start.Format(time.DateOnly), database.InstantOf(start)
					until = database.InstantOf(c.c.Settings.StartOfDay(start.Add(36 * time.Hour))) // a day has 23 to 25 hours
				}
				turn.Day = day
			}
			seg.Again = seg.Again || turn.Round > 1 && counts
			seg.changed = max(seg.changed, at)
			seg.Turns = append(seg.Turns, turn)
		}
		if system == "" {
			continue
		}
		k := len(seg.Turns) - 1
		if timed {
			seg.Turns[k].ActiveTimes = append(seg.Turns[k].ActiveTimes, RoundedTime(activeTime))
		}
		if at, known := slices.BinarySearch(seg.Systems, system); !known {
			seg.Systems = slices.Insert(seg.Systems, at, system)
		}
		ratings = append(ratings, rated{seg, k, system, c.Scale.Units(score)})
	}
	if last == "" {
		return nil
	}
	for _, seg := range byID {
		for i := range seg.Turns {
			if len(seg.Systems) > 0 {
				seg.Turns[i].Scores = slices.Repeat([]int64{missing}, len(seg.Systems))
			}
			slices.Sort(seg.Turns[i].ActiveTimes)
		}
	}
	for _, r := range ratings {
		i, _ := slices.BinarySearch(r.seg.Systems, r.system)
		r.seg.Turns[r.turn].Scores[i] = r.units
	}
	for _, seg := range byID {
		seg.Order()
		seg.addSame()
	}
	return nil
}

// addSame adds which rated translations of the segment are the same text.
func (seg *SegmentCount) addSame() {
	for pair := range strings.FieldsSeq(seg.alike) {
		system, other, _ := strings.Cut(pair, "=")
		i, known := slices.BinarySearch(seg.Systems, system)
		first, rated := slices.BinarySearch(seg.Systems, other)
		if !known || !rated {
			continue
		}
		if seg.Same == nil {
			seg.Same = make([]int, len(seg.Systems))
			for k := range seg.Same {
				seg.Same[k] = k
			}
		}
		seg.Same[i] = min(seg.Same[i], first)
	}
}

// readSegments reads segments, what was counted of them before, how their round 1 is judged now,
// whether a round above it was asked for, and when a decision last said something else than the one
// before it: judged anew to the same end, as most are by another threshold, a segment has not changed.
func (c *Counting) readSegments(where string, args []any) ([]*SegmentCount, error) {
	type verdict struct {
		round  int
		passed bool
		status string
	}
	var found []*SegmentCount
	var last verdict
	firsts := map[*SegmentCount]string{} // pairs
	var row SegmentCount
	var v verdict
	var pairs string
	var at database.Instant
	var current bool
	k := &row.kept
	for err := range database.EachRow(c.db.Raw(`SELECT s.id, s.position, s.domain, s.status, s.round, (SELECT count(*) FROM translations t WHERE t.segment_id = s.id),
			coalesce((SELECT string_agg(t.system_id || '=' || o.system_id, ' ') FROM translations t
				JOIN translations o ON o.segment_id = t.segment_id AND o.text = t.text AND o.system_id < t.system_id WHERE t.segment_id = s.id), ''),
			coalesce(k.segment_id, ''), coalesce(k.position, 0), coalesce(k.domain, ''), coalesce(k.status, ''), coalesce(k.round, 0), coalesce(k.lowest, 0), coalesce(k.changed_at, 0), coalesce(k.counted, ''), coalesce(k.settled, ''),
			coalesce(x.round, 0), coalesce(x.passed, FALSE), coalesce(x.status, ''), CASE WHEN x.round = 1 AND x.current THEN x.pairs ELSE '' END, coalesce(x.decided_at, 0), coalesce(x.current, FALSE)
		FROM segments s LEFT JOIN all_segment_tallies k ON k.segment_id = s.id LEFT JOIN decisions x ON x.segment_id = s.id
		WHERE `+where+" ORDER BY s.id, x.round, x.decided_at, x.id", args...),
		&row.ID, &row.Position, &row.Domain, &row.Status, &row.Round, &row.Size, &row.alike, &k.SegmentID, &k.Position,
		&k.Domain, &k.Status, &k.Round, &k.Lowest, &k.ChangedAt, &k.Counted, &k.Settled, &v.round, &v.passed, &v.status,
		&pairs, &at, &current) {
		if err != nil {
			return nil, err
		}
		fresh := row
		seg := &fresh
		if n := len(found); n > 0 && found[n-1].ID == seg.ID {
			seg = found[n-1]
		} else {
			seg.Gold, seg.Again = campaign.Status(seg.Status).InGold(), campaign.Status(seg.Status) == campaign.Reannotate
			found, last = append(found, seg), verdict{}
		}
		if current && v.round == 1 && seg.Status != string(campaign.Withdrawn) {
			seg.First, firsts[seg] = &firstRound{Passed: v.passed}, pairs
		}
		if current {
			seg.Again = seg.Again || v.round > 1 || v.status == string(campaign.Reannotate)
		}
		if v != last {
			seg.changed, last = max(seg.changed, at), v
		}
	}
	for seg, text := range firsts {
		var pairs []campaign.Pair
		if err := json.Unmarshal([]byte(text), &pairs); err != nil {
			return nil, fmt.Errorf("decode pairs: %w", err)
		}
		seg.First.Pairs = len(pairs)
		for _, p := range pairs {
			if !p.Passed {
				seg.First.Failed = append(seg.First.Failed, string(p.Reason))
			}
		}
		slices.SortFunc(seg.First.Failed, strings.Compare)
	}
	return found, nil
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
	Settled   string
}

// RowOf is what a segment adds to the sums.
func (c *Counting) RowOf(seg *SegmentCount) segmentTallyRow {
	lowest := float64(undefinedR)
	for _, p := range seg.Pairs() {
		if !math.IsNaN(p.R) {
			lowest = min(lowest, p.R)
		}
	}
	return segmentTallyRow{seg.ID, seg.Position, seg.Domain, seg.Status, seg.Round, lowest, seg.changed, seg.Encode(), seg.Settled}
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
