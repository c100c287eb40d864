package database

import (
	"context"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"
)

// A Tx is one transaction that writes. [DB.Write] and [DB.WriteLong] begin and commit it. A
// function that changes something takes a *Tx. A function that only reads takes a *gorm.DB:
// tx.DB within a transaction, [DB.Read] outside of one.
//
// Beside the connection, a Tx carries three things:
//
//   - the clock ([Tx.Now]);
//   - the segments and campaigns that it touched. [DB.OnTouched] is called with them before the
//     commit. records.LockSegments touches the segments that it locks, so that callers need not
//     think of what is kept of them. Touching a segment twice has no effect;
//   - the functions to call after the commit ([Tx.AfterCommit]).
type Tx struct {
	*gorm.DB
	now       func() time.Time
	segments  map[string]bool // ids of segments that the transaction changes
	campaigns map[string]bool // ids of campaigns whose settings it changes
	after     []func(context.Context)
}

// Now reads the clock of the database.
func (tx *Tx) Now() time.Time { return tx.now() }

// Context is the context of the transaction. It has the values of the context that the
// write was called with. On SQLite it is never cancelled.
func (tx *Tx) Context() context.Context { return tx.Statement.Context }

// TouchSegments marks segments as changed, so that they are counted again before the commit.
func (tx *Tx) TouchSegments(ids ...string) {
	if tx.segments == nil {
		tx.segments = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		tx.segments[id] = true
	}
}

// TouchCampaign marks a campaign as changed, because its settings changed.
func (tx *Tx) TouchCampaign(campaignID string) {
	if tx.campaigns == nil {
		tx.campaigns = map[string]bool{}
	}
	tx.campaigns[campaignID] = true
}

// AfterCommit makes fn run after the commit, before the write returns. fn does not run if the
// transaction fails.
func (tx *Tx) AfterCommit(fn func(context.Context)) { tx.after = append(tx.after, fn) }

// A TouchedCampaign is what a transaction touched in one campaign.
type TouchedCampaign struct {
	ID       string
	Segments []string // ids, sorted
}

// touchedBatch is the number of segments that one query looks up.
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
