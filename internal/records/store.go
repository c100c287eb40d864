// Package records holds what is kept of a campaign: its settings, segments,
// translations, ratings, suggestions, metric scores and audit log, how their rows
// are read, and the locks that a change takes. What follows from them is package
// rounds.
package records

import "annotate/internal/database"

// A Store reads and changes the records of campaigns.
type Store struct{ *database.DB }

// New makes a store of an open database.
func New(db *database.DB) *Store { return &Store{db} }
