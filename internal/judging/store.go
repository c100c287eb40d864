package judging

import "annotate/internal/intake"

// A Store runs judges and stores their runs.
type Store struct{ *intake.Store }

// New returns a store on top of intake, which stores imported judgements.
func New(s *intake.Store) *Store { return &Store{s} }
