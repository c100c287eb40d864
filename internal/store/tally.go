package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/tally"
)

// Sums that the pages of a campaign read are kept up by the transactions that
// change what is summed. None of them has to think of it: who changes a segment
// locks it, locking notes it, and before the commit what was noted is counted
// again. What a segment adds is kept beside it, so that the sums change by the
// difference, and a segment that is counted twice counts once.

// countBatch is how many segments are counted at once.
const countBatch = 200

// countTouched brings the sums of all that was touched up to date. On PostgreSQL it takes
// a lock of each campaign's sums, which comes after all locks of segments and is
// kept for this moment only.
func (s *Store) countTouched(tx *gorm.DB, t *touched) error {
	byCampaign, err := t.byCampaign(tx)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(byCampaign)) {
		c, err := s.newCounting(tx, id)
		if err != nil {
			return err
		}
		if c.recount {
			err = c.all()
		} else {
			err = c.touched(byCampaign[id], t.staged[id])
		}
		if err != nil {
			return fmt.Errorf("count %q: %w", c.c.Slug, err)
		}
	}
	return nil
}

// A counting brings the sums of one campaign up to date.
type counting struct {
	tx      *gorm.DB
	c       campaign.Campaign
	scale   tally.Scale
	zone    *time.Location
	recount bool // from scratch
	// clean: no segment that is counted was counted before.
	clean  bool
	change tally.Table
}

// newCounting locks the sums of a campaign and raises their version. A campaign
// that was never counted, or whose days begin at another time, is counted from
// scratch.
func (s *Store) newCounting(tx *gorm.DB, campaignID string) (*counting, error) {
	c, err := readCampaign(tx, campaignID)
	if err != nil {
		return nil, err
	}
	var version int64
	var zone string
	err = scan(tx.Raw(`INSERT INTO campaign_tallies (campaign_id, version, timezone) VALUES (?, 1, ?)
		ON CONFLICT (campaign_id) DO UPDATE SET version = campaign_tallies.version + 1 RETURNING version, timezone`,
		campaignID, c.Settings.Timezone), &version, &zone)
	if err != nil {
		return nil, err
	}
	out, err := countingOf(tx, c)
	if err != nil {
		return nil, err
	}
	out.recount = version == 1 || zone != c.Settings.Timezone
	return out, nil
}

func countingOf(tx *gorm.DB, c campaign.Campaign) (*counting, error) {
	zone, err := time.LoadLocation(c.Settings.Timezone)
	if err != nil {
		return nil, err
	}
	return &counting{tx: tx, c: c, scale: scaleOf(c), zone: zone, change: tally.Table{}}, nil
}

// scaleOf is how a campaign's gate scores are counted.
func scaleOf(c campaign.Campaign) tally.Scale {
	p := c.Rules
	names := []string{p.Gate}
	for _, d := range p.Derived {
		if d.Name == p.Gate {
			names = d.Mean
		}
	}
	lowest, highest, found := math.Inf(1), math.Inf(-1), false
	for _, name := range names {
		if score, ok := p.Score(name); ok {
			lowest, highest, found = min(lowest, float64(score.Min)), max(highest, float64(score.Max)), true
		}
	}
	if !found {
		return tally.NewCosts()
	}
	return tally.NewScale(lowest, highest, ordinal(c))
}

// ordinal reports whether alpha compares the ranks of a campaign's scores.
func ordinal(c campaign.Campaign) bool {
	_, yes := c.Rules.OrdinalGate()
	return yes
}

// touched counts segments by row id, and adds the sums of segments that are counted.
func (c *counting) touched(ids []string, staged tally.Table) error {
	for key, sums := range staged {
		c.change.Add(key, sums)
	}
	for part := range slices.Chunk(ids, countBatch) {
		if err := c.batch("s.id IN ?", part); err != nil {
			return err
		}
	}
	return c.save()
}

// all counts the campaign from scratch.
func (c *counting) all() error {
	for _, forget := range []string{
		"DELETE FROM tallies WHERE campaign_id = ?",
		"DELETE FROM segment_pairs WHERE campaign_id = ?",
		// The rows of an import under way are hidden and stay.
		"DELETE FROM all_segment_tallies WHERE segment_id IN (SELECT segment_id FROM segment_tallies WHERE campaign_id = ?)",
	} {
		if err := c.tx.Exec(forget, c.c.ID).Error; err != nil {
			return err
		}
	}
	if err := c.tx.Exec("UPDATE campaign_tallies SET timezone = ? WHERE campaign_id = ?", c.c.Settings.Timezone, c.c.ID).Error; err != nil {
		return err
	}
	c.clean = true
	if err := c.after(math.MinInt32); err != nil {
		return err
	}
	return c.save()
}

