// Package runs stores the runs of judges: the judge and its settings, the translations that it still has
// to judge, the replies to its calls, and its judgements. A run may be stopped, or its program killed, at
// any time. The next run of the judge resumes from the stored data.
package runs

import "annotate/internal/intake"

// A Store stores runs of judges.
type Store struct{ *intake.Store }

// New makes a store on top of intake, which stores imported judgements.
func New(s *intake.Store) *Store { return &Store{s} }
