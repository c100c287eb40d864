// Package rounds keeps the stored state of segments up to date with their ratings and with
// the acts of leads: status, complete rounds, decisions, and the annotators who are asked.
// Package campaign has the rules. This package reads the facts of a segment (facts.go),
// stores the state that follows from them (follow.go) and does the acts of leads (acts.go).
package rounds

import "annotate/internal/records"

// A Store keeps the states of segments.
type Store struct{ *records.Store }

// New makes a store on top of the records.
func New(s *records.Store) *Store { return &Store{s} }
