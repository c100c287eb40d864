package intake

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// Undoing an import turns its rows back into a staging (staging.go). One transaction hides all
// rows that the import brought and shows all rows that it replaced. Later transactions delete the
// hidden rows in steps. If the program is killed before they end, the next import, or the next
// start of the server, deletes the remaining rows.
//
// The program removes the ratings that the import brought to segments that stay in steps, as it
// placed them (complete.go). Until the last step the campaign's states and sums can't be read.
//
// Only the latest import that is not undone can be undone, so nothing that was imported builds on it.

// UndoOptions say who undoes an import.
type UndoOptions struct {
	ByID string // empty for the command line
	// UndoImport calls Progress after each step of a large import, with the number of segments
	// whose ratings are removed, and the number of all such segments. It may be nil.
	Progress func(done, all int)
}

// UndoImport deletes the data that an import brought and restores the data that it replaced. The
// exports are then the same as before the import. UndoImport waits while another import is under
// way. The error is ErrNotFound if the campaign has no such import. It is an ErrConflict with the
// reason if somebody has worked on the import's data, if there is a later import that is not undone,
// or if the import is undone already.
func (s *Store) UndoImport(ctx context.Context, campaignID, importID string, opt UndoOptions) error {
	now, err := records.ReadCampaign(s.db.Read(ctx), campaignID)
	switch {
	case err != nil:
		return err
	case now.Archived:
		return fmt.Errorf("campaign %q is archived; bring it back and open it before undoing an import: %w", now.Slug, campaign.ErrConflict)
	case now.State == campaign.Closed:
		return fmt.Errorf("campaign %q is closed; open it before undoing an import: %w", now.Slug, campaign.ErrConflict)
	}
	st, c, err := s.stage(ctx, campaignID, stageOnSegments)
	if err != nil {
		return err
	}
	touched := 0
	err = st.Run(ctx, func() error {
		// Statements that may take long in a large campaign run outside of the transaction.
		db := s.db.Read(ctx)
		u, err := s.undoing(db, c, importID)
		if err == nil {
			err = u.refuseJudged(db)
		}
		if err != nil {
			return err
		}
		rated, err := u.rated(db)
		if err != nil {
			return err
		}
		touched = rated.segments
		st.stopBeat() // hide gives the staging to the import
		return s.db.WriteLong(ctx, func(tx *database.Tx) error {
			c, err := records.LockToImport(tx, campaignID)
			if err != nil {
				return err
			}
			if err := st.Alive(tx); err != nil {
				return err
			}
			u, err := s.undoing(tx.DB, c, importID)
			if err != nil {
				return err
			}
			return u.hide(tx, st.ID, rated, opt.ByID)
		})
	})
	if err != nil {
		return err
	}
	err = s.completeImport(ctx, campaignID, importID, func(_ placement, done int) {
		if opt.Progress != nil {
			opt.Progress(done, touched)
		}
	})
	if err == nil {
		err = s.DropStaged(ctx, stagedRow{CampaignID: campaignID, ID: importID})
	}
	if err != nil {
		s.db.Log.Warn("the rows of an import that was undone are deleted later", "campaign", c.Slug, "error", err)
	}
	return nil
}
