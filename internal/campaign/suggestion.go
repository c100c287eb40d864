package campaign

import "annotate/internal/protocol"

// A SuggestionLine is what is suggested for one translation, as it stands in a
// file.
type SuggestionLine struct {
	DocID     string // may be empty where SegmentID is unique without it
	SegmentID string
	System    string
	protocol.Suggestions
}

// A NumberedSuggestion is a [SuggestionLine] with the line it was read from.
type NumberedSuggestion struct {
	File       string
	Line       int
	Suggestion SuggestionLine
}
