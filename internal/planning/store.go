// Package planning stores the plans of campaigns: it reads them ([Store.Plan]), and makes the edits of a
// lead all or nothing ([Store.ChangePlan]). Package plan says what an edit does, and package work hands
// out segments as a plan says.
package planning

import (
	"sync"

	"annotate/internal/database"
	"annotate/internal/records"
)

// A Store keeps the plans.
type Store struct {
	db      *database.DB
	records *records.Store
	sources *sourceWords
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store) *Store {
	return &Store{db, records, &sourceWords{of: map[string]countedDocument{}}}
}

// sourceWords keeps the words of documents, since counting those of a large campaign takes seconds. A
// document is counted again when the number of its segments differs.
type sourceWords struct {
	mu sync.Mutex
	of map[string]countedDocument // by id of the row
}

type countedDocument struct{ Segments, Words int }

// maxCounted is the largest number of documents that are kept.
const maxCounted = 200_000
