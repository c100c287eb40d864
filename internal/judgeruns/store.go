package judgeruns

import (
	"annotate/internal/database"
	"annotate/internal/records"
)

// A Store runs judges and stores their runs.
type Store struct {
	db      *database.DB
	records *records.Store
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store) *Store { return &Store{db, records} }
