// Package rounds keeps the stored state of segments up to date with their ratings and with
// the acts of leads: status, complete rounds, decisions, and the annotators who are asked.
// Package campaign has the rules. This package reads the facts of a segment (facts.go),
// stores the state that follows from them (follow.go) and does the acts of leads (acts.go).
package rounds

import (
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
)

// A Store keeps the states of segments.
type Store struct {
	db      *database.DB
	records *records.Store
	outbox  *outbox.Store
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store, outbox *outbox.Store) *Store {
	return &Store{db, records, outbox}
}
