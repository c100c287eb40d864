package desk

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// CountTouched brings the kept sums up to date with what the transaction touched. They change by
// the difference between what a touched segment added to them before and what it adds now. On
// PostgreSQL it locks the sums of each campaign. These locks come after all locks of
// segments, and the commit follows at once.
func CountTouched(tx *database.Tx) error {
	touched, err := tx.Touched()
	if err != nil {
		return err
	}
	for _, t := range touched {
		c, err := newCounting(tx, t.ID)
		if err != nil {
			return err
		}
		if c.recount {
			err = c.all(tx)
		} else {
			err = c.touched(tx, t.Segments)
		}
		if err != nil {
			return fmt.Errorf("count %q: %w", c.c.Slug, err)
		}
	}
	return nil
}

// countBatch is how many segments are counted at once.
const countBatch = 200

// A Counting brings the sums of one campaign up to date.
type Counting struct {
	db      *gorm.DB
	c       campaign.Campaign
	Scale   scoreScale
	zone    *time.Location
	recount bool // from scratch
	// clean: no segment that is counted was counted before.
	clean  bool
	Change SumTable
}

// newCounting locks the sums of a campaign and raises their version. A campaign
// that was never counted, or whose days begin at another time, is counted from
// scratch.
func newCounting(tx *database.Tx, campaignID string) (*Counting, error) {
	c, err := records.ReadCampaign(tx.DB, campaignID)
	if err != nil {
		return nil, err
	}
	var version int64
	var zone string
	err = database.Scan(tx.Raw(`INSERT INTO campaign_tallies (campaign_id, version, timezone) VALUES (?, 1, ?)
		ON CONFLICT (campaign_id) DO UPDATE SET version = campaign_tallies.version + 1 RETURNING version, timezone`,
		campaignID, c.Settings.Timezone), &version, &zone)
	if err != nil {
		return nil, err
	}
	out, err := CountingOf(tx.DB, c)
	if err != nil {
		return nil, err
	}
	out.recount = version == 1 || zone != c.Settings.Timezone
	return out, nil
}

// CountingOf begins to count segments of a campaign, as it is in c.
func CountingOf(db *gorm.DB, c campaign.Campaign) (*Counting, error) {
	zone, err := time.LoadLocation(c.Settings.Timezone)
	if err != nil {
		return nil, err
	}
	return &Counting{db: db, c: c, Scale: scaleOf(c), zone: zone, Change: SumTable{}}, nil
}

// scaleOf is how a campaign's gate scores are counted.
func scaleOf(c campaign.Campaign) scoreScale {
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
		return newCosts()
	}
	return newScale(lowest, highest, ordinal(c))
}

// ordinal reports whether alpha compares the ranks of a campaign's scores.
func ordinal(c campaign.Campaign) bool {
	_, yes := c.Rules.OrdinalGate()
	return yes
}

// AddSums adds the sums of segments that an import has counted itself, and publishes or hides. On PostgreSQL
// it locks the sums of the campaign, so it comes after all locks of segments.
func AddSums(tx *database.Tx, campaignID string, sums SumTable) error {
	c, err := newCounting(tx, campaignID)
	if err != nil {
		return err
	}
	if c.recount {
		return c.all(tx)
	}
	c.Change = sums
	return c.save(tx)
}

// touched counts segments by row id.
func (c *Counting) touched(tx *database.Tx, ids []string) error {
	for part := range slices.Chunk(ids, countBatch) {
		if err := c.batch(tx, "s.id IN ?", part); err != nil {
			return err
		}
	}
	return c.save(tx)
}

// all counts the campaign from scratch.
func (c *Counting) all(tx *database.Tx) error {
	for _, forget := range []string{
		"DELETE FROM tallies WHERE campaign_id = ?",
		"DELETE FROM segment_pairs WHERE campaign_id = ?",
		// The rows of an import under way are hidden and stay.
		"DELETE FROM all_segment_tallies WHERE segment_id IN (SELECT segment_id FROM segment_tallies WHERE campaign_id = ?)",
	} {
		if err := tx.Exec(forget, c.c.ID).Error; err != nil {
			return err
		}
	}
	if err := tx.Exec("UPDATE campaign_tallies SET timezone = ? WHERE campaign_id = ?", c.c.Settings.Timezone, c.c.ID).Error; err != nil {
		return err
	}
	c.clean = true
	if err := c.after(tx, math.MinInt32); err != nil {
		return err
	}
	return c.save(tx)
}

// after counts the segments after a position.
func (c *Counting) after(tx *database.Tx, position int) error {
	g := database.Growth{Tables: "all_segment_tallies, segment_pairs"}
	for n := 0; ; n += countBatch {
		var last int
		err := database.Scan(tx.Raw(`SELECT coalesce(max(position), ?) FROM (SELECT position FROM segments WHERE campaign_id = ? AND position > ?
			ORDER BY position LIMIT ?) p`, position, c.c.ID, position, countBatch), &last)
		if err != nil || last == position {
			return err
		}
		if err := c.batch(tx, "s.campaign_id = ? AND s.position > ? AND s.position <= ?", c.c.ID, position, last); err != nil {
			return err
		}
		if err := g.Note(tx, n); err != nil {
			return err
		}
		position = last
	}
}

