package desk

import (
	"context"
	"errors"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// SegmentDetail is a segment with its history.
type SegmentDetail struct {
	campaign.Segment
	ID          string
	Held        bool
	DecidingAct *readmodel.LeadAct  // the act of a lead that decides; nil: the ratings do
	Overtaken   bool                // ratings came after that act, and no lead has looked at them
	Acts        []readmodel.LeadAct // of leads, in the order in which they were done
	Undo        *readmodel.Undo     // of the latest act; nil: no act stands
	Decisions   []campaign.Decision // by round, then as they were formed
	Turns       []readmodel.Turn    // by round, then login
	Before      string              // row id of the segment before this one in the order of import; empty: none
	After       string
}

// Segment reads one segment of a campaign by its row id.
func (s *Store) Segment(ctx context.Context, c campaign.Campaign, id string) (SegmentDetail, error) {
	db := s.db.Read(ctx)
	d := SegmentDetail{ID: id}
	var row records.SegmentRow
	err := db.Raw(records.SegmentColumns+" WHERE g.campaign_id = ? AND g.id = ?", c.ID, id).Take(&row).Error
	if err != nil {
		return d, err
	}
	segments, err := records.CompleteSegments(db, c, []records.SegmentRow{row})
	if err != nil {
		return d, err
	}
	d.Segment, d.Held = segments[0], row.Held
	for _, side := range []struct {
		id    *string
		query string
	}{
		{&d.Before, "SELECT id FROM segments WHERE campaign_id = ? AND position < ? ORDER BY position DESC LIMIT 1"},
		{&d.After, "SELECT id FROM segments WHERE campaign_id = ? AND position > ? ORDER BY position LIMIT 1"},
	} {
		if err := database.Scan(db.Raw(side.query, c.ID, row.Position), side.id); err != nil && !errors.Is(err, database.ErrNoRows) {
			return d, err
		}
	}
	if err := database.Scan(db.Raw("SELECT count(*) > 0 FROM segments g WHERE "+isOvertaken+" AND g.id = ?", c.ID, id), &d.Overtaken); err != nil {
		return d, err
	}
	if d.Turns, err = rounds.TurnsOf(db, id); err != nil {
		return d, err
	}
	if d.Decisions, err = rounds.DecisionsOf(db, id); err != nil {
		return d, err
	}
	acts, err := rounds.ReadActs(db, "c.segment_id = ?", id)
	for _, a := range acts {
		d.Acts = append(d.Acts, readmodel.LeadAct{Act: a.Act, Batch: a.Batch, ByLogin: a.ByLogin, Reason: a.Reason, At: a.At.Time()})
		if a.ID == row.DecidingAct {
			d.DecidingAct = &d.Acts[len(d.Acts)-1]
		}
	}
	if err != nil {
		return d, err
	}
	for _, a := range slices.Backward(acts) {
		if !a.Undone {
			d.Undo = new(readmodel.Undo)
			*d.Undo, err = rounds.UndoOf(db, c.ID, a.Act, a.Batch)
			break
		}
	}
	return d, err
}
