package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/tally"
)

// maxDifferences is how many differences a check names.
const maxDifferences = 10

// CheckTallies computes the states of a campaign's segments and counts the campaign
// from scratch, without writing, and says where what is stored differs: nothing where
// it is the same to the last bit. It names at most maxDifferences, and then how many more there are.
func (s *Store) CheckTallies(ctx context.Context, campaignID string) ([]string, error) {
	var out differences
	err := s.snapshot(ctx, func(db *gorm.DB) error {
		c, err := readCampaign(db, campaignID)
		if err != nil {
			return err
		}
		counting, err := countingOf(db, c)
		if err != nil {
			return err
		}
		var zone string
		if err := scan(db.Raw("SELECT coalesce(max(timezone), '') FROM campaign_tallies WHERE campaign_id = ?", c.ID), &zone); err != nil {
			return err
		}
		var segments int
		if err := scan(db.Raw("SELECT count(*) FROM segments WHERE campaign_id = ?", c.ID), &segments); err != nil {
			return err
		}
		switch {
		case zone == "" && segments == 0:
			return nil // nothing to count yet
		case zone == "":
			out.add("the campaign was never counted")
			return nil
		case zone != c.Settings.Timezone:
			out.add("days are counted in the time zone %s instead of %s", zone, c.Settings.Timezone)
		}
		if err := checkStates(db, c, &out); err != nil {
			return err
		}
		return counting.check(&out)
	})
	return out.list(), translate(err)
}

// checkStates compares what is stored of the states of a campaign's segments with what
// follows from their facts.
func checkStates(db *gorm.DB, c campaign.Campaign, out *differences) error {
	facts, err := newFactReader(db, c.ID)
	if err != nil {
		return err
	}
	facts.fresh = true
	return eachSegmentBatch(db, c.ID, followBatch, func(ids []string) error {
		segments, err := facts.of(ids)
		for _, s := range segments {
			o := c.Settings.Follow(s.Facts)
			if want := (segmentState{o.Status, o.Round, o.Complete, o.Holding}); s.stored != want {
				out.add("segment %s is stored as %+v, its facts give %+v", s.id, s.stored, want)
			}
			for i, want := range o.Turns {
				if t := s.turns[i]; t.stored != want {
					out.add("the turn of %s in round %d of segment %s is stored as %+v, the facts give %+v", s.Turns[i].Annotator, t.round, s.id, t.stored, want)
				}
			}
			if len(s.decided) != len(o.Decisions) {
				out.add("segment %s has %d decisions that hold, its facts give %d", s.id, len(s.decided), len(o.Decisions))
			}
			for _, d := range o.Decisions {
				pairs, err := json.Marshal(d.Pairs)
				if err != nil {
					return err
				}
				if was := s.decided[d.Round]; !was.formed(d, string(pairs)) {
					out.add("round %d of segment %s is decided as %+v, its facts give %+v", d.Round, s.id, was, d)
				}
			}
		}
		return err
	})
}

// differences are told up to maxDifferences.
type differences struct {
	told []string
	n    int
}

func (d *differences) add(format string, args ...any) {
	if d.n++; d.n <= maxDifferences {
		d.told = append(d.told, fmt.Sprintf(format, args...))
	}
}

func (d *differences) list() []string {
	if d.n > len(d.told) {
		return append(d.told, fmt.Sprintf("and %d more", d.n-len(d.told)))
	}
	return d.told
}

