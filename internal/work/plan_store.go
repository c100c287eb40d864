package work

import (
	"sync"

	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/plan"
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
	return &Plans{db, records, outbox, &keptDocuments{of: map[string]keptDocument{}, last: map[string]lastSegment{}}}
}

// keptDocuments keeps what was read of documents, since reading all assignments of a large campaign and counting its words takes
// seconds. A document is read again when it has changed.
type keptDocuments struct {
	mu   sync.Mutex
	of   map[string]keptDocument // by id of the row
	last map[string]lastSegment  // by id of the campaign, as it was when its documents were read
}

// A lastSegment is the last segment of a campaign that is visible. An import adds segments behind it, which are all shown at once, without
// a change of their documents.
type lastSegment struct {
	id       string
	position int
}

// lastOf returns the last segment of a campaign when its documents were read.
func (k *keptDocuments) lastOf(campaignID string) lastSegment {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last[campaignID]
}

// fill gives each document what is kept of it as it is now. It returns the ids of the documents that are to be read: they have changed, or
// isStale says so.
func (k *keptDocuments) fill(documents []planDocument, isStale func(id string) bool) (stale []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range documents {
		d := &documents[i]
		if kept, ok := k.of[d.ID]; ok && kept.keptState == d.keptState && !isStale(d.ID) {
			d.keptDocument = kept
		} else {
			stale = append(stale, d.ID)
		}
	}
	return stale
}

// add keeps what was read of the documents of a campaign.
func (k *keptDocuments) add(campaignID string, last lastSegment, documents []planDocument) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.of)+len(documents) > maxKept {
		clear(k.of)
		clear(k.last)
	}
	k.last[campaignID] = last
	for _, d := range documents {
		k.of[d.ID] = d.keptDocument
	}
}

// A keptDocument is what was read of a document. It is not changed once it is kept.
type keptDocument struct {
	keptState
	docID           string
	first           int // position of the first segment
	domain          string
	segments, words int
	left            int         // pending segments with a place
	turns           []plan.Turn // of those who were handed segments in round 1, as if they were not planned for it
}

// A keptState tells whether a document is still as it was read.
type keptState struct {
	changes    int64
	redundancy int
}

// maxKept is the largest number of documents that are kept.
const maxKept = 200_000
