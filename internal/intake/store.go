// Package intake is what imports do to a campaign: it reads what they bring and decides what
// fits. Package staging keeps what is under way out of sight.
package intake

import "annotate/internal/staging"

// A Store takes in what is imported.
type Store struct{ *staging.Store }

// New makes a store on top of the staging of imports.
func New(s *staging.Store) *Store { return &Store{s} }
