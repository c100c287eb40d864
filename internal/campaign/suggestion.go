package campaign

import "annotate/internal/protocol"

// A SuggestionLine holds the suggested errors of one translation, as a file gives them.
type SuggestionLine struct {
	DocID     string // may be empty if SegmentID is unique without it
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
