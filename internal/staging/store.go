package staging

import "annotate/internal/imports"

// A Store stages imports and drops what was staged.
type Store struct{ *imports.Store }

// New makes a store on top of the list of imports, which an import adds to.
func New(s *imports.Store) *Store { return &Store{s} }
