package work

import (
	"sync"

	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
)

// Plans stores the plans of campaigns: it reads them ([Plans.Plan]), and makes the edits of a lead all or
// nothing ([Plans.ChangePlan]). Package plan says what an edit does.
type Plans struct {
	db      *database.DB
	records *records.Store
	outbox  *outbox.Store
	sources *sourceWords
}

// NewPlans returns a store on an open database.
func NewPlans(db *database.DB, records *records.Store, outbox *outbox.Store) *Plans {
	return &Plans{db, records, outbox, &sourceWords{of: map[string]countedDocument{}}}
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
