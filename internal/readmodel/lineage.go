package readmodel

import "annotate/internal/campaign"

// A Stage is a segment behind another one, or the segment itself, as the page of that one shows it.
type Stage struct {
	Title     string
	Slug      string // of its campaign; empty if it is gone or the reader does not lead it
	SegmentID string // row id
	Gone      bool   // its campaign, or the segment, was deleted
	Closed    bool   // the reader does not lead its campaign, and sees its title only
	Status    campaign.Status
	Source    string
	Turns     []Turn // submitted, by round, then login
	Decider   string `person:"login"` // of the adjudicator whose rating is gold; empty if there is none
	Answers   []StageAnswer
	Reasons   []string        // the comments of the ratings that count
	Edits     []campaign.Edit // settled texts with what they began from
	Terms     []StageTerm     // settled terms in the source
	NewText   bool            // the next stage can take over the text that it gives now
	Changed   []string        // what has changed since the next stage took it over, in words
}

// A StageAnswer is a settled answer in words.
type StageAnswer struct{ Question, Answer string }

// A StageTerm is a settled term in a source.
type StageTerm struct {
	Text, Category          string
	Explication, Equivalent string
	Counterpart             string // its counterpart in the reference; empty if none is marked
}

// A Descendant is a segment of a follower that came from a segment.
type Descendant struct {
	Title     string
	Slug      string // empty if the reader does not lead its campaign
	SegmentID string // row id
	Status    campaign.Status
}

// A Rejection is a settled segment that a follower has rejected.
type Rejection struct {
	ID               string   // row id
	DocID, SegmentID string   // its ids in files
	Stage            string   // title of the follower
	Reasons          []string // comments of the annotators who rejected it
}

// A Lineage has the segments before and after a segment.
type Lineage struct {
	Stages      []Stage // the first is the one from which all came
	Descendants []Descendant
}
