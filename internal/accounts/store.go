// Package accounts keeps users, members of campaigns, sessions, links, keys and
// pseudonyms, and the log of the site. Whatever changes what somebody may do ends
// what others hold in their name (holder.go).
package accounts

import "annotate/internal/rounds"

// A Store keeps the accounts.
type Store struct {
	*rounds.Store
	visits *visits
}

// New makes a store on top of the rounds: a member that joins or leaves changes for
// whom they wait.
func New(s *rounds.Store) *Store {
	a := &Store{Store: s}
	a.visits = newVisits(a.storeVisits, func(err error) { a.Log.Warn("the last visits of sessions could not be stored", "error", err) })
	return a
}

// Wait returns when the last visits of sessions are stored.
func (s *Store) Wait() { s.visits.wait() }
