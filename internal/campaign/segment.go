package campaign

import (
	"time"

	"annotate/internal/protocol"
)

// A Status says where a segment stands.
type Status string

// The statuses of a segment.
const (
	Pending        Status = "pending"         // round 1 is not complete
	Agreed         Status = "agreed"          // passed the gate
	BelowThreshold Status = "below_threshold" // failed, and is kept, since the gate only reports
	Ungated        Status = "ungated"         // complete, but not judged: it has no pair of annotators, or the gate is off
	Reannotate     Status = "reannotate"      // a further round is under way
	Adjudicated    Status = "adjudicated"     // an adjudicator or the lead decided its gold
	Discarded      Status = "discarded"       // failed its last round, or discarded by a lead: left out of gold
	Withdrawn      Status = "withdrawn"       // taken out of the campaign
)

// Statuses lists every status in the order in which pages and reports show them.
var Statuses = []Status{Pending, Ungated, Agreed, BelowThreshold, Reannotate, Adjudicated, Discarded, Withdrawn}

// InGold reports whether segments of this status are part of the gold data.
func (s Status) InGold() bool {
	return s == Agreed || s == BelowThreshold || s == Adjudicated || s == Ungated
}

// A Segment is one source text with all its translations, as it is imported
// and exported. Texts are kept byte for byte.
type Segment struct {
	DocID        string // external id of its document
	SegmentID    string // external id; (DocID, SegmentID) is unique in a campaign
	Domain       string
	DataSource   string // where the text comes from
	SourceLang   string
	TargetLang   string
	Source       string // never empty
	Context      string // what an annotator should know of the surroundings
	Note         string // from the lead to the annotator
	References   []Reference
	Translations []Translation // in byte order of the systems' names
	Absent       []string      // the campaign's other systems, which have no translation of it, in byte order
	Status       Status
	Round        int      // the round under way while pending or sent back, else the one that settled it; 1 if none
	Complete     int      // the last complete round; 0: none
	MeanOf       []string // logins whose mean a lead accepted as gold; nil: no lead did
}

// A Reference is a human translation used to compare with, in byte order of
// names within a segment.
type Reference struct{ Name, Text string }

// MainReference is the name of the reference that came without one.
const MainReference = "ref"

// A Translation is what one system made of one segment, with everything known
// about its quality.
type Translation struct {
	System      string
	Text        string                // may be empty
	HumanScores []HumanScore          // imported averages, kept apart from ratings
	Metrics     []MetricValue         // imported scores of automatic metrics, in byte order of their names
	Suggested   *protocol.Suggestions // error spans to decide on; nil where there are none
	Ratings     []Rating              // submitted ones, by round, then by login
	// Adjudication is the rating by an adjudicator that is gold; nil where there is
	// none. Its round is 0, and Annotator is the adjudicator's login.
	Adjudication *Rating
	Gold         *Gold // nil while the segment is not in gold
}

// A HumanScore is an average that came with an import, by name.
type HumanScore struct {
	Name  string
	Score float64
}

// HumanMENT is the name of the averages that the MENT data come with.
const HumanMENT = "ment"

// Gold is the score taken as truth for a translation.
type Gold struct {
	Score       float64 // of the protocol's gate score
	Adjudicated bool    // the segment was decided by a lead
	Entered     bool    // the score is what an adjudicator or a lead entered, not the mean
}

// A Rating is one annotator's judgement of one translation as it is exported
// and imported.
type Rating struct {
	protocol.Rating
	Annotator   string    // login
	Round       int       // 1 is the first annotation
	Seconds     float64   // active time on the card
	SubmittedAt time.Time // zero: not known
}

// A RatingLine is a [Rating] with the names of what it rates, as it stands in
// a file of its own.
type RatingLine struct {
	DocID     string // may be empty where SegmentID is unique without it
	SegmentID string
	System    string
	Rating
	// Adjudicated: it is no rating of a round, but that of an adjudicator, and gold.
	Adjudicated bool
}
