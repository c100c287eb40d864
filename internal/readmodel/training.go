package readmodel

import (
	"time"

	"annotate/internal/campaign"
)

// A TrainingSegment is a segment of a training set, as its leads see it.
type TrainingSegment struct {
	ID          string // row id, in addresses
	DocID       string
	SegmentID   string
	Source      string
	Practice    bool    // annotators practise on it, and it is no part of attempts
	Removed     bool    // given to nobody
	Tolerance   float64 // of scores, in points
	Explanation string
	Answer      *campaign.TrainingAnswer // nil while there is none
	AnsweredBy  string                   // login
	AnsweredAt  time.Time                // zero while there is no answer
	Results     int                      // submissions in attempts
	Value       float64                  // their mean value, in [0, 1]; 0 without any
}

// A TrainingText is a translation of a training segment.
type TrainingText struct {
	TranslationID string
	System        string
	Text          string
}

// A TraineeRow is an annotator in the list of those who train.
type TraineeRow struct {
	Login    string `person:"login"`
	Name     string `person:"name"`
	Trainee  campaign.Trainee
	Standing campaign.Standing
}

// A TrainingResult is how a submission of a training segment compares with the answer.
type TrainingResult struct {
	ID        string
	SegmentID string // row id
	Login     string
	DocID     string
	Segment   string // external id
	Attempt   int    // 0 for practice
	Value     float64
	At        time.Time
	Feedback  []campaign.Feedback // in the order of the cards

	// The rest is set for one result, and not in lists.
	Source      string
	Explanation string
	Texts       []string // the translations of Feedback
}
