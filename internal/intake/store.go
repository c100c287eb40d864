// Package intake is what imports do to a campaign. Each is staged in steps that keep
// nobody waiting, and appears to readers as a whole or not at all (staging.go).
package intake

import "annotate/internal/imports"

// A Store takes in what is imported.
type Store struct{ *imports.Store }

// New makes a store on top of the list of imports, which an import adds to.
func New(s *imports.Store) *Store { return &Store{s} }
