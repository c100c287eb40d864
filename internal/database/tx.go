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
	segments  map[string]bool // ids of segments that the transaction changes; false: only places at them are given
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

// TouchPlaces marks segments at which somebody was only given a place, which changes no sum.
func (tx *Tx) TouchPlaces(ids ...string) {
	if tx.segments == nil {
		tx.segments = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		if !tx.segments[id] {
			tx.segments[id] = false
		}
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

// Touched lists the ids of the segments and of the campaigns that the transaction has touched so far, sorted. counted are the segments
// without those of [Tx.TouchPlaces] alone.
func (tx *Tx) Touched() (segments, counted, campaigns []string) {
	segments = slices.Sorted(maps.Keys(tx.segments))
	for _, id := range segments {
		if tx.segments[id] {
			counted = append(counted, id)
		}
	}
	return segments, counted, slices.Sorted(maps.Keys(tx.campaigns))
}
