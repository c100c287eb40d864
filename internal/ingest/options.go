package ingest

// defaultMaxLine is the default of [Options].MaxLine, in bytes.
const defaultMaxLine = 16 << 20

// Options are the options of all readers. With the zero value, languages and systems come
// from the file.
type Options struct {
	File string // the name of the input in messages
	// SourceLang and TargetLang are the campaign's languages. If one is empty, all lines
	// must have the same language as the first line that names one.
	SourceLang, TargetLang string
	// Select leaves out lines of another language pair instead of refusing
	// them. It needs both languages.
	Select bool
	// Systems are the systems of the campaign. If it is nil, all lines must have the
	// systems of the first line.
	Systems []string
	// OfSegments says that the protocol's unit is the segment: the translations of a segment, which may be
	// missing, are its candidates.
	OfSegments bool
	MaxLine    int // the longest line in bytes; 0: defaultMaxLine
	// LeaveOutSystems leaves out the scores of systems that are not in Systems,
	// instead of refusing the file.
	LeaveOutSystems bool
	// LeaveOutContradictions leaves out translations whose rows in a table
	// contradict each other, instead of refusing the table.
	LeaveOutContradictions bool
	// Notes, if set, counts what was ignored or not checked.
	Notes *Notes
}
