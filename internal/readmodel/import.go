package readmodel

import "time"

// An Import is an import into a campaign, as the list of imports shows it.
type Import struct {
	ID      string
	Number  int    // place among the imports of the campaign, and unique there
	Kind    string // what was imported, such as segments or ratings
	Files   string // names of the files
	By      string // login of the person who imported; empty for the command line
	At      time.Time
	Brought string    // in words, such as "12 segments, 24 translations"
	Undone  time.Time // zero if the import stands
	// UndoneBy is the login of the person who undid the import; empty for the command line.
	UndoneBy string
}
