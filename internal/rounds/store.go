// Package rounds stores what follows from ratings and acts: which rounds are
// complete, what decides a segment, who is asked for what. Package campaign decides;
// this package reads the facts (facts.go), follows them (follow.go) and does the acts
// of leads (acts.go).
package rounds

import "annotate/internal/records"

// A Store follows the rounds of campaigns.
type Store struct{ *records.Store }

// New makes a store on top of the records.
func New(s *records.Store) *Store { return &Store{s} }