// after counts the segments after a position.
func (c *counting) after(position int) error {
	g := growth{tables: "all_segment_tallies, segment_pairs"}
	for n := 0; ; n += countBatch {
		var last int
		err := scan(c.tx.Raw(`SELECT coalesce(max(position), ?) FROM (SELECT position FROM segments WHERE campaign_id = ? AND position > ?
			ORDER BY position LIMIT ?) p`, position, c.c.ID, position, countBatch), &last)
		if err != nil || last == position {
			return err
		}
		if err := c.batch("s.campaign_id = ? AND s.position > ? AND s.position <= ?", c.c.ID, position, last); err != nil {
			return err
		}
		if err := g.note(c.tx, n); err != nil {
			return err
		}
		position = last
	}
}

// batch counts the segments s of a condition.
func (c *counting) batch(where string, args ...any) error {
	found, err := c.read(where, args...)
	if err != nil {
		return err
	}
	before := map[string]segmentTallyRow{}
	if !c.clean {
		if before, err = countedRows(c.tx, where, args...); err != nil {
			return err
		}
	}
	kept := newSegmentTallies()
	pairs := newRows("segment_pairs", "segment_id", "user_id", "other_id", "campaign_id", "round", "shared", "gold", "r", "sort_r", "difference")
	var again []string // whose pairs are written anew
	for _, seg := range found {
		after := c.rowOf(seg)
		old := before[seg.id]
		if old == after {
			continue
		}
		was, err := tally.Decode(old.Counted)
		if err != nil {
			return err
		}
		c.change.Change(was, &seg.Segment, c.scale)
		addSegmentTally(kept, c.c.ID, after)
		if was != nil && len(was.Turns) > 1 {
			again = append(again, seg.id)
		}
		for _, p := range c.pairRows(seg) {
			r := &p.R
			if p.R == undefinedR {
				r = nil
			}
			pairs.add(p.SegmentID, p.UserID, p.OtherID, c.c.ID, p.Round, p.Shared, p.Gold, r, p.SortR, p.Difference)
		}
	}
	if len(again) > 0 {
		if err := c.tx.Exec("DELETE FROM segment_pairs WHERE segment_id IN ?", again).Error; err != nil {
			return err
		}
	}
	if err := pairs.insert(c.tx); err != nil {
		return err
	}
	conflict := ""
	if !c.clean {
		conflict = ` ON CONFLICT (segment_id) DO UPDATE SET domain = excluded.domain, status = excluded.status, round = excluded.round,
			lowest = excluded.lowest, changed_at = excluded.changed_at, counted = excluded.counted`
	}
	return kept.write(c.tx, conflict)
}

func newSegmentTallies() *rows {
	return newRows("all_segment_tallies", "segment_id", "campaign_id", "position", "domain", "status", "round", "lowest", "changed_at", "counted")
}

func addSegmentTally(to *rows, campaignID string, r segmentTallyRow) {
	to.add(r.SegmentID, campaignID, r.Position, r.Domain, r.Status, r.Round, r.Lowest, r.ChangedAt, r.Counted)
}

// undefinedR stands for an undefined r where segments are put in order by it.
const undefinedR = 2

// save adds the change to the sums.
func (c *counting) save() error {
	sums := newRows("tallies", "campaign_id", "kind", "user_id", "other_id", "name", "n", "x", "xx", "y", "yy", "xy")
	for _, k := range slices.SortedFunc(maps.Keys(c.change), compareKeys) {
		s := c.change[k]
		sums.add(c.c.ID, k.Kind, k.User, k.Other, k.Name, s.N, s.X, s.XX, s.Y, s.YY, s.XY)
	}
	clear(c.change)
	return sums.write(c.tx, ` ON CONFLICT (campaign_id, kind, user_id, other_id, name) DO UPDATE SET n = tallies.n + excluded.n,
		x = tallies.x + excluded.x, xx = tallies.xx + excluded.xx, y = tallies.y + excluded.y, yy = tallies.yy + excluded.yy, xy = tallies.xy + excluded.xy`)
}

func compareKeys(a, b tally.Key) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.User, b.User), strings.Compare(a.Other, b.Other), strings.Compare(a.Name, b.Name))
}

// Recount counts a campaign from scratch. Writes wait meanwhile: a campaign of a
// million ratings takes some seconds.
func (s *Store) Recount(ctx context.Context, campaignID string) error {
	return s.writeLong(ctx, func(tx *gorm.DB) error {
		if _, err := lockCampaign(tx, campaignID); err != nil {
			return err
		}
		c, err := s.newCounting(tx, campaignID)
		if err != nil {
			return err
		}
		return c.all()
	})
}

// countNew counts the campaigns that were never counted, which are those of a
// database from before there were sums.
func (s *Store) countNew(ctx context.Context) error {
	var ids []struct{ ID, Slug string }
	err := s.read(ctx).Raw("SELECT id, slug FROM campaigns WHERE id NOT IN (SELECT campaign_id FROM campaign_tallies) ORDER BY id").Scan(&ids).Error
	if err != nil {
		return translate(err)
	}
	for _, c := range ids {
		s.log.Info("count campaign", "campaign", c.Slug)
		if err := s.Recount(ctx, c.ID); err != nil && !errors.Is(err, campaign.ErrNotFound) {
			return fmt.Errorf("count campaign %q: %w", c.Slug, err)
		}
	}
	return nil
}
