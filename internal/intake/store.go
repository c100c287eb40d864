package intake

import (
	"annotate/internal/accounts"
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A Store imports into campaigns.
type Store struct {
	db       *database.DB
	records  *records.Store
	rounds   *rounds.Store
	accounts *accounts.Store
	outbox   *outbox.Store
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store, rounds *rounds.Store, accounts *accounts.Store, outbox *outbox.Store) *Store {
	return &Store{db, records, rounds, accounts, outbox}
}
