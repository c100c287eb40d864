package storetest

import (
	"context"
	"testing"

	"annotate/internal/readmodel"
)

// A Leading does the acts of a lead on the segments s1, s2 … of document d1.
type Leading struct {
	*testing.T
	*Sample
}

// Row is the row id of a segment.
func (a Leading) Row(segment string) string { return a.RowID(a.T, "d1", segment) }

// FurtherAnnotator asks one more annotator to rate a segment.
func (a Leading) FurtherAnnotator(segment, login string) error {
	return a.Store.Rounds.FurtherAnnotator(a.Context(), a.Campaign.ID, []string{a.Row(segment)}, login, "a third opinion", a.Lead.ID)
}

// Replace gives a segment of one annotator to another annotator.
func (a Leading) Replace(segment, login, by string) error {
	return a.Store.Rounds.ReplaceAnnotator(a.Context(), a.Campaign.ID, a.Row(segment), login, by, "on leave", a.Lead.ID)
}

// Rows are the row ids of segments.
func (a Leading) Rows(segments []string) (ids []string) {
	for _, s := range segments {
		ids = append(ids, a.Row(s))
	}
	return ids
}

// AnotherLook asks annotators for another look at a segment.
func (a Leading) AnotherLook(segment string, annotators ...string) error {
	return a.Store.Rounds.AnotherLook(a.Context(), a.Campaign.ID, []string{a.Row(segment)}, annotators, "look again", a.Lead.ID)
}

// RestoreSegments takes back what a lead decided about segments.
func (a Leading) RestoreSegments(segments ...string) error {
	return a.Store.Rounds.RestoreSegments(a.Context(), a.Campaign.ID, a.Rows(segments), "a mistake", a.Lead.ID)
}

// Undo undoes the latest act on a segment, on all segments where it can be undone.
func (a Leading) Undo(segment string) error {
	return Undo(a.Context(), a.Sample, a.Row(segment), true)
}

// UndoHere undoes the latest act on a segment, on this segment alone.
func (a Leading) UndoHere(segment string) error {
	return Undo(a.Context(), a.Sample, a.Row(segment), false)
}

// Undo undoes the latest act on the segment with a row id: on all segments where it can be undone, or on
// this segment alone. The error is ErrConflict if there is no act.
func Undo(ctx context.Context, s *Sample, segmentRowID string, all bool) error {
	d, err := s.Store.Desk.Segment(ctx, s.Campaign, segmentRowID)
	if err != nil {
		return err
	}
	if d.Undo == nil {
		d.Undo = &readmodel.Undo{}
	}
	if !all {
		d.Undo.Segments = 1
	}
	return s.Store.Rounds.Undo(ctx, s.Campaign.ID, segmentRowID, d.Undo.ActID, d.Undo.Segments, s.Lead.ID)
}

// Discard discards segments.
func (a Leading) Discard(segments ...string) error {
	return a.Store.Rounds.Discard(a.Context(), a.Campaign.ID, a.Rows(segments), "bad source", a.Lead.ID)
}

// AcceptMeans makes the means of the latest round the gold of segments.
func (a Leading) AcceptMeans(segments ...string) error {
	return a.Store.Rounds.AcceptMeans(a.Context(), a.Campaign.ID, a.Rows(segments), "both are right", a.Lead.ID)
}

// Done fails the test if an act failed.
func (a Leading) Done(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}