// check compares what is kept of the campaign with a count from scratch.
func (c *counting) check(out *differences) error {
	var segments, rows int
	for position := math.MinInt32; ; {
		var last int
		err := scan(c.tx.Raw(`SELECT coalesce(max(position), ?) FROM (SELECT position FROM segments WHERE campaign_id = ? AND position > ?
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
	if err := scan(c.tx.Raw("SELECT count(*) FROM segment_tallies WHERE campaign_id = ?", c.c.ID), &rows); err != nil {
		return err
	}
	if rows != segments {
		out.add("%d segments are counted, there are %d", rows, segments)
	}
	kept, err := readTable(c.tx, c.c.ID, "1 = 1")
	if err != nil {
		return err
	}
	keys := map[tally.Key]bool{}
	for k := range kept {
		keys[k] = true
	}
	for k := range c.change {
		keys[k] = true
	}
	sorted := make([]tally.Key, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.SortFunc(sorted, compareKeys)
	for _, k := range sorted {
		if kept[k] != c.change[k] {
			out.add("sums %v are %v, a recount gives %v", k, kept[k], c.change[k])
		}
	}
	return nil
}

// checkSegments compares the segments s of a condition, and counts them.
func (c *counting) checkSegments(out *differences, where string, args ...any) (int, error) {
	found, err := c.read(where, args...)
	if err != nil {
		return 0, err
	}
	kept, err := countedRows(c.tx, where, args...)
	if err != nil {
		return 0, err
	}
	pairs := map[string][]pairRow{}
	err = each(c.tx.Raw(`SELECT p.segment_id, p.user_id, p.other_id, p.round, p.shared, p.gold, p.r, p.sort_r, p.difference
		FROM segments s JOIN segment_pairs p ON p.segment_id = s.id WHERE `+where+" ORDER BY p.segment_id, p.user_id, p.other_id", args...), func(row *sql.Rows) error {
		var p pairRow
		var r sql.NullFloat64
		err := row.Scan(&p.SegmentID, &p.UserID, &p.OtherID, &p.Round, &p.Shared, &p.Gold, &r, &p.SortR, &p.Difference)
		if p.R = undefinedR; r.Valid {
			p.R = r.Float64
		}
		pairs[p.SegmentID] = append(pairs[p.SegmentID], p)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, seg := range found {
		c.change.Change(nil, &seg.Segment, c.scale)
		if after := c.rowOf(seg); kept[seg.id] != after {
			out.add("segment %d of the import is counted as %s, a recount gives %s", seg.position, kept[seg.id].Counted, after.Counted)
		}
		want := c.pairRows(seg)
		slices.SortFunc(pairs[seg.id], pairRow.compare)
		slices.SortFunc(want, pairRow.compare)
		if !slices.Equal(pairs[seg.id], want) {
			out.add("pairs of segment %d of the import are %v, a recount gives %v", seg.position, pairs[seg.id], want)
		}
	}
	return len(found), nil
}

// readTable reads sums of a campaign by key.
func readTable(db *gorm.DB, campaignID, where string, args ...any) (tally.Table, error) {
	out := tally.Table{}
	query := db.Raw("SELECT kind, user_id, other_id, name, n, x, xx, y, yy, xy FROM tallies WHERE campaign_id = ? AND "+where, append([]any{campaignID}, args...)...)
	err := each(query, func(row *sql.Rows) error {
		var k tally.Key
		var s tally.Sums
		err := row.Scan(&k.Kind, &k.User, &k.Other, &k.Name, &s.N, &s.X, &s.XX, &s.Y, &s.YY, &s.XY)
		out.Add(k, s)
		return err
	})
	return out, err
}

// CampaignTallies are what [Store.CheckAllTallies] says of one campaign.
type CampaignTallies struct {
	Campaign    campaign.Campaign
	Differences []string // as CheckTallies gives them
}

// CheckAllTallies is CheckTallies of every campaign, in the order of their slugs.
func (s *Store) CheckAllTallies(ctx context.Context) ([]CampaignTallies, error) {
	campaigns, err := s.Campaigns(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]CampaignTallies, len(campaigns))
	for i, c := range campaigns {
		out[i].Campaign = c
		if out[i].Differences, err = s.CheckTallies(ctx, c.ID); err != nil {
			return nil, fmt.Errorf("count campaign %q: %w", c.Slug, err)
		}
	}
	return out, nil
}
