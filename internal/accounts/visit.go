package accounts

import (
	"context"
	"sync"

	"annotate/internal/database"
)

// A visit is the last use of a session, and the time at which the session expires.
type visit struct{ seen, expires database.Instant }

// visits collects the last uses of sessions and stores them in the background. A write may have
// to wait for an import, so a page must not wait for this one, nor fail with it. A visit that
// can't be stored is dropped, and the next visit of the session is stored instead.
type visits struct {
	store   func(map[string]visit) error
	dropped func(error)

	mu      sync.Mutex
	noted   map[string]visit // by hash of the session's token; not stored yet
	storing map[string]visit // being stored
	idle    sync.Cond        // broadcast when nothing is noted or being stored
}

func newVisits(store func(map[string]visit) error, dropped func(error)) *visits {
	v := &visits{store: store, dropped: dropped, noted: map[string]visit{}}
	v.idle.L = &v.mu
	return v
}

// note makes a visit be stored in the background. It returns false if another visit of the
// session is waiting to be stored.
func (v *visits) note(tokenHash string, at visit) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.storing[tokenHash]; ok {
		return false
	}
	_, waiting := v.noted[tokenHash]
	v.noted[tokenHash] = at
	if v.storing == nil {
		v.next()
		go v.run()
	}
	return !waiting
}

// next moves the noted visits to storing. The caller holds mu.
func (v *visits) next() {
	v.storing = nil
	if len(v.noted) > 0 {
		v.storing, v.noted = v.noted, map[string]visit{}
	}
}

// run stores the noted visits until none is left. Only one run is active at a time.
func (v *visits) run() {
	for {
		v.mu.Lock()
		batch := v.storing // not changed while it is being stored
		v.mu.Unlock()
		if err := v.store(batch); err != nil {
			v.dropped(err)
		}
		v.mu.Lock()
		v.next()
		if v.storing == nil {
			v.idle.Broadcast()
			v.mu.Unlock()
			return
		}
		v.mu.Unlock()
	}
}

// wait waits until all visits are stored.
func (v *visits) wait() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.storing != nil {
		v.idle.Wait()
	}
}

// storeVisits writes the last uses of sessions. A session that ended meanwhile
// stays ended.
func (s *Store) storeVisits(batch map[string]visit) error {
	return s.db.Write(context.Background(), func(tx *database.Tx) error {
		for hash, at := range batch {
			err := tx.Exec("UPDATE sessions SET last_seen_at = ?, expires_at = ? WHERE token_hash = ?", at.seen, at.expires, hash).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}
