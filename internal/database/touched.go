package database

import (
	"context"
	"maps"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/tally"
)

// A MemberChange says that somebody became, or is no longer, an active annotator of a
// campaign. The states of all segments that they were ever given follow from that. Few
// segments are followed in the transaction of the change. Many are followed in steps
// after it, so that no save waits for all of them; a program that is killed meanwhile
// leaves a row, and the next one goes on.
type MemberChange struct{ CampaignID, UserID string }

// Sums that the pages of a campaign read are kept up by the transactions that
// change what is summed. None of them has to think of it: who changes a segment
// locks it, locking notes it, and before the commit what was noted is counted
// again. What a segment adds is kept beside it, so that the sums change by the
// difference, and a segment that is counted twice counts once.

// CountBatch is how many segments are counted at once.
const CountBatch = 200

// Touched is what a transaction has to count again before it commits.
type Touched struct {
	segments  map[string]bool        // by row id
	Staged    map[string]tally.Table // by campaign: sums of segments that an import has published
	campaigns map[string]bool        // whose settings changed
	Members   []MemberChange         // whose segments are to be followed after the commit
}

type touchedKey struct{}

// noting makes a write note what it touches, and count it again in the same
// transaction. After the commit it follows the changes of members that the write noted.
func (d *DB) noting(ctx context.Context, fn func(tx *gorm.DB) error, commit func(context.Context, func(tx *gorm.DB) error) error) error {
	var t *Touched
	err := commit(ctx, func(tx *gorm.DB) error {
		t = &Touched{} // an attempt that the database gave up has noted nothing
		tx = tx.WithContext(context.WithValue(tx.Statement.Context, touchedKey{}, t))
		if err := fn(tx); err != nil || t.nothing() {
			return err
		}
		return d.Count(tx, t)
	})
	if err == nil && t != nil && len(t.Members) > 0 {
		d.MemberChanged(ctx, t.Members)
	}
	return err
}

func (t *Touched) nothing() bool {
	return len(t.segments) == 0 && len(t.Staged) == 0 && len(t.campaigns) == 0
}

// TouchedIn is what the transaction notes; outside of one nothing is noted.
func TouchedIn(tx *gorm.DB) *Touched {
	if t, ok := tx.Statement.Context.Value(touchedKey{}).(*Touched); ok {
		return t
	}
	return &Touched{}
}

// TouchSegments notes segments that the transaction changes.
func TouchSegments(tx *gorm.DB, ids ...string) {
	t := TouchedIn(tx)
	if t.segments == nil {
		t.segments = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		t.segments[id] = true
	}
}

// TouchStaged notes sums to add to those of a campaign, of segments that an import
// has counted as it staged them.
func TouchStaged(tx *gorm.DB, campaignID string, sums tally.Table) {
	t := TouchedIn(tx)
	if t.Staged == nil {
		t.Staged = map[string]tally.Table{}
	}
	t.Staged[campaignID] = sums
}

// TouchCampaign notes that a campaign's settings changed.
func TouchCampaign(tx *gorm.DB, campaignID string) {
	t := TouchedIn(tx)
	if t.campaigns == nil {
		t.campaigns = map[string]bool{}
	}
	t.campaigns[campaignID] = true
}

// touchedBatch is how many segments are looked up at once.
const touchedBatch = 200

// ByCampaign lists what was touched by campaign, sorted.
func (t *Touched) ByCampaign(tx *gorm.DB) (map[string][]string, error) {
	out := map[string][]string{}
	for id := range t.Staged {
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
