// Package work does what annotators and adjudicators ask for: it hands out segments, saves drafts,
// takes submissions, takes reports of problems, and keeps the plans of who annotates what ([Plans]).
package work

import (
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/qualification"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A Store hands out segments and stores the work on them.
type Store struct {
	db       *database.DB
	records  *records.Store
	rounds   *rounds.Store
	training *qualification.Store // says who is handed work
	outbox   *outbox.Store
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store, rounds *rounds.Store, training *qualification.Store, outbox *outbox.Store) *Store {
	return &Store{db, records, rounds, training, outbox}
}
