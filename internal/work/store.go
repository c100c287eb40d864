// Package work does what annotators and adjudicators ask for: it hands out segments, saves drafts,
// takes submissions, and takes reports of problems.
package work

import (
	"annotate/internal/check"
	"annotate/internal/qualification"
)

// A Store hands out segments and stores the work on them.
type Store struct {
	*qualification.Store
	// CheckSeed is [check.Seed]. A simulation replaces it, so that the random ids of its rows do
	// not change which checks are made.
	CheckSeed func(parts ...string) int64
}

// New returns a store on top of the training, which says who is handed work.
func New(s *qualification.Store) *Store { return &Store{s, check.Seed} }
