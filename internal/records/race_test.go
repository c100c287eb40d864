//go:build race

package records_test

// With the race detector SQLite takes ten times as long, and memory figures are meaningless.
func init() { withRace = true }