// batch counts the segments s of a condition.
func (c *Counting) batch(tx *database.Tx, where string, args ...any) error {
	found, err := c.read(where, args...)
	if err != nil {
		return err
	}
	before := map[string]segmentTallyRow{}
	if !c.clean {
		if before, err = countedRows(tx.DB, where, args...); err != nil {
			return err
		}
	}
	kept := NewSegmentTallies()
	pairs := database.NewRows("segment_pairs", "segment_id", "user_id", "other_id", "campaign_id", "round", "shared", "gold", "r", "sort_r", "difference")
	var again []string // whose pairs are written anew
	for _, seg := range found {
		after := c.RowOf(seg)
		old := before[seg.ID]
		if old == after {
			continue
		}
		was, err := decodeCounted(old.Counted)
		if err != nil {
			return err
		}
		c.Change.Change(was, &seg.Counted, c.Scale)
		AddSegmentTally(kept, c.c.ID, after)
		if was != nil && len(was.Turns) > 1 {
			again = append(again, seg.ID)
		}
		for _, p := range c.pairRows(seg) {
			r := &p.R
			if p.R == undefinedR {
				r = nil
			}
			pairs.Add(p.SegmentID, p.UserID, p.OtherID, c.c.ID, p.Round, p.Shared, p.Gold, r, p.SortR, p.Difference)
		}
	}
	if len(again) > 0 {
		if err := tx.Exec("DELETE FROM segment_pairs WHERE segment_id IN ?", again).Error; err != nil {
			return err
		}
	}
	if err := pairs.Insert(tx); err != nil {
		return err
	}
	conflict := ""
	if !c.clean {
		conflict = ` ON CONFLICT (segment_id) DO UPDATE SET domain = excluded.domain, status = excluded.status, round = excluded.round,
			lowest = excluded.lowest, changed_at = excluded.changed_at, counted = excluded.counted`
	}
	return kept.Write(tx, conflict)
}

// Uncount subtracts from the sums the segments at positions above after, up to last.
func (c *Counting) Uncount(db *gorm.DB, after, last int) error {
	// CROSS JOIN makes SQLite begin with the segments.
	return database.Each(db.Raw(`SELECT k.counted, count(*) FROM all_segments g CROSS JOIN all_segment_tallies k
		WHERE g.campaign_id = ? AND g.position > ? AND g.position <= ? AND k.segment_id = g.id GROUP BY k.counted`, c.c.ID, after, last), func(row *sql.Rows) error {
		var counted string
		var n int64
		if err := row.Scan(&counted, &n); err != nil {
			return err
		}
		seg, err := decodeCounted(counted)
		if err != nil || seg == nil {
			return err
		}
		for k, s := range sumsOf(*seg, c.Scale) {
			c.Change.Add(k, s.Times(-n))
		}
		return nil
	})
}

// NewSegmentTallies begins rows of what segments add to the sums.
func NewSegmentTallies() *database.Rows {
	return database.NewRows("all_segment_tallies", "segment_id", "campaign_id", "position", "domain", "status", "round", "lowest", "changed_at", "counted")
}

// AddSegmentTally adds the row of a segment.
func AddSegmentTally(to *database.Rows, campaignID string, r segmentTallyRow) {
	to.Add(r.SegmentID, campaignID, r.Position, r.Domain, r.Status, r.Round, r.Lowest, r.ChangedAt, r.Counted)
}

// undefinedR stands for an undefined r where segments are put in order by it.
const undefinedR = 2

// save adds the change to the sums.
func (c *Counting) save(tx *database.Tx) error {
	sums := database.NewRows("tallies", "campaign_id", "kind", "user_id", "other_id", "name", "n", "x", "xx", "y", "yy", "xy")
	for _, k := range slices.SortedFunc(maps.Keys(c.Change), compareKeys) {
		s := c.Change[k]
		sums.Add(c.c.ID, k.Kind, k.User, k.Other, k.Name, s.N, s.X, s.XX, s.Y, s.YY, s.XY)
	}
	clear(c.Change)
	return sums.Write(tx, ` ON CONFLICT (campaign_id, kind, user_id, other_id, name) DO UPDATE SET n = tallies.n + excluded.n,
		x = tallies.x + excluded.x, xx = tallies.xx + excluded.xx, y = tallies.y + excluded.y, yy = tallies.yy + excluded.yy, xy = tallies.xy + excluded.xy`)
}

func compareKeys(a, b sumKey) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.User, b.User), strings.Compare(a.Other, b.Other), strings.Compare(a.Name, b.Name))
}

// Recount counts a campaign from scratch. Writes wait meanwhile: a campaign of a
// million ratings takes some seconds.
func (s *Store) Recount(ctx context.Context, campaignID string) error {
	return s.db.WriteLong(ctx, func(tx *database.Tx) error {
		if _, err := records.LockCampaign(tx, campaignID); err != nil {
			return err
		}
		c, err := newCounting(tx, campaignID)
		if err != nil {
			return err
		}
		return c.all(tx)
	})
}
