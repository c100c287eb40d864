package intake

import "annotate/internal/desk"

// A Store imports into campaigns.
type Store struct{ *desk.Store }

// New returns a store on top of the desk, whose sums change when an import is undone.
func New(s *desk.Store) *Store { return &Store{s} }
