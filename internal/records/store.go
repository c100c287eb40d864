// Package records reads and writes the rows of a campaign: settings, segments,
// translations, ratings, suggestions, metric scores and the audit log. It also has the locks
// that changes take. The states that follow from these rows are the business of package
// rounds.
package records

import "annotate/internal/database"

// A Store reads and changes the records of campaigns.
type Store struct{ db *database.DB }

// New returns a store on an open database.
func New(db *database.DB) *Store { return &Store{db} }
