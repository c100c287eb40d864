package records

import (
	"errors"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// An adjudication is an assignment too, with the state adjudicating or adjudicated. It has
// drafts like any other assignment, but no ratings: submitting it stores an act of
// adjudication, and the gold values belong to the act.

// Annotates is the SQL condition that the assignment a is not an adjudication.
const Annotates = "a.state NOT IN ('adjudicating', 'adjudicated')"

// An AssignmentRow is a row of the table assignments.
type AssignmentRow struct {
	ID                 string
	CampaignID         string
	SegmentID          string
	UserID             string
	Round              int
	State              campaign.AssignmentState
	campaign.CardOrder `gorm:"embedded"`
	StartedAt          database.Instant
	TouchedAt          database.Instant
	SubmittedAt        database.Instant
	Ratings            int
	Seconds            float64
	SetAside           campaign.AssignmentState // the state before the annotator's work was set aside; empty if it is not set aside
	Replaced           bool
	Added              bool   // handed out by a lead
	Skipped            string // why the annotator skipped it last; empty: they did not. See [IsSkipped].
	Whole              bool   // handed out with all other segments of its document
	Imported           bool   // its ratings came with an import
	Work               campaign.Work
	Counts             bool
}

func (AssignmentRow) TableName() string { return "assignments" }

// IsSkipped is the SQL condition that the annotator of assignment a has skipped it, and that no lead has
// asked the annotator for it since.
const IsSkipped = "(a.skipped <> '' AND NOT a.added)"

// FindAssignment reads an assignment of a user in a campaign. The error is ErrNotFound
// if there is none, or if it belongs to another user.
func FindAssignment(db *gorm.DB, campaignID, id, userID string) (AssignmentRow, error) {
	var r AssignmentRow
	err := database.Scan(database.Query(db, `SELECT id, campaign_id, segment_id, user_id, round, state, seed, context, started_at, touched_at, submitted_at, ratings, seconds, `+ownSetAside+`, replaced, added, skipped, imported, `+OwnWorkState+`
		FROM assignments a WHERE id = ? AND campaign_id = ? AND user_id = ?`, id, campaignID, userID),
		&r.ID, &r.CampaignID, &r.SegmentID, &r.UserID, &r.Round, &r.State, &r.Seed, &r.Context, &r.StartedAt, &r.TouchedAt,
		&r.SubmittedAt, &r.Ratings, &r.Seconds,
		&r.SetAside, &r.Replaced, &r.Added, &r.Skipped, &r.Imported, &r.Work)
	if errors.Is(err, database.ErrNoRows) {
		return r, fmt.Errorf("assignment: %w", campaign.ErrNotFound)
	}
	return r, err
}

// LockAssignment locks the segment of an assignment of a user, and reads the assignment after
// that. The error is as in [FindAssignment].
func LockAssignment(tx *database.Tx, campaignID, id, userID string) (AssignmentRow, error) {
	a, err := FindAssignment(tx.DB, campaignID, id, userID)
	if err != nil {
		return a, err
	}
	return a.Lock(tx)
}

// Lock locks the segment of an assignment, and returns the assignment as it is after that.
func (a AssignmentRow) Lock(tx *database.Tx) (AssignmentRow, error) {
	if err := LockSegments(tx, a.SegmentID); err != nil || tx.Alone() {
		return a, err
	}
	return FindAssignment(tx.DB, a.CampaignID, a.ID, a.UserID)
}

// CardOrderOf returns the order of the cards for a new assignment of a user. If the campaign
// shows whole documents, it is the order that the user already has in the segment's document.
func CardOrderOf(db *gorm.DB, c campaign.Campaign, segmentID, userID string) (campaign.CardOrder, error) {
	order := campaign.CardOrder{Seed: database.NewSeed(), Context: c.Settings.Context}
	if order.Context != "document" {
		return order, nil
	}
	err := database.Scan(db.Raw(`SELECT a.seed FROM assignments a JOIN all_segments s ON s.id = a.segment_id
		WHERE s.document_id = (SELECT document_id FROM all_segments WHERE id = ?) AND a.user_id = ? AND a.context = 'document'
		ORDER BY a.started_at, a.id LIMIT 1`, segmentID, userID), &order.Seed)
	if errors.Is(err, database.ErrNoRows) {
		return order, nil
	}
	return order, err
}
