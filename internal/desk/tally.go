package desk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// CountTouched brings the kept sums up to date with what the transaction touched, and counts the changes of its documents. The
// sums change by the difference between what a touched segment added to them before and what it adds now. On
// PostgreSQL it locks the sums of each campaign. These locks come after all locks of
// segments, and the commit follows at once.
func CountTouched(tx *database.Tx) error {
	segments, counted, campaigns := tx.Touched()
	raised, err := raiseVersions(tx, segments, campaigns)
	if err != nil {
		return err
	}
	for _, r := range raised {
		if len(counted) == 0 && len(campaigns) == 0 && r.Version > 1 {
			continue
		}
		c, err := newCounting(tx, r)
		if err != nil {
			return err
		}
		if c.recount {
			err = c.all(tx)
		} else {
			err = c.touched(tx, counted)
		}
		if err != nil {
			return fmt.Errorf("count %q: %w", c.c.Slug, err)
		}
	}
	for part := range slices.Chunk(segments, database.MaxParameters) {
		// The locked sums of the campaign keep other transactions from giving the same number.
		err := tx.Exec(`UPDATE documents SET changes = 1 + (SELECT max(d.changes) FROM documents d WHERE d.campaign_id = documents.campaign_id)
			WHERE id IN (SELECT s.document_id FROM all_segments s WHERE s.id IN ?)`, part).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// A raisedVersion is the version of the sums of a campaign, which was just raised, with the time zone of
// their days.
type raisedVersion struct {
	CampaignID string
	Version    int64
	Timezone   string
}

// raiseVersions locks the sums of campaigns and raises their versions: of those with the ids and of those that
// the segments belong to. The lists are sorted.
func raiseVersions(tx *database.Tx, segments, campaigns []string) ([]raisedVersion, error) {
	raised := map[string]raisedVersion{}
	raise := func(where string, ids []string) error {
		var rows []raisedVersion
		err := tx.Raw(`INSERT INTO campaign_tallies (campaign_id, version, timezone) SELECT c.id, 1, '' FROM campaigns c WHERE NOT c.deleted AND `+where+` ORDER BY c.id
			ON CONFLICT (campaign_id) DO UPDATE SET version = campaign_tallies.version + 1 RETURNING campaign_id, version, timezone`, ids).
			Scan(&rows).
			Error
		for _, r := range rows {
			if _, already := raised[r.CampaignID]; !already {
				raised[r.CampaignID] = r
			}
		}
		return err
	}
	for part := range slices.Chunk(segments, database.MaxParameters) {
		if err := raise("c.id IN (SELECT s.campaign_id FROM segments s WHERE s.id IN ?)", part); err != nil {
			return nil, err
		}
	}
	if len(campaigns) > 0 {
		if err := raise("c.id IN ?", campaigns); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(raised), func(a, b raisedVersion) int { return strings.Compare(a.CampaignID, b.CampaignID) }), nil
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
	// answers are the settled answers of the segments that were read, as text, by id.
	answers map[string]string
}

// newCounting begins to count segments of a campaign whose version was raised. A campaign that was never
// counted, or whose days begin at another time, is counted from scratch.
func newCounting(tx *database.Tx, r raisedVersion) (*Counting, error) {
	c, err := records.ReadCampaign(tx.DB, r.CampaignID)
	if err != nil {
		return nil, err
	}
	out, err := CountingOf(tx.DB, c)
	if err != nil {
		return nil, err
	}
	out.recount = r.Version == 1 || r.Timezone != c.Settings.Timezone
	return out, nil
}

// countingIn locks the sums of a campaign and begins to count in it.
func countingIn(tx *database.Tx, campaignID string) (*Counting, error) {
	raised, err := raiseVersions(tx, nil, []string{campaignID})
	if err == nil && len(raised) == 0 {
		err = fmt.Errorf("campaign: %w", campaign.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return newCounting(tx, raised[0])
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
	r := c.Rules.GateRange()
	if math.IsInf(r.Min, 0) || math.IsInf(r.Max, 0) {
		return newCosts()
	}
	scale := newScale(r.Min, r.Max, byPairs(c))
	var q protocol.Question
	q, scale.nominal = c.Rules.NominalGate()
	for _, o := range q.Options {
		scale.answers = append(scale.answers, o.Label)
	}
	return scale
}

// byPairs reports whether alpha of a campaign is computed from the pairs of scores.
func byPairs(c campaign.Campaign) bool {
	_, ordinal := c.Rules.OrdinalGate()
	return ordinal || nominal(c)
}

// nominal reports whether a campaign's gate scores stand for answers.
func nominal(c campaign.Campaign) bool {
	_, yes := c.Rules.NominalGate()
	return yes
}

// AddSums adds the sums of segments that an import has counted itself, and publishes or hides. On PostgreSQL
// it locks the sums of the campaign, so it comes after all locks of segments.
func AddSums(tx *database.Tx, campaignID string, sums SumTable) error {
	c, err := countingIn(tx, campaignID)
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
		// The || keeps SQLite from reading all segments of the campaign by their index. It would do so if
		// its statistics are older than the campaign.
		if err := c.batch(tx, "s.campaign_id || '' = ? AND s.id IN ?", c.c.ID, part); err != nil {
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
		"DELETE FROM settled_answers WHERE campaign_id = ?",
		// The rows of an import under way are hidden and stay.
		"DELETE FROM all_segment_tallies WHERE segment_id IN (SELECT segment_id FROM segment_tallies WHERE campaign_id = ?)",
	} {
		if err := tx.Exec(forget, c.c.ID).Error; err != nil {
			return err
		}
	}
	if err := tx.Exec("UPDATE campaign_tallies SET timezone = ?, resets = resets + 1 WHERE campaign_id = ?", c.c.Settings.Timezone, c.c.ID).Error; err != nil {
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
	if err := c.keepAnswers(tx); err != nil {
		return err
	}
	kept := NewSegmentTallies()
	pairs := database.NewRows("segment_pairs", "segment_id", "user_id", "other_id", "campaign_id", "round", "shared",
		"gold", "r", "sort_r", "difference")
	var again []string // whose pairs are written anew
	for _, seg := range found {
		after := c.RowOf(seg)
		if seg.kept == after {
			continue
		}
		was, err := decodeCounted(seg.kept.Counted)
		if err != nil {
			return err
		}
		c.Change.Change(was, &seg.Counted, c.Scale)
		AddSegmentTally(kept, c.c.ID, after)
		var old []pairRow
		if was != nil {
			old = c.pairRows(&SegmentCount{ID: seg.ID, Counted: *was})
		}
		compared := c.pairRows(seg)
		if slices.Equal(old, compared) {
			continue
		}
		if len(old) > 0 {
			again = append(again, seg.ID)
		}
		for _, p := range compared {
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
			lowest = excluded.lowest, changed_at = excluded.changed_at, counted = excluded.counted, settled = excluded.settled`
	}
	return kept.Write(tx, conflict)
}

// Uncount subtracts from the sums the segments at positions above after, up to last.
func (c *Counting) Uncount(db *gorm.DB, after, last int) error {
	// CROSS JOIN makes SQLite begin with the segments.
	var counted string
	var n int64
	for err := range database.EachRow(db.Raw(`SELECT k.counted, count(*) FROM all_segments g CROSS JOIN all_segment_tallies k
		WHERE g.campaign_id = ? AND g.position > ? AND g.position <= ? AND k.segment_id = g.id GROUP BY k.counted`, c.c.ID, after, last),
		&counted, &n) {
		if err != nil {
			return err
		}
		seg, err := decodeCounted(counted)
		if err != nil {
			return err
		}
		if seg == nil {
			continue
		}
		for k, s := range sumsOf(*seg, c.Scale) {
			c.Change.Add(k, s.Times(-n))
		}
	}
	return nil
}

// NewSegmentTallies begins rows of what segments add to the sums.
func NewSegmentTallies() *database.Rows {
	return database.NewRows("all_segment_tallies", "segment_id", "campaign_id", "position", "domain", "status", "round", "lowest",
		"changed_at", "counted", "settled")
}

// AddSegmentTally adds the row of a segment.
func AddSegmentTally(to *database.Rows, campaignID string, r segmentTallyRow) {
	to.Add(r.SegmentID, campaignID, r.Position, r.Domain, r.Status, r.Round, r.Lowest, r.ChangedAt, r.Counted, r.Settled)
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
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.User, b.User), strings.Compare(a.Other, b.Other),
		strings.Compare(a.Name, b.Name))
}

// CountUncounted counts the campaigns that have segments and no sums. A migration that adds to the sums leaves campaigns so.
func (s *Store) CountUncounted(ctx context.Context) error {
	var ids []string
	err := s.db.Read(ctx).Raw(`SELECT c.id FROM campaigns c WHERE NOT c.deleted AND NOT EXISTS (SELECT 1 FROM campaign_tallies k WHERE k.campaign_id = c.id)
		AND EXISTS (SELECT 1 FROM segments g WHERE g.campaign_id = c.id) ORDER BY c.id`).Scan(&ids).Error
	for _, id := range ids {
		if err := s.Recount(ctx, id); err != nil {
			return fmt.Errorf("count a campaign again: %w", err)
		}
	}
	return err
}

// Recount counts a campaign from scratch. Writes wait meanwhile: a campaign of a
// million ratings takes some seconds.
func (s *Store) Recount(ctx context.Context, campaignID string) error {
	return s.db.WriteLong(ctx, func(tx *database.Tx) error {
		if _, err := records.LockCampaign(tx, campaignID); err != nil {
			return err
		}
		c, err := countingIn(tx, campaignID)
		if err != nil {
			return err
		}
		return c.all(tx)
	})
}
