// Package accounts stores users, members of campaigns, sessions, sign-in links, shortcut keys and
// pseudonyms, and the log of the site. Every change of what a person may do also ends credentials
// that would give others too many rights (holder.go).
package accounts

import "annotate/internal/rounds"

// A Store keeps the accounts.
type Store struct {
	*rounds.Store
	visits *visits
}

// New returns a store on top of the rounds, because the rounds of a campaign follow when a member
// joins or leaves.
func New(s *rounds.Store) *Store {
	a := &Store{Store: s}
	a.visits = newVisits(a.storeVisits, func(err error) { a.Log.Warn("the last visits of sessions could not be stored", "error", err) })
	return a
}

// Wait waits until the last visits of all sessions are stored.
func (s *Store) Wait() { s.visits.wait() }
