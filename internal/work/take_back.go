package work

import (
	"context"
	"fmt"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// takeBackDelay is how much longer than the setting undo_seconds the server lets a submission be
// taken back, because the request takes time to arrive.
const takeBackDelay = 5 * time.Second

// TakeBack undoes the first submission of an assignment. It deletes the ratings and keeps the
// drafts. The state of the segment follows, so a decision or a second look that came from the
// ratings is taken back too. The error is ErrDecided if the submission is older than
// the setting undo_seconds or not the first one, if it is an adjudication, and if a lead has decided the
// segment. It is ErrNotOpen if the campaign is not open, and ErrSetAside if a lead has set the
// annotator's work aside.
func (s *Store) TakeBack(ctx context.Context, c campaign.Campaign, userID, assignmentID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		a, err := records.LockAssignment(tx, c.ID, assignmentID, userID)
		if err != nil {
			return err
		}
		if c, err = records.ReadCampaign(tx.DB, c.ID); err != nil {
			return err
		}
		if a.State == campaign.InWork {
			return nil // a repeated request, whose first answer the page did not receive
		}
		if err := mayTakeBack(tx, c, a); err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM ratings WHERE assignment_id = ?", a.ID).Error; err != nil {
			return err
		}
		if err := tx.Exec("UPDATE assignments AS a SET state = CASE WHEN "+records.IsSkipped+" THEN 'released' ELSE 'open' END, submitted_at = 0, touched_at = ?, ratings = 0, seconds = 0, comments = 0, rated = 0 WHERE id = ?", database.InstantOf(tx.Now()), a.ID).Error; err != nil {
			return err
		}
		if err := tx.Exec("UPDATE all_segments SET rated = rated + 1 WHERE id = ?", a.SegmentID).Error; err != nil {
			return err
		}
		return s.rounds.Follow(tx, c, a.SegmentID)
	})
}

// mayTakeBack returns the error of [Store.TakeBack] if the submission can't be taken back.
func mayTakeBack(tx *database.Tx, c campaign.Campaign, a records.AssignmentRow) error {
	if c.State != campaign.Open {
		return campaign.ErrNotOpen
	}
	if a.SetAside != "" {
		return campaign.ErrSetAside
	}
	isFirst := a.TouchedAt == a.SubmittedAt
	seconds := c.Settings.UndoSeconds
	instead := "open it under My segments to change it"
	if a.Work == campaign.WorkOver { // which is at once where one annotator is enough
		instead = "its round is complete, so open it under My segments and ask the lead for another look"
	}
	if seconds == 0 {
		return campaign.Decided("a submission can't be taken back in this campaign; " + instead)
	}
	if a.State != campaign.Submitted || !isFirst || tx.Now().Sub(a.SubmittedAt.Time()) > time.Duration(seconds)*time.Second+takeBackDelay {
		return campaign.Decided(fmt.Sprintf("a submission can be taken back for %d seconds; %s", seconds, instead))
	}
	var holding string
	if err := database.Scan(tx.Raw("SELECT holding FROM segments WHERE id = ?", a.SegmentID), &holding); err != nil {
		return err
	}
	if holding != "" {
		return campaign.Decided("the lead has decided this segment meanwhile; what you submitted stands")
	}
	return nil
}
