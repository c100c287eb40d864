// Package work is what annotators and adjudicators do: they are handed out segments,
// their drafts are saved, they submit, and they report problems.
package work

import "annotate/internal/accounts"

// A Store hands out work and takes it in.
type Store struct{ *accounts.Store }

// New makes a store on top of the accounts.
func New(s *accounts.Store) *Store { return &Store{s} }
