package staging

// Options name the import for the audit log, and say whether to keep it.
type Options struct {
	File  string // names of the files
	ByID  string // the user who imports, for the audit log; empty: the command line
	Check bool   // find every problem, store nothing
	// Placed is told after each step how many of the ratings of a large import count
	// so far, and how many there are. It may be nil.
	Placed func(done, all int)
	// Merge adds the ratings of segments that are in the campaign already instead
	// of refusing them, and takes segments without a translation by every system.
	Merge bool
}
