// Package desk is what leads and researchers read: progress, lists, the queue,
// agreement and the history of a segment. The sums that its pages read are kept up
// by the transactions that change what is summed (tally.go).
package desk

import (
	"maps"

	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A Store reads what the desk shows.
type Store struct {
	db      *database.DB
	records *records.Store
	rounds  *rounds.Store
	checks  *keptChecks
	drift   *keptDrift
}

// New returns a store on an open database. [CountTouched] keeps the sums that it reads.
func New(db *database.DB, records *records.Store, rounds *rounds.Store) *Store {
	return &Store{db, records, rounds, &keptChecks{of: map[string]judgedAt{}}, &keptDrift{of: map[string]driftAt{}}}
}

// apart returns a store that knows what s keeps in memory, and keeps for itself what it reads. What a transaction reads that may not be committed must
// not be kept.
func (s *Store) apart() *Store {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	s.drift.mu.Lock()
	defer s.drift.mu.Unlock()
	return &Store{s.db, s.records, s.rounds, &keptChecks{of: maps.Clone(s.checks.of)}, &keptDrift{of: maps.Clone(s.drift.of)}}
}
