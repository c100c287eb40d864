// Package desk is what leads and researchers read: progress, lists, the queue,
// agreement and the history of a segment. The sums that its pages read are kept up
// by the transactions that change what is summed (tally.go).
package desk

import "annotate/internal/work"

// A Store reads what the desk shows, and keeps its sums.
type Store struct {
	*work.Store
	checks *keptChecks
}

// New returns a store on top of the work.
func New(s *work.Store) *Store {
	return &Store{s, &keptChecks{of: map[string]judgedAt{}}}
}
