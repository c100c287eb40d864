package records

import (
	"annotate/internal/campaign"
	"annotate/internal/database"
)

// An adjudication is made on the annotate page, in an assignment whose state says that
// it is one. It has drafts like any other assignment, but no ratings: what is submitted
// becomes an act of adjudication, and its values are those of the act.

// Annotates is the condition for an assignment a to be no adjudication.
const Annotates = "a.state NOT IN ('adjudicating', 'adjudicated')"

// Adjudicates reports whether the assignment is that of an adjudicator.
func (a AssignmentRow) Adjudicates() bool { return campaign.AssignmentState(a.State).Adjudicates() }

// An AssignmentRow is a row of the table assignments.
type AssignmentRow struct {
	ID          string
	CampaignID  string
	SegmentID   string
	UserID      string
	Round       int
	State       string
	Seed        int64
	StartedAt   database.Instant
	TouchedAt   database.Instant
	SubmittedAt database.Instant
	Ratings     int
	Seconds     float64
	SetAside    string // the state before the annotator's work was set aside; empty: it is not
	Replaced    bool
	Added       bool   // handed out by a lead
	Imported    bool   // its ratings came with an import
	Work        string // campaign.Work
	Counts      bool
}

func (AssignmentRow) TableName() string { return "assignments" }
