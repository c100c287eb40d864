// Package qualification stores what annotators do before they are handed work: they accept the instructions
// of the campaign ([Store.Accept]), and pass the training ([Store.NextTraining]). It also stores the
// training set, with the answers that leads enter, and the practice. [MustAccept] and [MustTrain] say
// whether somebody has to do so first. Package campaign has the rules of training.
package qualification

import "annotate/internal/planning"

// A Store keeps instructions and training.
type Store struct{ *planning.Store }

// New returns a store on top of the plans.
func New(s *planning.Store) *Store { return &Store{s} }
