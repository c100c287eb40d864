package judgeruns

import (
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
)

// A Store runs judges and stores their runs.
type Store struct {
	db      *database.DB
	records *records.Store
	outbox  *outbox.Store
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store, outbox *outbox.Store) *Store {
	return &Store{db, records, outbox}
}
