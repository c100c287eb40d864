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
	kept    *keptDocuments
}

// NewPlans returns a store on an open database.
func NewPlans(db *database.DB, records *records.Store, outbox *outbox.Store) *Plans {
	return &Plans{db, records, outbox, &keptDocuments{of: map[string]keptDocument{}}}
}

// keptDocuments keeps what was read of documents, since reading all assignments of a large campaign and counting its words takes
// seconds. A document is read again when it has changed.
type keptDocuments struct {
	mu sync.Mutex
	of map[string]keptDocument // by id of the row
}

// fill gives each document what is kept of it as it is now. It returns the ids of the documents that are to be read.
func (k *keptDocuments) fill(documents []planDocument) (stale []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range documents {
		d := &documents[i]
		if kept := k.of[d.ID]; kept.keptState == d.keptState {
			d.keptDocument = kept
		} else {
			stale = append(stale, d.ID)
		}
	}
	return stale
}

// add keeps what was read of documents.
func (k *keptDocuments) add(documents []planDocument) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.of)+len(documents) > maxKept {
		clear(k.of)
	}
	for _, d := range documents {
		k.of[d.ID] = d.keptDocument
	}
}

// A keptDocument is what was read of a document.
type keptDocument struct {
	keptState
	first           int // position of the first segment
	domain          string
	segments, words int
	left            int // pending segments with a place
	turns           []begunTurn
}

// A keptState tells whether a document is still as it was read. The last segments of a document are hidden and shown without a change of
// the document.
type keptState struct {
	changes    int64
	last       int // position of the last segment
	redundancy int
}

// maxKept is the largest number of documents that are kept.
const maxKept = 200_000
