// Package accounts stores users with their passwords, members of campaigns, sessions, personal access tokens, sign-in links,
// e-mail addresses, shortcut keys and pseudonyms, and the log of the site. Every change of what a person may do also ends credentials
// that would give others too many rights (holder.go).
package accounts

import (
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/secrets"
)

// A Store keeps the accounts.
type Store struct {
	db      *database.DB
	records *records.Store
	rounds  *rounds.Store
	visits  *visits // of sessions
	uses    *visits // of tokens
	access  *access
	box     *secrets.Box
	outbox  *outbox.Store
}

// New returns a store on an open database. The rounds of a campaign follow when a member joins or leaves.
func New(db *database.DB, records *records.Store, rounds *rounds.Store, box *secrets.Box, outbox *outbox.Store) *Store {
	a := &Store{db: db, records: records, rounds: rounds, box: box, outbox: outbox, access: &access{answers: map[any]any{}}}
	dropped := func(err error) { db.Log.Warn("the last uses of sessions or tokens could not be stored", "error", err) }
	a.visits, a.uses = newVisits(a.storeVisits, dropped), newVisits(a.storeUses, dropped)
	return a
}

// Wait waits until the last uses of all sessions and tokens are stored.
func (s *Store) Wait() {
	s.visits.wait()
	s.uses.wait()
}
