// Package qualification stores what annotators do before they are handed work: they accept the instructions
// of the campaign ([Store.Accept]), and pass the training ([Store.NextTraining]). It also stores the
// training set, with the answers that leads enter, and the practice. [MustAccept] and [MustTrain] say
// whether somebody has to do so first. Package campaign has the rules of training.
package qualification

import (
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A Store keeps instructions and training.
type Store struct {
	db      *database.DB
	records *records.Store
	rounds  *rounds.Store
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store, rounds *rounds.Store) *Store {
	return &Store{db, records, rounds}
}
