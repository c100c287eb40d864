package database

import (
	"context"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"annotate/internal/tally"
)

// A Tx is one transaction that writes. [DB.Write] and [DB.WriteLong] make it and commit
// it. A function that changes something takes a *Tx. A function that only reads takes a
// *gorm.DB: tx.DB within a transaction, [DB.Read] outside of one.
//
// Beside the connection, a Tx carries three things:
//
//   - the clock ([Tx.Now]);
//   - what it touched: the segments and campaigns whose kept sums must change before the
//     commit. Locking a segment notes it (lock.go), so that no caller has to think of
//     the sums. The sums change by the difference between what a segment added before
//     and what it adds now. A segment that is noted twice counts once;
//   - work for after the commit ([Tx.AfterCommit]).
type Tx struct {
	*gorm.DB
	now       func() time.Time
	segments  map[string]bool        // ids of segments that the transaction changes
	campaigns map[string]bool        // ids of campaigns whose settings it changes
	sums      map[string]tally.Table // sums to add, by campaign id
	after     []func(context.Context)
}

// Now reads the clock of the database.
func (tx *Tx) Now() time.Time { return tx.now() }

// Context is the context of the transaction. It has the values of the context that the
// write was called with. On SQLite it is never cancelled.
func (tx *Tx) Context() context.Context { return tx.Statement.Context }

// TouchSegments notes segments whose sums must be counted again before the commit.
func (tx *Tx) TouchSegments(ids ...string) {
	if tx.segments == nil {
		tx.segments = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		tx.segments[id] = true
	}
}

// TouchCampaign notes that the settings of a campaign changed.
func (tx *Tx) TouchCampaign(campaignID string) {
	if tx.campaigns == nil {
		tx.campaigns = map[string]bool{}
	}
	tx.campaigns[campaignID] = true
}

// AddSums notes sums to add to those of a campaign: an import has counted the segments
// that the transaction publishes.
func (tx *Tx) AddSums(campaignID string, sums tally.Table) {
	if tx.sums == nil {
		tx.sums = map[string]tally.Table{}
	}
	tx.sums[campaignID] = sums
}

// AfterCommit has fn run after the commit, before the write returns. fn does not run if
// the transaction fails.
func (tx *Tx) AfterCommit(fn func(context.Context)) { tx.after = append(tx.after, fn) }

// A TouchedCampaign is what a transaction touched in one campaign.
type TouchedCampaign struct {
	ID       string
	Segments []string    // ids, sorted
	Sums     tally.Table // to add
}

// touchedBatch is how many segments one query looks up.
const touchedBatch = 200

// Touched lists what the transaction has touched so far, in the order of the campaigns'
// ids. A segment that no longer exists is left out.
func (tx *Tx) Touched() ([]TouchedCampaign, error) {
	found := map[string]*TouchedCampaign{}
	touch := func(id string) *TouchedCampaign {
		if found[id] == nil {
			found[id] = &TouchedCampaign{ID: id}
		}
		return found[id]
	}
	for id := range tx.campaigns {
		touch(id)
	}
	for id, sums := range tx.sums {
		touch(id).Sums = sums
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(tx.segments)), touchedBatch) {
		var rows []struct{ ID, CampaignID string }
		if err := tx.Raw("SELECT id, campaign_id FROM segments WHERE id IN ? ORDER BY id", part).Scan(&rows).Error; err != nil {
			return nil, err
		}
		for _, r := range rows {
			c := touch(r.CampaignID)
			c.Segments = append(c.Segments, r.ID)
		}
	}
	out := make([]TouchedCampaign, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[id])
	}
	return out, nil
}
