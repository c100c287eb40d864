// Package imports keeps the list of the imports into a campaign, with what each has changed ([Record]), and
// says whether one can be undone ([Store.CheckUndo]). It has the statements that hide the rows of an import
// and restore what it replaced ([Undoing]). Package intake imports and undoes with them, in steps.
package imports

import "annotate/internal/desk"

// A Store keeps the list of imports.
type Store struct{ *desk.Store }

// New returns a store on top of the desk, whose sums change when an import is undone.
func New(s *desk.Store) *Store { return &Store{s} }
