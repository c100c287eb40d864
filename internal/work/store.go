// Package work does what annotators and adjudicators ask for: it hands out segments, saves drafts,
// takes submissions, and takes reports of problems.
package work

import "annotate/internal/accounts"

// A Store hands out segments and stores the work on them.
type Store struct {
	*accounts.Store
	sources *sourceWords
}

// New returns a store on top of the accounts.
func New(s *accounts.Store) *Store { return &Store{s, &sourceWords{of: map[string]countedDocument{}}} }
