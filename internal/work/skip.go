package work

import (
	"context"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// maxReason is how many bytes the reason of a skip may have.
const maxReason = 1000

// Skip gives the user's place at a segment of round 1 to another annotator. The drafts are
// kept, the segment is not handed out to the user again, and the lead reads the reason
// beside the turn. Unlike a reported problem it holds nothing back. ErrConflict for a second
// look and an adjudication, for which nobody else is asked, and for submitted work.
func (s *Store) Skip(ctx context.Context, c campaign.Campaign, userID, assignmentID, reason string) error {
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return campaign.Invalid("reason", "say in a few words why you skip the segment")
	}
	if len(reason) > maxReason {
		return campaign.Invalid("reason", fmt.Sprintf("use at most %d bytes", maxReason))
	}
	if err := database.CheckText("reason", reason); err != nil {
		return err
	}
	return s.Write(ctx, func(tx *database.Tx) error {
		a, err := records.FindAssignment(tx.DB, c.ID, assignmentID, userID)
		if err != nil {
			return err
		}
		if err := records.LockSegments(tx, a.SegmentID); err != nil {
			return err
		}
		if a, err = records.FindAssignment(tx.DB, c.ID, assignmentID, userID); err != nil {
			return err
		}
		if a.State == campaign.Released && a.Skipped == reason {
			return nil // the page did not receive the first answer
		}
		if err := maySave(tx.DB, c, a); err != nil {
			return err
		}
		switch {
		case a.Round > 1 || a.State.Adjudicates():
			return fmt.Errorf("nobody else is asked for this look; report a problem if you cannot judge the segment: %w", campaign.ErrConflict)
		case a.State == campaign.Submitted:
			return fmt.Errorf("this segment is submitted; what you submitted stands: %w", campaign.ErrConflict)
		}
		err = tx.Exec("UPDATE assignments SET state = 'released', skipped = ?, touched_at = ? WHERE id = ?", reason, database.InstantOf(tx.Now()), a.ID).Error
		if err != nil {
			return err
		}
		return rounds.RecountPlaces(tx, []string{a.SegmentID})
	})
}
