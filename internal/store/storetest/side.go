package storetest

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/records"
)

// MakeSide makes a side campaign of the campaign, with n segments.
func (s *Sample) MakeSide(t testing.TB, side campaign.Side, n int) *Sample {
	t.Helper()
	out := *s
	Check(t, s.Store.DB.Write(t.Context(), func(tx *database.Tx) (err error) {
		out.Campaign, err = s.Store.Records.MakeSide(tx, s.Campaign, side)
		return err
	}))
	for i := range n {
		Must(s.Store.Intake.ImportSegments(t.Context(), out.Campaign.ID, SegmentLines(Segment(i+1, 1, s.Systems)), intake.ImportOptions{}))(t)
	}
	return &out
}

// GiveSide assigns a segment of a side campaign to annotator i, and returns the assignment.
func (s *Sample) GiveSide(t testing.TB, i int, segmentID string) string {
	t.Helper()
	row := records.AssignmentRow{
		ID: database.NewID(), CampaignID: s.Campaign.ID, SegmentID: segmentID, UserID: s.Annotators[i].ID, Round: 1,
		State: campaign.InWork, CardOrder: campaign.CardOrder{Seed: 1, Context: "segment"}, Work: campaign.WorkAsked,
	}
	Check(t, s.Store.DB.Write(t.Context(), func(tx *database.Tx) error {
		row.StartedAt, row.TouchedAt = database.InstantOf(tx.Now()), database.InstantOf(tx.Now())
		if err := records.LockSegments(tx, segmentID); err != nil {
			return err
		}
		return tx.Create(&row).Error
	}))
	return row.ID
}
