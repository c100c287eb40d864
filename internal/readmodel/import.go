package readmodel

import (
	"time"

	"annotate/internal/campaign"
)

// An Import is an entry of the list of imports into a campaign.
type Import struct {
	ID      string
	Number  int    // unique among the imports of the campaign, which are in order of their numbers
	Kind    string // such as "segments" or "ratings"
	Files   string // names of the files
	By      string // login of the person who imported; empty for the command line
	At      time.Time
	Brought string    // in words, such as "12 segments, 24 translations"
	Undone  time.Time // zero if the import was not undone
	// UndoneBy is the login of the person who undid the import; empty for the command line.
	UndoneBy string
}

// A Following says which campaign a campaign follows, and what is ready there.
type Following struct {
	Slug     string // of the campaign that is followed; empty if it is gone
	Title    string
	Gone     bool // it was deleted
	Archived bool // it is archived, and hands nothing on
	Where    []string
	Carry    []string
	Ready    int // segments that are settled, meet all conditions, and were not taken over before
	// NoReference says that segments bring no reference, though the protocol always shows it.
	NoReference bool
	NewTexts    bool // segments can take over texts that have changed since they came
}

// A NewText is a source, a reference or both that have changed in the followed campaign since a segment took them over.
type NewText struct {
	ID        string // row id of the segment
	DocID     string
	SegmentID string
	Status    campaign.Status
	Source    Change
	Reference Change
}

// A Change has a text before and after it changed. Both are empty if it has not.
type Change struct{ Was, Now string }

// A Follower is a campaign that follows another one.
type Follower struct{ Slug, Title string }

// A SuggestionForecast says what suggestions of the errors of a judge would change.
type SuggestionForecast struct {
	Segments, Translations int // that get suggestions, or the statement that there are none
	Replaced               int // translations among them whose present suggestions are replaced
	Begun                  int // translations left out because an annotator has begun or rated their segment
}
