package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// CheckTallies computes the states of a campaign's segments and counts the campaign
// from scratch, without writing, and says where what is stored differs: nothing where
// it is the same to the last bit. It names the first differences, and then how many more there are.
func (s *Store) CheckTallies(ctx context.Context, campaignID string) ([]string, error) {
	var out database.Differences
	err := s.db.Snapshot(ctx, func(db *gorm.DB) error {
		c, err := records.ReadCampaign(db, campaignID)
		if err != nil {
			return err
		}
		counting, err := CountingOf(db, c)
		if err != nil {
			return err
		}
		var zone string
		if err := database.Scan(db.Raw("SELECT coalesce(max(timezone), '') FROM campaign_tallies WHERE campaign_id = ?", c.ID), &zone); err != nil {
			return err
		}
		var segments int
		if err := database.Scan(db.Raw("SELECT count(*) FROM segments WHERE campaign_id = ?", c.ID), &segments); err != nil {
			return err
		}
		switch {
		case zone == "" && segments == 0:
			return nil // nothing to count yet
		case zone == "":
			out.Add("the campaign was never counted")
			return nil
		case zone != c.Settings.Timezone:
			out.Add("days are counted in the time zone %s instead of %s", zone, c.Settings.Timezone)
		}
		if err := checkStates(db, c, &out); err != nil {
			return err
		}
		return counting.check(&out)
	})
	return out.List(), err
}

// checkStates compares what is stored of the states of a campaign's segments with what
// follows from their facts.
func checkStates(db *gorm.DB, c campaign.Campaign, out *database.Differences) error {
	facts := rounds.NewFactReader(db, c.ID)
	facts.Fresh = true
	return rounds.EachSegmentBatch(db, c.ID, rounds.FollowBatch, func(ids []string) error {
		segments, err := facts.Of(ids)
		if err != nil {
			return err
		}
		outcomes := make([]campaign.Outcome, len(segments))
		for i, s := range segments {
			outcomes[i] = c.Settings.Follow(s.Facts)
		}
		undecided, err := rounds.UndecidedBy(db, c, segments, outcomes)
		if err != nil {
			return err
		}
		for i, s := range segments {
			o := outcomes[i]
			if !slices.Equal(s.Undecided, undecided[i]) {
				out.Add("the answers to %q about segment %s are stored as without gold, its facts give %q", s.Undecided, s.ID, undecided[i])
			}
			if want := (rounds.SegmentState{Status: o.Status, Round: o.Round, Complete: o.Complete, DecidingAct: o.DecidingAct}); s.Stored != want {
				out.Add("segment %s is stored as %+v, its facts give %+v", s.ID, s.Stored, want)
			}
			for i, want := range o.Turns {
				if t := s.AllTurns[i]; t.Stored != want {
					out.Add(
						"the turn of %s in round %d of segment %s is stored as %+v, the facts give %+v", s.Turns[i].Annotator, t.Round, s.ID,
						t.Stored, want,
					)
				}
			}
			if len(s.Decided) != len(o.Decisions) {
				out.Add("segment %s has %d decisions that hold, its facts give %d", s.ID, len(s.Decided), len(o.Decisions))
			}
			for _, d := range o.Decisions {
				pairs, err := json.Marshal(d.Pairs)
				if err != nil {
					return err
				}
				if was := s.Decided[d.Round]; !was.Formed(d, string(pairs)) {
					out.Add("round %d of segment %s is decided as %+v, its facts give %+v", d.Round, s.ID, was, d)
				}
			}
		}
		return nil
	})
}

// check compares what is kept of the campaign with a count from scratch.
func (c *Counting) check(out *database.Differences) error {
	var segments, rows int
	for position := math.MinInt32; ; {
		var last int
		err := database.Scan(c.db.Raw(`SELECT coalesce(max(position), ?) FROM (SELECT position FROM segments WHERE campaign_id = ? AND position > ?
			ORDER BY position LIMIT ?) p`, position, c.c.ID, position, countBatch), &last)
		if err != nil {
			return err
		}
		if last == position {
			break
		}
		n, err := c.checkSegments(out, "s.campaign_id = ? AND s.position > ? AND s.position <= ?", c.c.ID, position, last)
		if err != nil {
			return err
		}
		segments, position = segments+n, last
	}
	if err := database.Scan(c.db.Raw("SELECT count(*) FROM segment_tallies WHERE campaign_id = ?", c.c.ID), &rows); err != nil {
		return err
	}
	if rows != segments {
		out.Add("%d segments are counted, there are %d", rows, segments)
	}
	kept, err := readTable(c.db, c.c.ID, "1 = 1")
	if err != nil {
		return err
	}
	keys := map[sumKey]bool{}
	for k := range kept {
		keys[k] = true
	}
	for k := range c.Change {
		keys[k] = true
	}
	sorted := make([]sumKey, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.SortFunc(sorted, compareKeys)
	for _, k := range sorted {
		if kept[k] != c.Change[k] {
			out.Add("sums %v are %v, a recount gives %v", k, kept[k], c.Change[k])
		}
	}
	return nil
}

// checkSegments compares the segments s of a condition, and counts them.
func (c *Counting) checkSegments(out *database.Differences, where string, args ...any) (int, error) {
	found, err := c.read(where, args...)
	if err != nil {
		return 0, err
	}
	pairs := map[string][]pairRow{}
	var p pairRow
	var r sql.NullFloat64
	for err := range database.EachRow(c.db.Raw(`SELECT p.segment_id, p.user_id, p.other_id, p.round, p.shared, p.gold, p.r, p.sort_r, p.difference
		FROM segments s JOIN segment_pairs p ON p.segment_id = s.id WHERE `+where+" ORDER BY p.segment_id, p.user_id, p.other_id", args...),
		&p.SegmentID, &p.UserID, &p.OtherID, &p.Round, &p.Shared, &p.Gold, &r, &p.SortR, &p.Difference) {
		if err != nil {
			return 0, err
		}
		if p.R = undefinedR; r.Valid {
			p.R = r.Float64
		}
		pairs[p.SegmentID] = append(pairs[p.SegmentID], p)
	}
	for _, seg := range found {
		c.Change.Change(nil, &seg.Counted, c.Scale)
		if after := c.RowOf(seg); seg.kept != after {
			out.Add("segment %d of the import is counted as %s, a recount gives %s", seg.Position, seg.kept.Counted, after.Counted)
		}
		want := c.pairRows(seg)
		slices.SortFunc(pairs[seg.ID], pairRow.compare)
		slices.SortFunc(want, pairRow.compare)
		if !slices.Equal(pairs[seg.ID], want) {
			out.Add("pairs of segment %d of the import are %v, a recount gives %v", seg.Position, pairs[seg.ID], want)
		}
	}
	return len(found), nil
}

// readTable reads sums of a campaign by key.
func readTable(db *gorm.DB, campaignID, where string, args ...any) (SumTable, error) {
	out := SumTable{}
	query := db.Raw(
		"SELECT kind, user_id, other_id, name, n, x, xx, y, yy, xy FROM tallies WHERE campaign_id = ? AND "+where,
		append([]any{campaignID}, args...)...)
	var k sumKey
	var s Sums
	for err := range database.EachRow(query, &k.Kind, &k.User, &k.Other, &k.Name, &s.N, &s.X, &s.XX, &s.Y, &s.YY, &s.XY) {
		if err != nil {
			return out, err
		}
		out.Add(k, s)
	}
	return out, nil
}
