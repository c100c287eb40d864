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

// Skip frees the user's place at a segment in round 1 for another annotator. The drafts are kept.
// The segment is not handed out to the user again. The lead sees the reason with the turn. Unlike a
// reported problem, a skip does not stop the segment from being handed out. The error is
// ErrConflict for a second look and for an adjudication, which nobody else is asked for, and for
// submitted work.
func (s *Store) Skip(ctx context.Context, c campaign.Campaign, userID, assignmentID, reason string) error {
	reason = strings.TrimSpace(reason)
	if err := records.CheckReason("reason", reason, "say in a few words why you skip the segment"); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		a, err := records.LockAssignment(tx, c.ID, assignmentID, userID)
		if err != nil {
			return err
		}
		if a.State == campaign.Released && a.Skipped == reason {
			return nil // a repeated request, whose first answer the page did not receive
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
		err = tx.Exec(
			"UPDATE assignments SET state = 'released', skipped = ?, added = FALSE, touched_at = ? WHERE id = ?", reason,
			database.InstantOf(tx.Now()), a.ID,
		).Error
		if err != nil {
			return err
		}
		return rounds.RecountPlaces(tx, []string{a.SegmentID})
	})
}
