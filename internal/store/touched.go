package store

import (
	"context"
	"maps"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/tally"
)

// touched is what a transaction has to count again before it commits.
type touched struct {
	segments  map[string]bool        // by row id
	staged    map[string]tally.Table // by campaign: sums of segments that an import has published
	campaigns map[string]bool        // whose settings changed
	members   []memberChange         // whose segments are to be followed after the commit
}

type touchedKey struct{}

// noting makes a write note what it touches, and count it again in the same
// transaction. After the commit it follows the changes of members that the write noted.
func (d *DB) noting(ctx context.Context, fn func(tx *gorm.DB) error, commit func(context.Context, func(tx *gorm.DB) error) error) error {
	var t *touched
	err := commit(ctx, func(tx *gorm.DB) error {
		t = &touched{} // an attempt that the database gave up has noted nothing
		tx = tx.WithContext(context.WithValue(tx.Statement.Context, touchedKey{}, t))
		if err := fn(tx); err != nil || t.nothing() {
			return err
		}
		return d.count(tx, t)
	})
	if err == nil && t != nil && len(t.members) > 0 {
		d.memberChanged(ctx, t.members)
	}
	return err
}

func (t *touched) nothing() bool {
	return len(t.segments) == 0 && len(t.staged) == 0 && len(t.campaigns) == 0
}

// touchedIn is what the transaction notes; outside of one nothing is noted.
func touchedIn(tx *gorm.DB) *touched {
	if t, ok := tx.Statement.Context.Value(touchedKey{}).(*touched); ok {
		return t
	}
	return &touched{}
}

// touchSegments notes segments that the transaction changes.
func touchSegments(tx *gorm.DB, ids ...string) {
	t := touchedIn(tx)
	if t.segments == nil {
		t.segments = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		t.segments[id] = true
	}
}

// touchStaged notes sums to add to those of a campaign, of segments that an import
// has counted as it staged them.
func touchStaged(tx *gorm.DB, campaignID string, sums tally.Table) {
	t := touchedIn(tx)
	if t.staged == nil {
		t.staged = map[string]tally.Table{}
	}
	t.staged[campaignID] = sums
}

// touchCampaign notes that a campaign's settings changed.
func touchCampaign(tx *gorm.DB, campaignID string) {
	t := touchedIn(tx)
	if t.campaigns == nil {
		t.campaigns = map[string]bool{}
	}
	t.campaigns[campaignID] = true
}

// touchedBatch is how many segments are looked up at once.
const touchedBatch = 200

// byCampaign lists what was touched by campaign, sorted.
func (t *touched) byCampaign(tx *gorm.DB) (map[string][]string, error) {
	out := map[string][]string{}
	for id := range t.staged {
		out[id] = nil
	}
	for id := range t.campaigns {
		out[id] = nil
	}
	ids := slices.Sorted(maps.Keys(t.segments))
	for part := range slices.Chunk(ids, touchedBatch) {
		var rows []struct{ ID, CampaignID string }
		if err := tx.Raw("SELECT id, campaign_id FROM segments WHERE id IN ?", part).Scan(&rows).Error; err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.CampaignID] = append(out[r.CampaignID], r.ID)
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out, nil
}
