package campaign

import "annotate/internal/protocol"

// A SuggestionLine holds the suggested errors of one translation, as a file gives them.
type SuggestionLine struct {
	Place            // where it was read
	DocID     string // may be empty if SegmentID is unique without it
	SegmentID string
	System    string
	protocol.Suggestions
}
